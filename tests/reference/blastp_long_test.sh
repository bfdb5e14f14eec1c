#!/usr/bin/env bash
# A few of blastp_long.py's random long queries against NCBI's blastp, row by row. Needs python3,
# Debian's ncbi-blast+ (2.12.0) and mmseqs2-examples (tools/setup check installs them); skips
# without.
. "$(dirname "$0")/../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
needs_files "$proteins"
needs_programs python3
needs_blast
cd "$work" || exit 1
python3 "$here/blastp_long.py" --bin "$programs" --families "$proteins" --proteins "$proteins" --queries 4 --sequences 60
