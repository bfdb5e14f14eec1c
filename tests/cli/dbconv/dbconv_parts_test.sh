#!/usr/bin/env bash
# The parts that dbconv --parts makes give the results of one database when they are searched
# together. dbconv --unique merges identical sequences as NR does.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# Relatives of different lengths, with copies among them so that hits tie.
awk "$random_awk"'BEGIN {
    start_random(3); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (i = 0; i < 160; ++i) first = first substr(letters, 1 + int(random() * 20), 1)
    print ">query\n" first >"query.fa"
    for (n = 1; n <= 400; ++n) {
        text = ""
        for (i = int(random() * 100); i < 160; ++i) text = text (random() < 0.3 ? substr(letters, 1 + int(random() * 20), 1) : substr(first, i + 1, 1))
        if (n % 5 == 0) text = kept
        if (n % 7 == 0) kept = text
        if (n % 61 == 0) text = ""
        printf ">t%d target %d\n%s\n", n, n, text
    }
}' >all.fa
runs 0 dbconv all.fa -o all.wsdb --quiet
digest() { "$programs/inspect" info "$1" --json | sed -n 's/^  "content_digest": "\(.*\)",$/\1/p'; }
# searched OUT DATABASE...: writes the reports of all engines, without lines that depend on the
# names of databases or on time.
searched() {
    local out=$1 engine
    shift
    local databases=() database
    for database in "$@"; do databases+=(-d "$database"); done
    for engine in sw hmm blastp; do
        "$programs/search" "$engine" -q query.fa "${databases[@]}" --quiet || fail "search $engine ${databases[*]}"
    done >"$out.raw"
    for engine in sw blastp; do
        "$programs/search" "$engine" -q query.fa "${databases[@]}" --outfmt 7 --quiet || fail "search $engine ${databases[*]}"
    done >>"$out.raw"
    grep -vE '^(# )?(target sequence database|Database|database|# Database):|wsdb|^# Current dir|^# Date|^# .*seconds|^# CPU time|^# Mc/sec' "$out.raw" >"$out"
}
searched whole all.wsdb
holds 'there are hits' test "$(grep -c '^query' whole)" -gt 100

for parts in 2 3 10; do
    for input in all.wsdb all.fa; do
        runs 0 dbconv $input --parts $parts -o out.wsdb --force
        says "out.part$(printf "%0${#parts}d" 1)of$parts.wsdb: "
        holds 'as many parts as asked for' test "$(ls out.part*of$parts.wsdb | wc -l)" -eq $parts
        searched together out.part*of$parts.wsdb
        same together whole
        runs 0 dbconv out.part*of$parts.wsdb -o merged.wsdb --force --quiet
        holds 'merged they are the whole' test "$(digest merged.wsdb)" = "$(digest all.wsdb)"
        for part in out.part*of$parts.wsdb; do
            runs 0 inspect validate "$part"
            "$programs/inspect" info "$part" --json | sed -n 's/^  "residues": \(.*\),$/\1/p'
        done >residues
        holds 'parts are alike' awk -v parts=$parts '{ sum += $1; if (NR == 1 || $1 < least) least = $1; if ($1 > most) most = $1 }
            END { exit !(most - least < 0.1 * sum / parts + 160) }' residues
        rm -f out.part*
    done
done
runs 0 dbconv all.wsdb --parts 3 --min-length 100 -o out.wsdb --quiet
runs 0 dbconv all.wsdb --min-length 100 -o long.wsdb --quiet
runs 0 dbconv out.part*of3.wsdb -o merged.wsdb --force --quiet
holds 'a selection in parts' test "$(digest merged.wsdb)" = "$(digest long.wsdb)"
runs 1 dbconv all.wsdb --parts 3 -o out.wsdb
warns 'exists already; --force replaces it'
runs 1 dbconv query.fa --parts 2 -o few.wsdb
warns '2 parts of 1 sequences'
runs 2 dbconv all.fa --parts 0 -o few.wsdb
runs 0 dbconv all.wsdb --parts 400 -o each.wsdb --quiet
holds 'a part for each' test "$(ls each.part*of400.wsdb | wc -l)" -eq 400

# Identical sequences in one input and in several, in FASTA and in databases, with one thread and
# with two.
printf '>a one\nMKV\n>b two\nMKVL\n>c three\nMKV\n>d\n\n>a one\nmkv\n>e\n\n>f six\001g seven\nMKVL\n' >same.fa
runs 0 dbconv same.fa --unique -o same.wsdb
says '4 identical sequences were merged'
runs 0 inspect fasta same.wsdb
printf '>a one\001c three\nMKV\n>b two\001f six\001g seven\nMKVL\n>d\001e\n' >expected.fa
same .out expected.fa
unique='
import collections, sys
headers, order = collections.defaultdict(list), []
for record in open(sys.argv[1]).read().split(">")[1:]:
    head, *lines = record.split("\n")
    text = "".join(lines)
    if text not in headers: order.append(text)
    headers[text].append(head)
for text in order: print(">" + "\x01".join(headers[text]) + ("\n" + text if text else ""))
'
python3 -c "$unique" all.fa >expected.fa || fail 'python3'
for input in all.fa all.wsdb 'out.part1of3.wsdb out.part2of3.wsdb out.part3of3.wsdb'; do
    [ "$input" != all.fa ] && [ "$input" != all.wsdb ] && { runs 0 dbconv all.wsdb --parts 3 -o out.wsdb --force --quiet; }
    for threads in 1 2; do
        runs 0 dbconv $input --unique -o unique.wsdb --force --quiet --threads $threads --memory 100M
        runs 0 inspect fasta unique.wsdb --width 0
        same .out expected.fa
        runs 0 inspect validate unique.wsdb
    done
done
runs 0 dbconv unique.wsdb --unique -o again.wsdb
says '0 identical sequences were merged'
holds 'nothing is left to merge' test "$(digest again.wsdb)" = "$(digest unique.wsdb)"
runs 0 dbconv all.fa --unique --parts 2 -o u.wsdb --quiet
runs 0 dbconv u.part1of2.wsdb u.part2of2.wsdb -o merged.wsdb --force --quiet
holds 'unique parts' test "$(digest merged.wsdb)" = "$(digest unique.wsdb)"
runs 2 dbconv all.fa --unique --threads 1 --memory 60M -o less.wsdb
warns 'too few to find identical sequences'
echo passed
