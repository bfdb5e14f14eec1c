#!/usr/bin/env bash
# Searches in parts (--part, search merge) give the report of one search, byte for byte. It does not
# matter what is divided, in which order parts run, whether they run twice, and whether they are
# killed and begun again. Missing parts, damaged parts and parts of different searches are refused.
. "$(dirname "$0")/../../support/checks.sh"
data=$(cd "$(dirname "$0")/../../reference" && pwd)/blastp_data.awk
kills=${WARPSEQ_KILLS:-$(thorough && echo 8 || echo 3)}
cd "$work" || exit 1

awk "$random_awk$(cat "$data")" || fail 'no data'
cp db.fa first.fa
awk '/^>/ {++n} n % 3 == 1 {sub(/^>/, ">other"); print}' db.fa >second.fa
cat long.fa >>first.fa
for name in first second; do runs 0 dbconv $name.fa -o $name.wsdb --quiet; done
awk '/^>/ {++n} n <= 4' queries.fa >few.fa
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sed "s/^>/>$i/" queries.fa; done >many.fa

# part K N FOLDER COMMAND...: searches part K of N, which must print nothing.
part() {
    local k=$1 n=$2 folder=$3
    shift 3
    runs 0 search "$@" --quiet --part "$k/$n" --work-dir "$folder"
    prints_nothing
    silent
}
# in_parts N COMMAND...: searches all parts in random order and merges them. The report has to be
# the same as the file `whole`.
in_parts() {
    local n=$1 k
    shift
    rm -rf parts
    for k in $(seq 0 $((n - 1)) | sort -R --random-source=<(yes)); do part "$k" "$n" parts "$@"; done
    runs 0 search merge parts --quiet
    silent
    last_command="search $* in $n parts"
    same .out whole
}
# same_in_parts COMMAND...: writes the report of one search to `whole`, and compares searches in
# different numbers of parts with it.
same_in_parts() {
    local n
    runs 0 search "$@" --quiet
    cp .out whole
    [ -s whole ] || fail 'the whole report is empty'
    for n in ${WARPSEQ_PART_COUNTS:-$(thorough && echo 1 2 7 || echo 3)}; do in_parts $n "$@"; done
}
both='-d first.wsdb -d second.wsdb'
same_in_parts sw -q few.fa $both --outfmt '10 std stitle' --header --max-hits 3
same_in_parts sw -q few.fa $both --comp-stats 2 --outfmt json
same_in_parts sw -q many.fa -d first.wsdb --evalue 1000
same_in_parts hmm -q few.fa $both
same_in_parts hmm -q few.fa -d first.wsdb --max --noali -E 1000
for mode in 0 1 2 3; do same_in_parts blastp -q few.fa $both --comp-stats $mode --outfmt 6 --evalue 100; done
same_in_parts blastp -q many.fa -d first.fa --max_target_seqs 2 --outfmt 6
same_in_parts blastp -q few.fa -d first.wsdb --outfmt 15
# There are more parts than blocks, so most shares are empty.
runs 0 search sw -q few.fa $both --outfmt 6 --quiet
cp .out whole
in_parts $(thorough && echo 64 || echo 50) sw -q few.fa $both --outfmt 6
# Each part is an open file. There are more parts than the soft limit of open files allows, and then
# more than the hard limit.
last_command='search merge with few open files'
(ulimit -S -n 40 && exec "$programs/search" merge parts --quiet) >.out 2>.err || fail 'an error'
same .out whole
(ulimit -n 40 && exec "$programs/search" merge parts --quiet) >.out 2>.err && fail 'no error'
warns 'Too many open files'
prints_nothing

# A set from which a sequence was removed is a different database.
runs 0 dbconv --append set.wsdbs db.fa --quiet
rm -rf parts
part 0 2 parts sw -q few.fa -d set.wsdbs --outfmt 6
sed -n '1s/^>\([^ ]*\).*/\1/p' db.fa >first-name
runs 0 dbconv --remove first-name set.wsdbs --quiet
part 1 2 parts sw -q few.fa -d set.wsdbs --outfmt 6
runs 1 search merge parts --quiet
warns 'are parts of different searches'

