#!/usr/bin/env bash
# dbconv stores taxa of sequences, from lists of accessions and NCBI's taxdump, and passes them on
# to other databases. The tables of all engines show them, and lists of taxonomy IDs select
# sequences.
. "$(dirname "$0")/../../support/checks.sh"
golden=$(cd "$(dirname "$0")/../../golden" && pwd)
cd "$work" || exit 1

# Sequences of a family that the query finds, some with several definition lines.
awk "$random_awk"'BEGIN { start_random(4); letters = "ACDEFGHIKLMNPQRSTVWY"; split("9606 10090 562 83333 63221 11320 777 0", taxa)
    for (i = 0; i < 120; ++i) family = family substr(letters, 1 + int(random() * 20), 1)
    print ">q" > "q.fa"; print family > "q.fa"
    for (n = 1; n <= 90; ++n) {
        header = ""; lines = n % 5 == 0 ? 3 : 1
        for (k = 1; k <= lines; ++k) {
            header = header (k > 1 ? "\001" : "") "NP_" 1000 + n "0" k ".1 protein " n
            taxid = taxa[1 + (n + k) % 8]
            if (taxid) print "NP_" 1000 + n "0" k ".1\t" taxid > "map"
            print "NP_" 1000 + n "0" k ".1\t" taxid > "expected"
        }
        text = family; for (i = 1; i <= 120; ++i) if (random() < 0.3) text = substr(text, 1, i - 1) substr(letters, 1 + int(random() * 20), 1) substr(text, i + 1)
        print ">" header "\n" text > "db.fa"
    } }' </dev/null
taxids_of() { # DATABASE FILE: writes a table of identifiers and taxonomy IDs, with a list for merged sequences
    "$programs/search" sw -q q.fa -d "$1" --quiet --max-hits 0 --evalue 1e9 --outfmt '6 sseqid staxid staxids' | sort >"$2"
}
runs 0 dbconv db.fa --taxid-map map --taxonomy "$golden/taxdump" -o db.wsdb
says '7 taxa, names of 6'
warns 'definition lines are of no known taxon'
runs 0 inspect validate db.wsdb
runs 0 inspect info db.wsdb
says TAXIDS
says TAXONOMY
# inspect info prints nothing if a section that it reports on is damaged.
place=$(awk '$1 == "TAXONOMY" { print $2 + $3 - 1 }' .out)
cp db.wsdb bad.wsdb
printf '\f' | dd of=bad.wsdb bs=1 seek="$place" conv=notrunc status=none
for format in '' --json; do
    # shellcheck disable=SC2086
    runs 1 inspect info bad.wsdb $format
    prints_nothing
    warns 'bad.wsdb: byte '
    warns ': section TAXONOMY is damaged: expected checksum'
done
rm bad.wsdb
taxids_of db.wsdb taxids
[[ $(wc -l <taxids) == 90 ]] || fail 'not all sequences are found'

# A compressed list with NCBI's four columns, in another order and with other accessions between,
# gives the same taxa with any number of threads.
{ printf 'accession\taccession.version\ttaxid\tgi\n'; tac map | awk '{ split($1, name, "."); print name[1] "\t" $1 "\t" $2 "\t0"; print "XP_" 100000 + NR "\tXP_" 100000 + NR ".1\t9\t0" }'; } | gzip >map.gz
for threads in 1 3; do
    runs 0 dbconv db.fa --taxid-map map.gz --taxonomy "$golden/taxdump" -o other$threads.wsdb --threads $threads --quiet
    taxids_of other$threads.wsdb .taxids; same .taxids taxids
