#!/usr/bin/env bash
# Compares how blastp and the original show odd titles and identifiers (blast_titles.py).
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs python3
rounds=6
thorough && rounds=150
last_command="blast_titles.py --rounds $rounds"
python3 "$(dirname "$0")/blast_titles.py" "$programs" --rounds "$rounds" >"$work/.out" 2>"$work/.err" ||
    fail 'a title is shown otherwise than by the original'
holds 'runs were compared' grep -q "^[0-9]* runs, 0 differ$" "$work/.out"
