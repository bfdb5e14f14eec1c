#!/usr/bin/env bash
# Compares taxonomy with blastp 2.12.0+ (taxonomy.py): IDs and names in tables, JSON and XML, and
# searches that are restricted by random lists of taxonomy IDs.
#
# The database is made with -taxid_map, and the script makes the taxdb. Hits, statistics and
# definition lines of the searches are compared.
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs python3
here=$(cd "$(dirname "$0")" && pwd)
last_command="taxonomy.py"
python3 "$here/taxonomy.py" "$programs" "$work" >"$work/.out" 2>"$work/.err" || fail 'taxonomy.py finds a difference'
cat "$work/.out"
echo passed