done
same other1.wsdb other3.wsdb
# The later one of two lists counts. A list without any of the accessions gives no taxa.
grep -v '9606$' map >without
{ grep '9606$' map; grep '562$' map | sed 's/562$/1/'; } >rest
runs 0 dbconv db.fa --taxid-map rest --taxid-map without --taxonomy "$golden/taxdump" -o two.wsdb --quiet
taxids_of two.wsdb .taxids; same .taxids taxids
runs 0 dbconv db.fa -o plain.wsdb --quiet
printf 'absent\t5\n' >absent.map
runs 0 dbconv db.fa --taxid-map absent.map -o none.wsdb
warns 'no definition line has an identifier of the taxonomy map'
runs 0 inspect info none.wsdb
! grep -q TAXIDS .out || fail 'there is an empty section'
# Databases that are made from a database with taxa have the same taxa.
runs 0 dbconv db.wsdb --codec zstd -o again.wsdb --quiet
taxids_of again.wsdb .taxids; same .taxids taxids
runs 0 dbconv db.wsdb db.wsdb --unique -o unique.wsdb --quiet
taxids_of unique.wsdb .taxids; same .taxids taxids
runs 0 dbconv db.wsdb --parts 3 -o part.wsdb --quiet
for part in 1 2 3; do taxids_of part.part${part}of3.wsdb .taxids$part; done
cat .taxids? | sort >.taxids; same .taxids taxids
head -60 db.fa >first.fa
tail -n +61 db.fa >last.fa
runs 0 dbconv --append set.wsdbs first.fa --taxid-map map --taxonomy "$golden/taxdump" --quiet
runs 0 dbconv --append set.wsdbs last.fa --taxid-map map --taxonomy "$golden/taxdump" --quiet
taxids_of set.wsdbs .taxids; same .taxids taxids
runs 0 dbconv --compact set.wsdbs --quiet
taxids_of set.wsdbs .taxids; same .taxids taxids
# A selection by taxa works if some volumes of a set have no taxa, and fails if none has any.
runs 0 dbconv --append some.wsdbs first.fa --taxid-map map --taxonomy "$golden/taxdump" --quiet
runs 0 dbconv --append some.wsdbs last.fa --quiet
runs 0 dbconv first.fa --taxid-map map --taxonomy "$golden/taxdump" -o first.wsdb --quiet
runs 0 dbconv first.wsdb --taxids 9606 -o first-9606.wsdb --quiet
runs 0 dbconv some.wsdbs --taxids 9606 -o some-9606.wsdb --quiet
runs 0 inspect compare first-9606.wsdb some-9606.wsdb
runs 0 dbconv --append none.wsdbs last.fa --quiet
runs 1 dbconv none.wsdbs --taxids 9606 -o x.wsdb --quiet
warns 'has no taxonomy IDs'
# A first conversion has only the list, and a second one adds the names.
runs 0 dbconv db.fa --taxid-map map -o unnamed.wsdb --quiet
runs 0 dbconv unnamed.wsdb --taxonomy "$golden/taxdump" -o named.wsdb --quiet
runs 0 search sw -q q.fa -d db.wsdb --quiet --outfmt '6 sseqid sscinames scomnames sblastnames sskingdoms ssciname scomname sblastname sskingdom'
mv .out names
grep -q 'Homo sapiens;Homo sapiens neanderthalensis' names || grep -q 'house mouse' names || fail 'no names'
runs 0 search sw -q q.fa -d named.wsdb --quiet --outfmt '6 sseqid sscinames scomnames sblastnames sskingdoms ssciname scomname sblastname sskingdom'
same .out names
runs 0 search sw -q q.fa -d unnamed.wsdb --quiet --outfmt '6 sscinames'
[[ $(sort -u .out | head -1) == 'N/A' ]] || fail 'there are names without a taxdump'

# All engines report the same taxa for the same target.
fields='sseqid staxid staxids ssciname sscinames scomname scomnames sblastname sblastnames sskingdom sskingdoms'
runs 0 search sw -q q.fa -d db.wsdb --quiet --max-hits 0 --evalue 1000 --outfmt "6 $fields"
sort -u .out >sw
grep -q 'Escherichia coli	Escherichia coli	enterobacteria	enterobacteria	Bacteria	Bacteria' sw || fail 'names of Escherichia coli'
for engine in 'hmm -E 1000' 'blastp --evalue 1000 --max_target_seqs 500'; do
    runs 0 search $engine -q q.fa -d db.wsdb --quiet --outfmt "6 $fields"
    sort -u .out >of_engine
    [[ -s of_engine ]] || fail "$engine finds nothing"
    [[ -z $(comm -13 sw of_engine) ]] || { comm -13 sw of_engine | head -3; fail "$engine reports other taxa"; }
done
runs 0 search blastp -q q.fa -d db.wsdb --quiet --outfmt 15
says '"sciname": "Homo sapiens"'
runs 0 search blastp -q q.fa -d plain.wsdb --quiet --outfmt '6 staxid staxids sscinames sskingdoms'
[[ $(sort -u .out) == $'N/A\t0\tN/A\tN/A' ]] || fail 'there are taxa without a list'
runs 0 search sw -q q.fa -d db.wsdb --quiet --max-hits 0 --evalue 1000 --outfmt "7 $fields"
says '# Fields: subject id, subject tax id, subject tax ids, subject sci name'

