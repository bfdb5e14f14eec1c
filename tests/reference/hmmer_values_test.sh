#!/usr/bin/env bash
# Compares how HMMER's programs and the drop-ins read odd values of options, and what they say of
# files that cannot be opened (hmmer_values.py).
. "$(dirname "$0")/../support/checks.sh"
needs_hmmer
needs_programs python3 hmmscan jackhmmer hmmbuild hmmalign hmmpress hmmfetch hmmemit hmmstat hmmconvert
needs_files "$tutorial/globins4.hmm" "$tutorial/fn3.hmm" "$tutorial/HBB_HUMAN" "$tutorial/globins45.fa" "$tutorial/globins4.sto"
every=79
thorough && every=1
last_command="hmmer_values.py --every $every"
python3 "$(dirname "$0")/hmmer_values.py" "$programs" "$work/values" --every "$every" >"$work/.out" 2>"$work/.err" ||
    fail 'a value is read otherwise than by the original'
# At least half of the command lines have an answer, and all options are found.
holds 'command lines were compared' awk '/ options, .* 0 differ$/ { found = $1 >= 110 && $3 >= 60 && 2 * $6 < $3 } END { exit !found }' "$work/.out"
tail -1 "$work/.out"
