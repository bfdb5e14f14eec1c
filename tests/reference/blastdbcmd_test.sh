#!/usr/bin/env bash
# Compares the drop-in blastdbcmd with NCBI's, for random valid and invalid command lines on random
# databases (blastdbcmd.py).
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs blastdb_aliastool python3
cases=40
thorough && cases=1200
last_command="blastdbcmd.py --cases $cases"
python3 "$(dirname "$0")/blastdbcmd.py" "$programs" --cases "$cases" >"$work/.out" 2>"$work/.err" ||
    fail 'blastdbcmd differs from the original'
holds 'all cases were run' grep -q "^$cases cases, 0 differ$" "$work/.out"
