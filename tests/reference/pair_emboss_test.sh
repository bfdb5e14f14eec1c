#!/usr/bin/env bash
# The pairs of pair_parasail_test.sh against EMBOSS' needle and water besides: their scores, and
# their blocks where the alignment is the same. Lists of local alignments against its matcher: their
# scores. Needs EMBOSS, which tools/setup does not install; skips without.
. "$(dirname "$0")/pair_checks.sh"
for needed in needle water matcher; do
    command -v $needed >/dev/null || skip_test "no $needed here (Debian's emboss has it)"
done
compare --emboss
last_command=pair_lists.py
"$python" "$(dirname "$comparison")/pair_lists.py" "$programs" proteins.fa >.out 2>.err || fail 'not what matcher lists'
cat .out
