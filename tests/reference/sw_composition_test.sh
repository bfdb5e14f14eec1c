#!/usr/bin/env bash
# Compares `search sw --comp-stats` with NCBI's blastp -use_sw_tback, for each pair that blastp
# reports. Score, E-value, bits and ends of the best HSP must be equal.
#
# The ends may differ if there is another HSP of the same score. blastp may miss pairs. Targets have
# low complexity, rare letters and near copies. The test needs Debian's ncbi-blast+ (2.12.0), and
# skips without it.
. "$(dirname "$0")/../support/checks.sh"
cd "$work" || exit 1

needs_blast

awk "$random_awk"'BEGIN {
    start_random(8)
    even = "ACDEFGHIKLMNPQRSTVWY"
    rich = even "LLLLLLLLKKKKKKKKSSSS"
    acids = even
    for (family = 0; family < 8; ++family) {
        if (family > 4) acids = rich
        protein = letters(60 + family * 70)
        if (family % 2) protein = substr(protein, 1, 50) runs(60) substr(protein, 51)
        print ">q" family "\n" changed(protein, 10 * (family % 3)) >"queries.fa"
        for (member = 0; member < 12; ++member) {
            print ">s" family "." member >"db.fa"
            print letters(random() * 60) changed(substr(protein, 1 + random() * 40), member * 14) (member % 3 ? "" : runs(40)) \
                letters(random() * 200) >"db.fa"
        }
        # Copies, exact and nearly so: not masked.
        print ">copy" family "\n" protein "\n>near" family "\n" changed(protein, 3) >"db.fa"
    }
    for (i = 0; i < 150; ++i) print ">r" i "\n" letters(30 + random() * 400) (i % 5 ? "" : runs(50)) >"db.fa"
    printf ">rare\n%sUUOOBZJX*%s\n>short\nMKVLAAGWCH\n>allx\nXXXXXXXXXXXXXXXXXXXX\n", letters(60), letters(60) >"queries.fa"
}
function letters(count, text) {
    for (text = ""; count >= 1; --count) text = text substr(acids, 1 + int(random() * length(acids)), 1)
    return text
}
function runs(count, text, two) {
    two = letters(2)
    for (text = ""; length(text) < count;) text = text substr(two, 1 + int(random() * 2), 1)
    return text
}
function changed(from, rate, text, k, x) {
    text = ""
    for (k = 1; k <= length(from); ++k) {
        x = random() * 300
        text = text (x < rate ? letters(1) : x > 299.3 ? letters(1 + random() * 9) : x > 298.6 ? "" : \
            x > 298.3 ? substr("BZXUOJ*", 1 + int(random() * 7), 1) : substr(from, k, 1))
    }
    return text
}'
makeblastdb -in db.fa -dbtype prot -out db >/dev/null || fail 'makeblastdb fails'
runs 0 dbconv db.fa -o db.wsdb --quiet

fields='6 qaccver saccver score evalue bitscore qstart qend sstart send'
# compare MODE LEAST [BLASTP'S OPTIONS -- OURS]: requires that blastp reports at least LEAST pairs,
# and that `search sw` reports all of them.
compare() {
    local mode=$1 least=$2 pairs ends theirs=() ours=()
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do theirs+=("$1"); shift; done
    ours=("${@:2}")
    blastp -query queries.fa -db db -use_sw_tback -comp_based_stats "$mode" -max_hsps 1 -outfmt "$fields" "${theirs[@]}" \
        >.out 2>.err || fail 'blastp fails'
    sort .out >their.txt
    runs 0 search sw -q queries.fa -d db.wsdb --comp-stats "$mode" --quiet --outfmt "$fields" -o our.txt "${ours[@]}"
    sort our.txt >our.lines
    comm -23 <(cut -f 1-5 their.txt) <(cut -f 1-5 our.lines) >missing.txt
    [ ! -s missing.txt ] || fail "not ours: $(head -5 missing.txt)"
    pairs=$(wc -l <their.txt) ends=$(comm -23 their.txt our.lines | wc -l)
    [ "$pairs" -ge "$least" ] || fail "blastp reports $pairs pairs only: that proves little"
    [ $((100 * ends)) -le "$pairs" ] || fail "$ends of $pairs alignments have other ends: that is too many for ties"
    printf 'mode %s %s: all %d pairs of blastp, %d of them with other ends, and %d more\n' "$mode" "${theirs[*]}" "$pairs" "$ends" \
        $(($(wc -l <our.lines) - pairs))
    rm our.txt
}
for mode in 1 2 3; do compare $mode 100; done
compare 1 80 -matrix BLOSUM45 -evalue 0.1 -- --matrix BLOSUM45 --evalue 0.1
compare 2 200 -evalue 100 -- --evalue 100
compare 3 100 -matrix PAM70 -gapopen 11 -gapextend 1 -- --matrix PAM70 --gap-open 11 --gap-extend 1
