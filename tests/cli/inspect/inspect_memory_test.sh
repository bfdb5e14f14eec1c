#!/usr/bin/env bash
# inspect compare stays within --memory even if hundreds of thousands of sequences have one
# identifier.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
if [ ! -x /usr/bin/time ]; then
    skip_test 'no /usr/bin/time here to tell peak memory'
fi
awk 'BEGIN { letters = "ACDEFGHIKLMNPQRSTVWY"
             for (s = 0; s < 400000; ++s) { text = "MK"; for (n = s; n > 0; n = int(n / 20)) text = text substr(letters, 1 + n % 20, 1)
                                            print ">hypothetical\n" text } }' >old.fa
# In the new database, the first sequence is missing, and every seventh one is different.
awk 'NR > 2 { print $0 (NR % 14 == 0 ? "X" : "") }' old.fa >new.fa
runs 0 dbconv old.fa -o old.wsdb --quiet
runs 0 dbconv new.fa -o new.wsdb --quiet
# The peak memory includes the mapped pages of the files.
mapped=$((($(stat -c %s old.wsdb) + $(stat -c %s new.wsdb)) / 1024))
for list in '' --list; do
    last_command="inspect compare of 400,000 sequences of one identifier with --memory 8M $list"
    # shellcheck disable=SC2086
    /usr/bin/time -f %M -o peak "$programs/inspect" compare old.wsdb new.wsdb --memory 8M --threads 2 $list >.out 2>.err
    if [ -z "$list" ]; then
        says '342,857  the same'
        says '57,142  another sequence'
        says '1  removed'
    else
        holds 'a line for each difference' test "$(wc -l <.out)" -eq 57143
    fi
    peak=$(tail -1 peak)
    printf '%s: peak %s KB, of them up to %s KB mapped\n' "$last_command" "$peak" "$mapped"
    # The program, its threads and what they read may take another 24 MiB.
    holds "memory beside the map is within 8M and what the program takes" test "$peak" -le $((mapped + (8 + 24) * 1024))
done
echo passed
