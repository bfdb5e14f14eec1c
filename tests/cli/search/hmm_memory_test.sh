#!/usr/bin/env bash
# search hmm keeps few bytes for each residue of a long target. It searches a target of two million
# residues, with scattered domains, in little memory. It finds what the reference back end finds,
# which keeps all rows.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
if [ ! -x /usr/bin/time ]; then
    skip_test 'no /usr/bin/time here to tell peak memory'
fi
# Copies of the query stand at the borders of the first blocks of rows, and then every 80,000
# residues; some come in threes.
awk "$random_awk"'BEGIN { start_random(11); letters = "AAAAAAAACDDDDDEEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLLMMNNNNPPPPPQQQQRRRRRRSSSSSSSTTTTTVVVVVVVWYYY";
    m = length(letters); query = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPF";
    print ">query\n" query >"query.fa"; print ">long one sequence of two million residues" >"long.fa";
    for (i = 1; i <= 65536; ++i) pool = pool substr(letters, 1 + int(random() * m), 1);
    for (residues = 0; residues < 2000000; residues += length(line)) {
        line = substr(pool, 1 + int(random() * 60000), 60);
        if (residues < 200000 && residues % 32768 >= 32640 && residues % 32768 < 32700) line = query;
        if (residues % 80000 < 60 || (residues % 160000 >= 120 && residues % 160000 < 240)) line = substr(query, 1, 55);
        print line >"long.fa"
    } }'
runs 0 dbconv long.fa -o long.wsdb --quiet
search_hmm() { # NAME OPTIONS...
    last_command="search hmm ${*:2}"
    /usr/bin/time -f %M -o peak "$programs/search" hmm -q query.fa -d long.wsdb --device cpu --threads 2 --quiet -o "$1.txt" \
        --domtblout "$1.dom" "${@:2}" >.out 2>.err </dev/null || fail 'search of a long target'
    grep -v '^#' "$1.dom" >"$1.rows"
}
search_hmm long
peak=$(tail -1 peak)
printf 'peak %s KB, %s domains\n' "$peak" "$(wc -l <long.rows)"
holds "peak memory of $peak KB is within 64 MB" test "$peak" -le 65536
holds 'domains are found' test "$(wc -l <long.rows)" -ge 40
search_hmm reference --cpu-backend reference
same reference.rows long.rows
echo passed