# A database that is stored differently is a different one, too, because shares are cut where it can
# be cut. Once all parts are made again, there is a report. For the merge, it does not matter how
# the database is stored.
search_sw='sw -q few.fa -d stored.wsdb --outfmt 6'
runs 0 dbconv first.fa -o stored.wsdb --quiet
runs 0 search $search_sw --quiet
cp .out whole
rm -rf parts
part 0 2 parts $search_sw
runs 0 dbconv first.fa -o stored.wsdb --codec zstd --force --quiet
part 1 2 parts $search_sw
runs 1 search merge parts --quiet
warns 'are parts of different searches'
warns 'the storage of the databases (dbconv --codec)'
prints_nothing
part 0 2 parts $search_sw
runs 0 search merge parts --quiet
same .out whole
runs 0 dbconv first.fa -o stored.wsdb --force --quiet
runs 0 search merge parts --quiet
same .out whole
# The same holds for FASTA if a copy that is stored differently appears beside it.
cp first.fa beside.fa
rm -rf parts
part 0 2 parts blastp -q few.fa -d beside.fa --outfmt 6
runs 0 dbconv beside.fa -o beside.fa.wsdb --codec zstd --quiet
part 1 2 parts blastp -q few.fa -d beside.fa --outfmt 6
runs 1 search merge parts --quiet
warns 'are parts of different searches'
prints_nothing
# The same sequences in another order. Hits with equal scores are reported in this order.
awk '/^>/ {++n} n == 1 {first = first $0 "\n"; next} 1; END {printf "%s", first}' first.fa >turned.fa
rm -rf parts
runs 0 dbconv first.fa -o stored.wsdb --force --quiet
part 0 2 parts $search_sw
runs 0 dbconv turned.fa -o stored.wsdb --force --quiet
part 1 2 parts $search_sw
runs 1 search merge parts --quiet
warns 'are parts of different searches'

# The same content with other taxa. Searches that are restricted to taxa are different ones then,
# and other searches are not.
awk '/^>/ {sub(/^>/, ""); print $1, 9606 + 484 * (n++ % 2)}' first.fa >taxa
awk '{print $1, $2 == 9606 ? 10090 : 9606}' taxa >other-taxa
for restricted in '' '--taxids 9606'; do
    rm -rf parts
    runs 0 dbconv first.fa -o stored.wsdb --taxid-map taxa --force --quiet
    part 0 2 parts $search_sw $restricted
    runs 0 dbconv first.fa -o stored.wsdb --taxid-map other-taxa --force --quiet
    part 1 2 parts $search_sw $restricted
    if [ -z "$restricted" ]; then
        runs 0 search merge parts --quiet
        same .out whole
    else
        runs 1 search merge parts --quiet
        warns 'are parts of different searches'
        prints_nothing
    fi
done

# The number of threads that search a part makes no difference, under either name of the option.
rm -rf parts
runs 0 search blastp -q few.fa -d first.wsdb --outfmt 6 --quiet
cp .out whole
part 0 3 parts blastp -q few.fa -d first.wsdb --outfmt 6 --num_threads 1
part 1 3 parts blastp -q few.fa -d first.wsdb --outfmt 6 --num_threads 2
part 2 3 parts blastp -q few.fa -d first.wsdb --outfmt 6 --threads 2
runs 0 search merge parts --quiet
same .out whole

# Pairs are searched in pieces of some milliseconds of work each. All against all gives about ten
# pieces, and --pairs gives three.
awk '/^>/ {if (residues > 12000) exit} {if (/^>/) {print; next} residues += length; print}' db.fa >some.fa
awk "$random_awk"'BEGIN {start_random(2); for (n = 0; n < 14; ++n) {s = ""; for (i = 0; i < 300 + 40 * n; ++i) s = s substr("ACGT", int(random() * 4) + 1, 1)
    print ">d" n "\n" s "\n>e" n "\n" substr(s, 150) substr(s, 1, 140)}}' >dna.fa
