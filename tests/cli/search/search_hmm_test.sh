#!/usr/bin/env bash
# `search hmm` takes profiles and sequences as queries, writes reports and tables, applies
# thresholds and refuses mistakes. Every thread count, chunk size, codec and back end gives the same
# files.
. "$(dirname "$0")/../../support/checks.sh"
golden=$(cd "$(dirname "$0")/../../golden/hmm" && pwd)
cd "$work" || exit 1

hbb=VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH
hba=VLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR
myg=GLSDGEWQLVLNVWGKVEADIPGHGQEVLIRLFKGHPETLEKFDKFKHLKSEDEMKASEDLKKHGATVLTALGGILKKKGHHEAEIKPLAQSHATKHKIPVKYLEFISECIIQVLQSKHPGDFGADAQGAMNKALELFRKDMASNYKELGFQG
printf '>hba hemoglobin alpha\n%s\n>void nothing\n>myg myoglobin\n%s\n>hbb hemoglobin beta\n%s\n>twice beta, twice\n%s%s\n' \
    "$hba" "$myg" "$hbb" "$hbb" "$hbb" >db.fa
printf '>query beta\n%s\n>empty\n>other alpha\n%s\n' "$hbb" "$hba" >q.fa
awk "$random_awk"'BEGIN { start_random(7); s = "ACDEFGHIKLMNPQRSTVWY"; for (n = 1; n <= 400; ++n) { printf ">r%d\n", n;
             for (i = int(random() * n * 2); i > 0; --i) printf "%s", substr(s, 1 + int(random() * 20), 1); print "" } }' >random.fa
runs 0 dbconv db.fa random.fa -o db.wsdb --quiet

# A sequence as a query, as with phmmer. The report has relatives in order, domains, alignments and
# the summary, and names no time.
runs 0 search hmm -q q.fa -d db.wsdb --tblout t.tbl --domtblout d.tbl --pfamtblout p.tbl -A a.sto
warns 'queries without residues, left out'
says 'Query:       query  [L=146]'
says '>> twice  beta, twice'
says 'Scores for complete sequences (score includes all domains):'
says '  == domain 2  score: '
says 'Target sequences:                        405'
says 'Initial search space (Z):                405  [actual number of targets]'
says '[ok]'
holds 'the report names no time' bash -c '! grep -qiE "cpu time|elapsed|202[0-9]" .out'
[ "$(grep -v '^#' t.tbl | awk '$3 == "query" {printf "%s ", $1}')" = 'twice hbb hba myg ' ] || fail 'the hits are not twice hbb hba myg'
[ "$(grep -v '^#' d.tbl | awk '$4 == "query" && $1 == "twice"' | wc -l)" = 2 ] || fail 'twice does not have two domains'
[ "$(tail -1 t.tbl)" = '# [ok]' ] || fail 'the table does not end on # [ok]'
holds 'the alignment is in Stockholm format' grep -q '^# STOCKHOLM 1.0' a.sto

# Queries without information are left out, whatever else is in the file, and a message says so.
printf '>none\nXXX\n' >none.fa
{ cat none.fa q.fa; printf '>last\nX\n'; } >some.fa
runs 0 search hmm -q some.fa -d db.wsdb --tblout some.tbl -o /dev/null
warns '2 queries without information (all X?), left out'
holds 'the other queries have their hits' cmp -s <(grep -v '^#' t.tbl) <(grep -v '^#' some.tbl)
runs 0 search hmm -q none.fa -d db.wsdb --quiet
says '[ok]'

