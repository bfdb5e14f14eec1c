#!/usr/bin/env bash
# `search pair` against parasail: 20 proteins and 20 pieces of DNA, paired; global, local and
# semi-global; several gap costs. Every alignment is rescored. Needs Debian's python3-parasail and
# mmseqs2-examples (tools/setup check installs them); skips without.
. "$(dirname "$0")/pair_checks.sh"
compare
