#!/usr/bin/env bash
# `search sw` reports the right hits in all formats and refuses mistakes. Every thread count, chunk
# size, codec and back end gives the same report.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

hbb=VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH
hba=VLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR
myg=GLSDGEWQLVLNVWGKVEADIPGHGQEVLIRLFKGHPETLEKFDKFKHLKSEDEMKASEDLKKHGATVLTALGGILKKKGHHEAEIKPLAQSHATKHKIPVKYLEFISECIIQVLQSKHPGDFGADAQGAMNKALELFRKDMASNYKELGFQG
printf '>hba hemoglobin alpha\n%s\n>void nothing\n>myg myoglobin\n%s\n>hbb hemoglobin beta\n%s\n' "$hba" "$myg" "$hbb" >db.fa
printf '>query beta\n%s\n' "$hbb" >q.fa
# Sequences of many lengths around them, the same on every run.
awk "$random_awk"'BEGIN { start_random(7); s = "ACDEFGHIKLMNPQRSTVWY"; for (n = 1; n <= 150; ++n) { printf ">r%d\n", n;
             for (i = int(random() * n * 3); i > 0; --i) printf "%s", substr(s, 1 + int(random() * 20), 1); print "" } }' >random.fa
runs 0 dbconv db.fa random.fa -o db.wsdb --quiet

# The default report has the query's own sequence first and then its relatives, with BLAST's
# numbers.
runs 0 search sw -q q.fa -d db.wsdb --quiet
silent
says 'Query= query beta'
says '>hbb hemoglobin beta'
says ' Identities = 146/146 (100%)'
says ' Score = 303 bits (775),  Expect = '
says 'Query  1    VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKV  60'

# Tables: fields by name, hits in order.
runs 0 search sw -q q.fa -d db.wsdb --quiet --evalue 1e-5 --outfmt '6 sseqid score pident length qstart qend sstart send'
[ "$(head -1 .out)" = "$(printf 'hbb\t775\t100.000\t146\t1\t146\t1\t146')" ] || fail 'the first row is not hbb itself'
[ "$(cut -f1 .out | tr '\n' ' ')" = 'hbb hba myg ' ] || fail 'the hits are not hbb, hba, myg'
runs 0 search sw -q q.fa -d db.wsdb --quiet --outfmt 7 --max-hits 1
says '# Query: query beta'
says '# Fields: query acc.ver, subject acc.ver, % identity'
says '# 1 hits found'
runs 0 search sw -q q.fa -d db.wsdb --quiet --outfmt 6 --evalue 1e-300
prints_nothing
runs 0 search sw -q q.fa -d db.wsdb --quiet --evalue 1e-300
says '***** No hits found *****'
runs 0 search sw -q q.fa -d db.wsdb --quiet --outfmt json --max-hits 1
says '"id":"hbb"'
says '"cigar":"146M"'
if command -v python3 >/dev/null; then
    python3 -c 'import json,sys; run = json.load(open(".out")); assert run["queries"][0]["hits"][0]["score"] == 775' ||
        fail 'the JSON does not parse, or has another score'
else
    skipped 'JSON: no python3 here to read it'
fi

# A report goes to a file whole, or not at all.
runs 0 search sw -q q.fa -d db.wsdb --quiet -o report.txt
prints_nothing
runs 0 search sw -q q.fa -d db.wsdb --quiet
same .out report.txt
runs 1 search sw -q missing.fa -d db.wsdb -o none.txt --quiet
absent none.txt

# The report is the same, byte for byte, whatever computes it.
runs 0 dbconv db.fa random.fa -o zstd.wsdb --codec zstd --quiet
sed -n '1,60p' random.fa | cat q.fa - >many.fa
runs 0 search sw -q many.fa -d db.wsdb --quiet --evalue 1000 --device cpu --cpu-backend reference
cp .out reference.txt
backends=$("$programs/search" sw -q q.fa -d db.wsdb --cpu-backend nonsense 2>&1 | tr -c 'a-z0-9\n' ' ')
ran=0
for backend in portable sse41 avx2 avx512; do
    case " $backends " in *" $backend "*) ;; *) skipped "$backend: this processor does not run it"; continue ;; esac
    ran=$((ran + 1))
    for variant in '--threads 1' '--threads 3' '--chunk-size 1' '--threads 2 --chunk-size 4K'; do
        runs 0 search sw -q many.fa -d db.wsdb --quiet --evalue 1000 --device cpu --cpu-backend $backend $variant
        same .out reference.txt
    done
    runs 0 search sw -q many.fa -d zstd.wsdb --quiet --evalue 1000 --device cpu --cpu-backend $backend
    holds 'the codec changes nothing but the name of the file' cmp -s <(sed 's/zstd\.wsdb/db.wsdb/' .out) reference.txt