# Tables and JSON have the names of fields that other engines have. There is a row for each domain,
# with the figures of the domain table.
runs 0 search hmm -q q.fa -d db.wsdb --quiet --outfmt '6 qseqid sseqid qstart qend sstart send pident length domain domains'
[ "$(head -3 .out | tr '\t' ' ')" = 'query twice 1 146 1 146 100.000 146 1 2
query twice 1 146 147 292 100.000 146 2 2
query hbb 1 146 1 146 100.000 146 1 1' ] || fail 'the first rows are not twice, twice, hbb'
runs 0 search hmm -q q.fa -d db.wsdb --quiet --domtblout rows.tbl \
    --outfmt '6 sseqid hmmacc slen qseqid hmmacc qlen seqevalue seqscore seqbias domain domains cevalue bias qstart qend sstart send envstart envend accuracy'
grep -v '^#' rows.tbl | awk '{print $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $15, $16, $17, $18, $19, $20, $21, $22}' >expected.txt
tr '\t' ' ' <.out >found.txt
same expected.txt found.txt
runs 0 search hmm -q q.fa -d db.wsdb --quiet --outfmt 7
says '# warpseq search hmm '
says '# Query: query beta'
says '# Fields: query acc.ver, subject acc.ver, % identity'
says '# warpseq processed 2 queries'
runs 0 search hmm -q q.fa -d db.wsdb --quiet --outfmt 6 -E 1e-300
prints_nothing
runs 0 search hmm -q q.fa -d db.wsdb --quiet --outfmt json -o hits.json -A json.sto --tblout json.tbl
prints_nothing
same a.sto json.sto
holds 'tables are the same with any report' cmp -s <(grep -v '^# Option' t.tbl) <(grep -v '^# Option' json.tbl)
if command -v python3 >/dev/null; then
    python3 -c 'import json; run = json.load(open("hits.json")); hit = run["queries"][0]["hits"][0]
assert hit["id"] == "twice" and [each["alignment"]["cigar"] for each in hit["domains"]] == ["146M"] * 2, hit
assert run["parameters"]["queries"] == "sequences" and len(run["queries"]) == 2' || fail 'the JSON does not parse, or has other content'
else
    skipped 'JSON: no python3 here to read it'
fi
runs 0 search hmm -q none.fa -d db.wsdb --quiet --outfmt json
says '"queries":['

# A profile as a query. Its fields are shown, and thresholds and its own cutoffs apply.
runs 0 search hmm -q "$golden/every-field-3f.hmm" -d db.wsdb --max -E 1000 --quiet
silent
says 'Query:       Every_field  [M=11]'
says 'Accession:   PF99999.7'
runs 0 search hmm -q "$golden/every-field-3f.hmm" -d db.wsdb --cut_ga --quiet
says '[No hits detected that satisfy reporting thresholds]'
runs 0 search hmm -q q.fa -d db.wsdb --quiet -E 1e-30 --noali
holds 'without alignments' bash -c '! grep -q "== domain" .out'

# A compressed profile gives the same as the plain one.
runs 0 search hmm -q "$golden/every-field-3f.hmm" -d db.wsdb --max -E 1000 --quiet --noali
grep -v '^# query HMM' .out >plain.txt
gzip -c "$golden/every-field-3f.hmm" >zipped.hmm.gz
runs 0 search hmm -q zipped.hmm.gz -d db.wsdb --max -E 1000 --quiet --noali
grep -v '^# query HMM' .out >zipped.txt
same plain.txt zipped.txt

# Errors in files give exit status 1, and errors of the command line 2. No output is left behind.
runs 2 search hmm -q q.fa -d db.wsdb -E 1 -T 20
runs 2 search hmm -q q.fa -d db.wsdb -E 0
runs 2 search hmm -q q.fa
runs 2 search hmm -q q.fa -d db.wsdb --outfmt '6 nonsense'
warns 'cevalue'
runs 1 search hmm -q q.fa -d db.wsdb --cut_ga --tblout none.tbl
absent none.tbl
runs 1 search hmm -q missing.hmm -d db.wsdb --tblout none.tbl
absent none.tbl
head -c 1500 "$golden/every-field-3f.hmm" >cut.hmm
runs 1 search hmm -q cut.hmm -d db.wsdb -o none.txt --quiet
warns 'cut.hmm: line '
absent none.txt

# Options of sequence queries with profiles, and a profile that nothing can align to, are refused.
runs 2 search hmm -q "$golden/every-field-3f.hmm" -d db.wsdb --mx PAM30
awk '/COMPO/ {n = NR} n && (NR - n) % 3 == 2 && !/^\/\// {print "  * * * * * * *"; next} {print}' "$golden/every-field-3f.hmm" >shut.hmm
runs 1 search hmm -q shut.hmm -d db.wsdb -o none.txt
warns 'lead to no match state'
absent none.txt

# A GPU that is asked for by name has to be there. With `auto`, the CPU serves instead.
gpu=no
has_gpu q.fa db.wsdb && gpu=yes
if [ $gpu = yes ]; then
    skipped 'a missing GPU: there is one here'
else
    runs 1 search hmm -q q.fa -d db.wsdb --device cuda --tblout none.tbl
    holds 'the message says what is missing' grep -qE 'GPU|CUDA' .err
    prints_nothing
    absent none.tbl
fi
runs 2 search hmm -q q.fa -d db.wsdb --device cuda:x
runs 0 search hmm -q q.fa -d db.wsdb --device auto --quiet
silent

# The output is the same, byte for byte, whatever computes it.
runs 0 dbconv db.fa random.fa -o zstd.wsdb --codec zstd --quiet
cat "$golden"/every-field-3[a-f].hmm >many.hmm
for query in q.fa many.hmm; do
    settings='-E 1000 --domE 1000 --F1 0.3 --F2 0.3 --F3 0.1'
    runs 0 search hmm -q $query -d db.wsdb --quiet $settings --cpu-backend reference --domtblout reference.tbl
    grep -v '^# per-dom hits' .out >reference.txt
    for how in '--threads 1' '--threads 3' '--chunk-size 4K' '--cpu-backend portable' '--cpu-backend auto'; do
        runs 0 search hmm -q $query -d db.wsdb --quiet $settings $how --domtblout this.tbl
        grep -v '^# per-dom hits' .out >this.txt
        same reference.txt this.txt
        holds "the domain table with $how" cmp -s <(grep -v '^# Option' reference.tbl) <(grep -v '^# Option' this.tbl)
    done
    if [ $gpu = yes ]; then
        for how in '' '--device-memory 2M' '--nobias' '--nonull2' '-Z 1000' '--F1 1 --F2 1 --F3 1' '--F1 0' '--F2 -1' '--max' '--max -Z 99' '--max -T 5'; do
            [ "$how" = '--max -T 5' ] && settings='' || settings='-E 1000'
            runs 0 search hmm -q $query -d db.wsdb --quiet $settings --device cpu ${how/--device-memory 2M/} --domtblout cpu.tbl
            grep -v '^# per-dom hits' .out >cpu.txt
            runs 0 search hmm -q $query -d db.wsdb --quiet $settings --device cuda $how --domtblout gpu.tbl
            grep -v '^# per-dom hits' .out >gpu.txt
            same cpu.txt gpu.txt
            holds "the domain table on a GPU $how" cmp -s <(grep -v '^# Option' cpu.tbl) <(grep -v '^# Option' gpu.tbl)
        done
        settings='-E 1000 --domE 1000 --F1 0.3 --F2 0.3 --F3 0.1'
    else
        skipped 'a GPU'
    fi
    runs 0 search hmm -q $query -d zstd.wsdb --quiet $settings
    holds 'the report of a compressed database' cmp -s <(grep -v '^# target seq' .out) <(grep -v '^# target seq' reference.txt)
done
echo 'search hmm: all as expected'

# The alignment has the same rows in other formats.
runs 0 search hmm -q q.fa -d db.wsdb --quiet -o /dev/null -A a.sto
rows=$(grep -c '^#=GR.*PP' a.sto)
for format in A3M afa; do
    runs 0 search hmm -q q.fa -d db.wsdb --quiet -o /dev/null -A a.$format --aformat $format
    [ "$rows" -gt 0 ] && [ "$(grep -c '>' a.$format)" -eq "$rows" ] || fail "$format has other rows than Stockholm"
done
runs 2 search hmm -q q.fa -d db.wsdb --aformat a3m
warns '-A FILE'
runs 2 search hmm -q q.fa -d db.wsdb -A a.x --aformat fasta

# A target of nothing but stops. Forward's score leaves the range of floats, at which HMMER ends.
printf '>stops\n**********\n>other\nMKVLAAGIVGLCAKAYLE\n' >stops.fa
runs 0 search hmm -q some.fa -d stops.fa --max -o stops.txt
warns 'out of the range of single precision; sequences with such scores are not hits'
runs 0 search hmm -q some.fa -d stops.fa -o stops.txt
if grep -q 'range of single precision' .err; then fail "it warns of targets that did not reach Forward"; fi