awk 'BEGIN {for (n = 0; n < 14; ++n) for (m = n; m < 14; ++m) print "d" n, "e" m}' >list
same_in_parts pair some.fa some.fa --all-pairs --local --outfmt 6
WARPSEQ_PART_COUNTS="3 $(thorough && echo 64)" same_in_parts pair dna.fa dna.fa --all-pairs --all-local --strand both --outfmt '7 std sstrand cigar'
in_two() { WARPSEQ_PART_COUNTS=2 same_in_parts "$@"; }
in_two pair some.fa few.fa --all-pairs
in_two pair some.fa some.fa --all-pairs --score-only --outfmt json --semiglobal
in_two pair dna.fa dna.fa --all-pairs --strand both --semiglobal --free-ends query-begin,target-end --outfmt json
for format in 10 paf; do in_two pair dna.fa dna.fa --pairs list --strand minus --outfmt $format; done
in_two pair dna.fa dna.fa --pairs list --local --strand both --outfmt sam --match 3
# The dot plot is an output like others. Parts may be aligned with other memory and threads.
align='pair dna.fa dna.fa --pairs list --local'
runs 0 search $align --quiet --dotplot whole.svg
cp .out whole
rm -rf parts
part 0 2 parts $align --threads 1 --memory 1M --dotplot unused.svg
absent unused.svg
runs 0 search $align --part 0/2 --work-dir parts
warns 'this part has been searched already'
runs 1 search merge parts -o report --dotplot merged.svg
warns 'part 1 of 2 is missing or damaged'
absent report
absent merged.svg
part 1 2 parts $align --cpu-backend portable --threads 2
runs 0 search merge parts --dotplot merged.svg --quiet
same .out whole
same merged.svg whole.svg
file=$(echo parts/*.1-of-2.wspart)
runs 2 search merge parts --dotplot "$file"
warns 'the folder of parts'
printf 'x' | dd of="$(echo parts/*.0-of-2.wspart)" bs=1 seek=300 conv=notrunc 2>/dev/null
runs 1 search merge parts
warns 'part 0 of 2 is missing or damaged'
part 0 2 parts $align
runs 0 search merge parts --quiet
same .out whole
cp list list.kept
echo 'd0 d1' >>list
runs 1 search merge parts
warns 'changed after these parts were searched'
mv list.kept list
# The file of scores is another one with the same name.
{ echo '   A C G T'; for base in A C G T; do echo "$base $(for other in A C G T; do [ $base = $other ] && echo 4 || echo -3; done | tr '\n' ' ')"; done; } >bases
rm -rf parts
for k in 0 1; do part $k 2 parts $align --matrix bases; done
runs 0 search $align --matrix bases --quiet
cp .out whole
runs 0 search merge parts --quiet
same .out whole
sed -i 's/4/5/g' bases
runs 1 search merge parts
warns 'changed after these parts were searched'
# These searches cannot be divided into parts.
rm -rf parts
for single in '' '--checkpoint kept' '--dotplot plot.svg'; do
    runs 2 search pair some.fa few.fa $single --part 0/2 --work-dir parts
    warns 'one pair of sequences cannot be divided'
    absent kept
done
runs 2 search $align --part 2/2 --work-dir parts
warns 'expected K/N'
runs 2 search $align --part 0/2
warns 'have to be given together'
runs 2 search $align --work-dir parts
warns 'have to be given together'
runs 2 search pair - dna.fa --all-pairs --part 0/2 --work-dir parts
warns 'standard input'
absent parts

# Other outputs, and parts that are searched as on different machines.
runs 0 search hmm -q few.fa -d first.wsdb --quiet --tblout whole.tbl --domtblout whole.dom -A whole.sto
cp .out whole
rm -rf parts
part 1 2 parts hmm -q few.fa -d first.wsdb --threads 1 --cpu-backend portable --tblout unused
part 0 2 parts hmm -q few.fa -d first.wsdb --threads 2
absent unused
runs 0 search merge parts --tblout merged.tbl --domtblout merged.dom -A merged.sto -o merged.txt
for ending in tbl dom; do
    last_command="merge, $ending"
    diff -I '^#' whole.$ending merged.$ending >/dev/null || fail "$ending differs"
done
same whole.sto merged.sto
diff -I '^# ' whole merged.txt >/dev/null || fail 'the report differs'

# A part that is there is not searched again. A damaged one is.
search_sw='sw -q few.fa -d first.wsdb --outfmt 6'
runs 0 search $search_sw --quiet
cp .out whole
rm -rf parts
for k in 0 1 2; do part $k 3 parts $search_sw; done
file=$(echo parts/*.1-of-3.wspart)
before=$(stat -c '%i %y' "$file")
runs 0 search $search_sw --part 1/3 --work-dir parts
warns 'this part has been searched already'
[ "$before" = "$(stat -c '%i %y' "$file")" ] || fail 'the part was written again'
cp "$file" sound
printf 'x' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
runs 1 search merge parts -o report
warns 'part 1 of 3 is missing or damaged'
absent report
part 1 3 parts $search_sw
same "$file" sound
rm "$file" parts/*.2-of-3.wspart
runs 1 search merge parts
warns 'parts 1 and 2 of 3 are missing or damaged'
prints_nothing
for k in 1 2; do part $k 3 parts $search_sw; done
runs 0 search merge parts
same .out whole
runs 2 search merge parts -o "$file"
warns 'the folder of parts'
runs 0 search merge parts
same .out whole

# Parts of other searches.
part 0 3 parts $search_sw --evalue 1
runs 1 search merge parts
warns 'are parts of different searches'
rm -rf parts
for k in 0 1; do part $k 2 parts $search_sw; done
runs 2 search merge parts --device nothing
runs 2 search merge parts --evalue 1
cp few.fa kept.fa
sed 's/^>/>x/' kept.fa >few.fa
runs 1 search merge parts
warns 'changed after these parts were searched'
cp kept.fa few.fa
runs 0 search merge parts
same .out whole
runs 1 search merge first.wsdb
runs 1 search merge absent
runs 2 search merge
mkdir nothing
runs 1 search merge nothing
warns 'holds no part of a search'

# Mistakes.
for wrong in 3/3 -1/3 a/3 1 1/ /3 0/0 0/1000001; do
    runs 2 search $search_sw --part=$wrong --work-dir parts
    warns 'expected K/N'
done
runs 2 search $search_sw --part 0/2
warns 'have to be given together'
runs 2 search $search_sw --work-dir parts
runs 2 search sw -q - -d first.wsdb --part 0/2 --work-dir parts
warns 'standard input'
runs 2 search hmm -q few.fa -d first.wsdb --seed 0 --part 0/2 --work-dir parts
warns '--seed 0'

# Parts are killed at any moment and begun again, several at once.
search_blastp='blastp -q many.fa -d first.wsdb --outfmt 6 --evalue 100'
runs 0 search $search_blastp --quiet
cp .out whole
rm -rf parts
for i in $(seq "$kills"); do
    for k in 0 1 0 1; do
        "$programs/search" $search_blastp --quiet --part $k/2 --work-dir parts >killed.out 2>killed.err </dev/null &
    done
    sleep "$(awk -v i="$i" "$random_awk"'BEGIN { start_random(i); print random() * 0.4 }')"
    kill -KILL $(jobs -p) 2>/dev/null
    wait 2>/dev/null
    present=$(find parts -name '*.wspart' 2>/dev/null | wc -l)
    if [ "$present" -eq 2 ]; then
        runs 0 search merge parts
        same .out whole
    elif [ "$present" -eq 1 ]; then
        runs 1 search merge parts
        [ -e parts/*.0-of-2.wspart ] && missing=1 || missing=0
        warns "part $missing of 2 is missing or damaged"
    fi
    rm -f parts/*.$((i % 2))-of-2.wspart
done
for k in 0 1; do part $k 2 parts $search_blastp; done
runs 0 search merge parts
same .out whole