done
[ $ran -ge 1 ] || fail 'no back end ran'

# Two databases are searched as one. The hits are those of their union, and E-values are over the
# residues of both.
runs 0 dbconv db.fa -o a.wsdb --quiet
runs 0 dbconv random.fa -o b.wsdb --quiet
runs 0 search sw -q many.fa -d a.wsdb -d b.wsdb --quiet --outfmt 6 --evalue 1000
cp .out two.txt
runs 0 search sw -q many.fa -d db.wsdb --quiet --outfmt 6 --evalue 1000
same .out two.txt

# Gap costs without statistics are refused, and the message names the known ones. With --evalue inf,
# every hit is reported without an E-value.
runs 2 search sw -q q.fa -d db.wsdb --gap-open 3 --gap-extend 3
warns '11/1'
runs 0 search sw -q q.fa -d db.wsdb --quiet --gap-open 0 --gap-extend 0 --evalue inf --outfmt '6 sseqid score evalue bitscore'
[ "$(head -1 .out)" = "$(printf 'hbb\t775\tN/A\tN/A')" ] || fail 'hbb is not first, without an E-value'
runs 0 search sw -q q.fa -d db.wsdb --quiet --matrix pam30 --max-hits 1
says 'Gap penalties: existence 9, extension 1'
printf '# mine\n   A  R  N  D  C  Q  E  G  H  I  L  K  M  F  P  S  T  W  Y  V\n' >mine.txt
for row in A R N D C Q E G H I L K M F P S T W Y V; do
    printf '%s' $row
    for column in A R N D C Q E G H I L K M F P S T W Y V; do
        [ $row = $column ] && printf '  2' || printf ' -1'
    done
    printf '\n'
done >>mine.txt
runs 0 search sw -q q.fa -d db.wsdb --quiet --matrix mine.txt --evalue inf --outfmt '6 sseqid score' --max-hits 1
[ "$(cat .out)" = "$(printf 'hbb\t292')" ] || fail 'a matrix of 2 for a match does not score 146 matches 292'

# Composition-based statistics give other scores and E-values, and the report names them. Nothing
# changes where they are off.
runs 0 search sw -q many.fa -d db.wsdb --quiet --evalue 1000
cp .out plain.txt
runs 0 search sw -q many.fa -d db.wsdb --quiet --evalue 1000 --comp-stats 0
same .out plain.txt
runs 0 search sw -q q.fa -d db.wsdb --quiet --comp-stats 2
silent
says 'Composition-based statistics: mode 2'
says ', Method: Compositional matrix adjust.'
runs 0 search sw -q q.fa -d db.wsdb --quiet --comp-stats 1
says ', Method: Composition-based stats.'
runs 0 search sw -q q.fa -d db.wsdb --quiet --comp-stats 3 --outfmt json
says '"composition_based_statistics":3'
says '"score_adjustment":"optimized"'
sed -n '1,12p' random.fa | cat q.fa - >few.fa
for mode in 1 2 3; do
    runs 0 search sw -q few.fa -d db.wsdb --quiet --evalue 1000 --device cpu --comp-stats $mode --cpu-backend reference --threads 1
    cp .out reference.txt
    for variant in '--threads 3' '--threads 2 --chunk-size 4K' '--cpu-backend portable'; do
        runs 0 search sw -q few.fa -d db.wsdb --quiet --evalue 1000 --device cpu --comp-stats $mode $variant
        same .out reference.txt
    done
done
for format in '6 qseqid sseqid score evalue' '6 qseqid evalue score cigar'; do
    runs 0 search sw -q few.fa -d db.wsdb --quiet --outfmt "$format" --evalue 1000 --comp-stats 2
    cp .out one.txt
    runs 0 search sw -q few.fa -d a.wsdb -d b.wsdb --quiet --outfmt "$format" --evalue 1000 --comp-stats 2
    same .out one.txt
    runs 0 search sw -q few.fa -d db.wsdb --quiet --outfmt "$format" --evalue 1000 --comp-stats 2 --max-hits 2
    cp .out two.txt
    awk '++hits[$1] <= 2' one.txt >.out
    same .out two.txt
