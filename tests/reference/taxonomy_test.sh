#!/usr/bin/env bash
# Taxa against blastp 2.12.0+: numbers and names in tables, JSON and XML, of a database made with
# -taxid_map and a taxdb made here; and random lists of taxonomy IDs with their hits, statistics and
# definition lines.
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs python3
here=$(cd "$(dirname "$0")" && pwd)
last_command="taxonomy.py"
python3 "$here/taxonomy.py" "$programs" "$work" >"$work/.out" 2>"$work/.err" || fail 'taxonomy.py finds a difference'
cat "$work/.out"
echo passed
