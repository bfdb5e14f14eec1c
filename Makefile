# The commands that set up, build, run and install warpseq, with one word each. CMake does the work
# (CMakePresets.json).
#
#   make            the same as make help
#   make JOBS=8 build
#   make PREFIX=~/.local install
#   make WARPSEQ_CUDA=TOOLKIT install    with kernels for GPUs, on a machine without one

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Whether kernels for GPUs are built: AUTO if there is a GPU, TOOLKIT if they can be compiled, or
# OFF.
WARPSEQ_CUDA ?= AUTO
# Warnings stop the build in CI only, because elsewhere a newer compiler may have more of them.
STRICT := $(if $(CI),-DWARPSEQ_WERROR=ON)
# The packages that `make package` makes. They include kernels for GPUs if these can be compiled.
PACKAGES = deb $(if $(filter-out OFF,$(WARPSEQ_CUDA)),$(if $(shell command -v $${CUDACXX:-nvcc}),deb-cuda)) portable

.DEFAULT_GOAL := help
.PHONY: help build demo test check check-all bench install package check-package wheel check-wheel clean

help:
	@echo "make demo     set up, build, convert 20,000 real proteins, search them, show the hits"
	@echo "make build    set up and build everything into build/release"
	@echo "make test     set up and run the quick tests: units and programs, no comparisons with others, no sanitizers"
	@echo "make check    set up and run what decides about a change: tests under sanitizers, then all others at a shorter length"
	@echo "make check-all  set up and run every test at its full length, fuzz targets and packages: hours; before a release"
	@echo "make bench    set up and run the benchmarks, and the comparisons with other programs"
	@echo "make install  install programs, man pages and library below PREFIX (now $(PREFIX))"
	@echo "make package  make Debian packages and a tarball in out/packages (packaging/README.md)"
	@echo "make wheel    make wheels of the Python package in out/wheels"
	@echo "make clean    remove build and out"

build:
	tools/setup build
	cmake --preset release $(STRICT) -DWARPSEQ_CUDA=$(WARPSEQ_CUDA)
	cmake --build --preset release -j $(JOBS)

demo:
	tools/setup build demo
	cmake --preset release $(STRICT) -DWARPSEQ_CUDA=$(WARPSEQ_CUDA)
	cmake --build --preset release -j $(JOBS) --target warpseq dbconv search inspect
	tools/demo build/release out/demo

# Runs the quick tests, for every day. Tests that compare with other programs are in `check`.
test: build
	ctest --preset release -j $(JOBS) -LE reference

# tools/check says what these two run.
check:
	tools/setup build demo check python
	tools/check --jobs $(JOBS) $(if $(CI),--strict)

check-all:
	tools/setup build demo check package check-package python
	tools/check --all --jobs $(JOBS) $(if $(CI),--strict)

# The set-up comes first, because one of the comparisons is built only if its peer is installed.
bench:
	tools/setup bench
	$(MAKE) --no-print-directory build
	cmake --build --preset release -j $(JOBS) --target benchmarks
	for program in build/release/bin/bench_*; do echo "== $$program"; $$program || exit 1; done
	bench/compare/compare_dbconv.py --build build/release
	bench/compare/compare_hmm.py --build build/release --hmm /usr/share/doc/hmmer/examples/tutorial/globins4.hmm \
		--hmm /usr/share/doc/hmmer/examples/tutorial/fn3.hmm --hmm /usr/share/doc/hmmer/examples/tutorial/Pkinase.hmm
	bench/compare/compare_sw.py --build build/release

install: build
	cmake --install build/release --prefix $(PREFIX)

package:
	tools/setup build package
	rm -rf out/packages
	for preset in $(PACKAGES); do \
		cmake --preset $$preset $(STRICT) $(if $(filter OFF,$(WARPSEQ_CUDA)),-DWARPSEQ_CUDA=OFF) && \
		cmake --build --preset $$preset -j $(JOBS) --target warpseq && \
		cpack --preset $$preset || exit 1; \
	done
	ls -l out/packages

# Checks the packages that `make package` made, and tries them in a fresh Debian and in containers.
# Tests that need root, Debian's archive or buildah say that they are skipped if these are missing.
check-package:
	tools/setup check-package
	for test in lintian tarball install_deb container; do \
		tests/package/$${test}_test.sh out/packages || [ $$? -eq 77 ] || exit 1; \
	done

# Makes wheels of the Python package for other machines, with kernels for GPUs if these can be
# compiled. packaging/make_wheels says for which interpreters.
wheel:
	tools/setup build python
	JOBS=$(JOBS) packaging/make_wheels out/wheels $(STRICT) $(if $(filter OFF,$(WARPSEQ_CUDA)),-DWARPSEQ_CUDA=OFF)

# Installs the wheels that `make wheel` made in new virtual environments, and searches with them.
check-wheel:
	tests/package/wheel_test.sh out/wheels

clean:
	rm -rf build out
