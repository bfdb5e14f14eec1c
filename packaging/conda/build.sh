#!/bin/bash
# Builds and installs the programs for the conda package. conda-build runs this script.
set -euxo pipefail
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} \
    -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="${PREFIX}" \
    -DCMAKE_PREFIX_PATH="${PREFIX}" \
    -DWARPSEQ_CUDA=OFF \
    -DWARPSEQ_TESTS=OFF \
    -DWARPSEQ_BENCH=OFF
cmake --build build-conda --target warpseq -j "${CPU_COUNT:-1}"
cmake --install build-conda --component programs
