#!/usr/bin/env bash
# Compares how blastp, makeblastdb and the originals read odd values of options (blast_values.py).
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs python3
every=37
thorough && every=1
last_command="blast_values.py --every $every"
python3 "$(dirname "$0")/blast_values.py" "$programs" --every "$every" >"$work/.out" 2>"$work/.err" ||
    fail 'a value is read otherwise than by the original'
holds 'cases were run' grep -q "^[0-9]* cases, 0 differ$" "$work/.out"
