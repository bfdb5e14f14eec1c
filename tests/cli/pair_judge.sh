# What the judges of `search pair` share: parasail, without which they end as skipped, and pair_judge.py on real proteins.
. "$(dirname "$0")/checks.sh"
judge=$(cd "$(dirname "$0")" && pwd)/pair_judge.py
cd "$work" || exit 1

needs_files "$proteins"
python=/usr/bin/python3
"$python" -c 'import parasail' 2>/dev/null || skip_test 'no python3-parasail here'
zcat "$proteins" | awk '/^>/ {++n} n <= 400' >proteins.fa
# compare [--emboss]
compare() {
    last_command="pair_judge.py $*"
    "$python" "$judge" "$programs" proteins.fa "$@" >.out 2>.err || fail 'not what the others say'
    cat .out
}