done
runs 0 search sw -q q.fa -d db.wsdb --quiet --comp-stats 2 --evalue inf --max-hits 0 --outfmt '6 evalue'
holds 'inf reports more than ten hits, all with E-values' awk 'NR > 10 && $1 > 0 { more = 1 } !($1 >= 0) || $1 == "N/A" { exit 1 }
    END { exit !more }' .out
for mode in 4 -1 2u x; do
    runs 2 search sw -q q.fa -d db.wsdb "--comp-stats=$mode"
    warns "--comp-stats $mode: expected 0, 1, 2 or 3"
done
for matrix in mine.txt IDENTITY; do
    runs 2 search sw -q q.fa -d db.wsdb --matrix $matrix --evalue inf --comp-stats 2
    warns "matrix $matrix has no residue frequencies for composition-based statistics; add --comp-stats 0"
done
runs 2 search sw -q q.fa -d db.wsdb --gap-open 3 --gap-extend 3 --evalue inf --comp-stats 2
warns 'known open/extend costs for this matrix: 11/2'
# A matrix file that is named as a built-in matrix and has scores of its own.
mkdir -p named && cp mine.txt named/BLOSUM62
runs 2 search sw -q q.fa -d db.wsdb --matrix named/BLOSUM62 --evalue inf --comp-stats 2
warns 'no E-value statistics for BLOSUM62'

# Odd queries.
printf '>empty\n>gaps\nMK-VL..A\n' >odd.fa
runs 0 search sw -q odd.fa -d db.wsdb
warns '1 queries without residues'
warns '3 gap characters'
printf '' >nothing.fa
runs 1 search sw -q nothing.fa -d db.wsdb
warns 'nothing.fa'

# Wrong command lines give exit status 2 and a message that says what would be right.
runs 2 search
runs 2 search nonsense
warns 'sw'
runs 2 search sw -d db.wsdb
warns '-q'
runs 2 search sw -q q.fa
warns '-d'
runs 2 search sw -q q.fa -d db.wsdb --device gpu
warns 'cuda'
runs 2 search sw -q q.fa -d db.wsdb --cpu-backend nonsense
warns 'avx2'
runs 2 search sw -q q.fa -d db.wsdb --outfmt '6 nonsense'
warns 'qseqid'
runs 2 search sw -q q.fa -d db.wsdb --evalue -1
runs 2 search sw -q q.fa -d db.wsdb --threads 0
runs 2 search sw -q q.fa -d db.wsdb --chunk-size 0
runs 2 search sw -q q.fa -d db.wsdb --gap-open -1
runs 2 search sw -q q.fa -d db.wsdb --matrix nonsense
warns 'BLOSUM62'
runs 2 search sw -q q.fa -d db.wsdb stray
runs 0 search sw --help
says '--evalue'
runs 0 search --version

# A GPU that is asked for by name has to be there. With `auto`, the CPU serves instead.
if has_gpu q.fa db.wsdb; then
    skipped 'a missing GPU: there is one here'
else
    runs 1 search sw -q q.fa -d db.wsdb --device cuda
    holds 'the message says what is missing' grep -qE 'GPU|CUDA' .err
    prints_nothing
    runs 1 search sw -q q.fa -d db.wsdb --device cuda:0+cpu
    holds 'the message says what is missing' grep -qE 'GPU|CUDA' .err
    prints_nothing
fi
runs 2 search sw -q q.fa -d db.wsdb --device cuda:x
for device in cpu+cpu auto+cpu +cpu cuda:+cpu cuda+cpu+cpu cuda:0,+cpu cpu+cuda; do
    runs 2 search sw -q q.fa -d db.wsdb --device $device
    warns 'cuda+cpu'
done
runs 2 search sw -q q.fa -d db.wsdb --device-memory 0
runs 0 search sw -q q.fa -d db.wsdb --device auto --outfmt 6 --quiet
silent

# The error for a file that is not a database, or for a damaged database, names the file.
echo MKV >text
runs 1 search sw -q q.fa -d text
warns 'text: is neither a database'
runs 1 search sw -q q.fa -d missing.wsdb
warns 'missing.wsdb'
head -c 5000 db.wsdb >cut.wsdb
runs 1 search sw -q q.fa -d cut.wsdb
warns 'cut.wsdb'

# A standard output that cannot take the report.
if [ -w /dev/full ]; then
    last_command='search sw >/dev/full'
    "$programs/search" sw -q q.fa -d db.wsdb --quiet >/dev/full 2>.err && fail 'a full disk is not noticed'
    warns 'standard output'
else
    skipped 'a full standard output: no /dev/full here'
fi
echo 'search sw: all as expected'
