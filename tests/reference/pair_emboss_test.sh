#!/usr/bin/env bash
# Compares the pairs of pair_parasail_test.sh with EMBOSS' needle and water too, and lists of local
# alignments with its matcher.
#
# The scores must be equal. If the alignment is the same, needle's and water's blocks must be the
# same too. The test needs EMBOSS, which tools/setup does not install, and skips without it.
. "$(dirname "$0")/pair_checks.sh"
for needed in needle water matcher; do
    command -v $needed >/dev/null || skip_test "no $needed here (Debian's emboss has it)"
done
compare --emboss
last_command=pair_lists.py
"$python" "$(dirname "$comparison")/pair_lists.py" "$programs" proteins.fa >.out 2>.err || fail 'not what matcher lists'
cat .out
