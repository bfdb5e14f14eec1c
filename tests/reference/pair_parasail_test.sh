#!/usr/bin/env bash
# Compares the scores of `search pair` with parasail's, for global, local and semi-global
# alignments. Every alignment is rescored.
#
# The pairs are those of 20 proteins and those of 20 pieces of DNA, with several gap costs. The test
# needs Debian's python3-parasail and mmseqs2-examples (tools/setup check installs them), and skips
# without them.
. "$(dirname "$0")/pair_checks.sh"
compare
