#!/usr/bin/env bash
# The memory of search sw and search blastp does not grow with the length of a target, the number of
# queries or the number of threads. Limits are a third to two thirds above what was measured.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
if [ ! -x /usr/bin/time ]; then
    skip_test 'no /usr/bin/time here to tell peak memory'
fi
# peak LIMIT_MB PROGRAM ARGUMENTS...: runs a program, whose peak memory must be within the limit.
peak() {
    local limit_mb=$1
    shift
    last_command=$*
    /usr/bin/time -f %M -o peak_kb "$programs/$1" "${@:2}" --device cpu --quiet >.out 2>.err || fail 'the search'
    printf '%s: peak %s KB\n' "$last_command" "$(tail -1 peak_kb)"
    holds "peak memory of $(tail -1 peak_kb) KB is within $limit_mb MB" test "$(tail -1 peak_kb)" -le $((limit_mb * 1024))
}
# A pool of random residues; proteins are stretches of it, so that they are each other's relatives.
awk "$random_awk"'BEGIN { start_random(7); letters = "AAAAAAAACDDDDDEEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLLMMNNNNPPPPPQQQQRRRRRRSSSSSSSTTTTTVVVVVVVWYYY";
    m = length(letters); for (i = 0; i < 60000; ++i) pool = pool substr(letters, 1 + int(random() * m), 1);
    print ">long" >"long.fa"; for (i = 0; i < 67; ++i) print pool >"long.fa";
    for (i = 0; i < 4; ++i) { print ">short" i >"short.fa"; print substr(pool, 1 + i * 7000, 60) >"short.fa" }
    for (i = 0; i < 40; ++i) { print ">t" i >"targets.fa"; print substr(pool, 1 + int(random() * 59000), 50 + int(random() * 100)) >"targets.fa" }
    for (i = 0; i < 6000; ++i) { print ">q" i >"queries.fa"; print substr(pool, 1 + int(random() * 59000), 20 + int(random() * 60)) >"queries.fa" } }'
head -2000 queries.fa >fewer.fa
for name in long targets; do runs 0 dbconv $name.fa -o $name.wsdb --quiet; done

# One sequence of four million residues. blastp once took at least 44 bytes for each residue and
# query.
peak 22 search sw -q short.fa -d long.wsdb --outfmt 6 --threads 2 -o long.sw
peak 48 search blastp -q short.fa -d long.wsdb --outfmt 6 --threads 2 -o long.blastp
peak 80 search blastp -q short.fa -d long.wsdb --outfmt 6 --threads 16 -o long16.blastp
holds 'hits are found' test "$(wc -l <long.blastp)" -ge 268
same long.blastp long16.blastp

# With six times the queries, blastp needs no more memory, and sw needs 40 bytes for each hit of a
# batch. With 128 threads, both need little more.
for count in fewer queries; do
    peak 32 search sw -q $count.fa -d targets.wsdb --outfmt '6 qseqid sseqid score' --max-hits 0 --evalue inf --threads 2 -o $count.sw
    peak 28 search blastp -q $count.fa -d targets.wsdb --outfmt 6 --threads 2 -o $count.blastp
done
holds 'sw reports every pair' test "$(wc -l <queries.sw)" -ge 239000
peak 32 search sw -q fewer.fa -d targets.wsdb --outfmt '6 qseqid sseqid score' --max-hits 0 --evalue inf --threads 128 -o many.sw
same fewer.sw many.sw
peak 40 search blastp -q fewer.fa -d targets.wsdb --outfmt 6 --threads 128 -o many.blastp
same fewer.blastp many.blastp
echo passed
