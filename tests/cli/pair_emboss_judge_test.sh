#!/usr/bin/env bash
# The pairs of pair_judge_test.sh against EMBOSS' needle and water besides: their scores, and their blocks where the alignment is the same.
# Needs EMBOSS, which tools/setup does not install; skips without.
. "$(dirname "$0")/pair_judge.sh"
for needed in needle water; do
    command -v $needed >/dev/null || skip_test "no $needed here (Debian's emboss has it)"
done
compare --emboss
