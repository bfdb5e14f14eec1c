#!/usr/bin/env bash
# Compares the rows of `search blastp` and of NCBI's blastp for a few random long queries
# (blastp_long.py).
#
# The test needs python3, Debian's ncbi-blast+ (2.12.0) and mmseqs2-examples (tools/setup check
# installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
needs_files "$proteins"
needs_programs python3
needs_blast
cd "$work" || exit 1
python3 "$here/blastp_long.py" --bin "$programs" --families "$proteins" --proteins "$proteins" --queries 4 --sequences 60