# Searches restricted to taxa include all taxa below them. The results are those of a database that
# has only these sequences.
by_taxa() { # TAXIDS AS A PATTERN, OPTION...
    local pattern=$1
    shift
    awk -v pattern="^($pattern)\$" 'NR == FNR { if ($2 ~ pattern) is[$1] = 1; next }
        /^>/ { keep = 0; n = split(substr($0, 2), lines, "\001"); for (k = 1; k <= n; ++k) { split(lines[k], words, " "); if (words[1] in is) keep = 1 } } keep' expected db.fa >some.fa
    [[ -s some.fa ]] || fail "no sequence has the taxa $pattern"
    runs 0 dbconv some.fa -o some.wsdb --force --quiet
    local report
    for report in 'sw --outfmt 6' 'hmm --outfmt 6'; do
        runs 0 search $report -q q.fa -d some.wsdb --quiet
        mv .out wanted
        runs 0 search $report -q q.fa -d db.wsdb --quiet "$@"
        same .out wanted
    done
}
by_taxa '9606|63221' --taxids 9606
by_taxa '9606|63221|10090' --taxids 2759
by_taxa '562|83333|777' --taxids 543,777
by_taxa '10090|11320|777|0' --negative-taxids 9606,2
printf '11320\n2\n' >list
by_taxa '562|83333|11320' --taxidlist list
runs 1 search sw -q q.fa -d db.wsdb --quiet --taxids 4711
warns 'no sequence of the databases has one of these taxonomy IDs'
# Without a taxonomy tree, an ID selects only sequences with this very ID.
runs 1 search sw -q q.fa -d unnamed.wsdb --quiet --taxids 2759
runs 0 search blastp -q q.fa -d unnamed.wsdb --quiet --taxids 562 --outfmt '6 staxids'
[[ -s .out && $(tr ';' '\n' <.out | sort -u) == 562 ]] || fail 'definition lines of other taxa are shown'

# dbconv extracts the sequences of taxa.
runs 0 dbconv db.wsdb --taxids 9606,543 -o extracted.wsdb --quiet
by_taxa '9606|63221|562|83333' --taxids 9606,543
runs 0 inspect fasta extracted.wsdb --width 0
same .out some.fa
runs 1 dbconv plain.wsdb --taxids 9606 -o x.wsdb --quiet
warns 'has no taxonomy IDs'
runs 1 dbconv db.fa --taxids 9606 -o x.wsdb --quiet
warns 'is FASTA, which has no taxonomy IDs'
runs 1 dbconv missing.wsdb --taxids 9606 -o x.wsdb --quiet
warns 'missing.wsdb: cannot be opened'
runs 2 dbconv db.wsdb --taxids human -o x.wsdb --quiet
runs 1 dbconv db.wsdb --taxids 4711 -o x.wsdb --quiet
[[ ! -e x.wsdb ]] || fail 'there is an output without sequences'

# These files are neither a list nor a dump.
printf 'NP_1\t9606\nNP_2\n' >cut.map
runs 1 dbconv db.fa --taxid-map cut.map -o x.wsdb --quiet
warns 'cut.map: line 2: expected an accession and a taxonomy ID'
gzip -c map | head -c 100 >cut.gz
runs 1 dbconv db.fa --taxid-map cut.gz -o x.wsdb --quiet
warns cut.gz
runs 1 dbconv db.fa --taxid-map absent -o x.wsdb --quiet
warns absent
mkdir empty
runs 1 dbconv db.fa --taxonomy empty -o x.wsdb --quiet
warns empty/nodes.dmp
runs 2 dbconv db.fa --taxid-map map -o map --force --quiet
warns 'map'
[[ ! -e x.wsdb && $(head -c 3 map) == NP_ ]] || fail 'an input was replaced'

# Damage in these sections stops only programs that read them.
for section in TAXIDS TAXONOMY; do
    offset=$("$programs/inspect" info db.wsdb | awk -v name=$section '$1 == name { print $2 }')
    cp db.wsdb damaged.wsdb
    printf '\377' | dd of=damaged.wsdb bs=1 seek=$((offset + 20)) conv=notrunc status=none
    runs 1 inspect validate damaged.wsdb
    warns $section
    runs 1 search sw -q q.fa -d damaged.wsdb --quiet --outfmt '6 sseqid staxid ssciname'
    warns "$section"
    prints_nothing
    runs 1 search blastp -q q.fa -d damaged.wsdb --quiet --taxids 2
    runs 0 search sw -q q.fa -d damaged.wsdb --quiet --outfmt 6
done
echo passed
