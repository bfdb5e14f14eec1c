# The set-up of the reference comparisons of `search pair`. They skip if parasail is missing, and
# run pair_parasail.py on real proteins.
. "$(dirname "$0")/../support/checks.sh"
comparison=$(cd "$(dirname "$0")" && pwd)/pair_parasail.py
cd "$work" || exit 1

needs_files "$proteins"
python=/usr/bin/python3
"$python" -c 'import parasail' 2>/dev/null || skip_test 'no python3-parasail here'
zcat "$proteins" | awk '/^>/ {++n} n <= 400' >proteins.fa
# compare [--emboss]: runs pair_parasail.py.
compare() {
    last_command="pair_parasail.py $*"
    "$python" "$comparison" "$programs" proteins.fa "$@" >.out 2>.err || fail 'not what the others say'
    cat .out
}
