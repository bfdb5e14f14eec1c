#!/usr/bin/env bash
# `search pair` has the right modes, formats, strands and batches, refuses mistakes, and continues
# after an interruption. Every back end, thread count and amount of memory gives the same report.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

printf '>hba alpha\nVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR\n' >a.fa
printf '>hbb beta\nVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH\n' >b.fa

# Blocks have the form of EMBOSS's. This is needle's report with -endweight and end gaps 12 and 1.
runs 0 search pair a.fa b.fa --quiet
silent
sed -n '/^# Aligned_sequences/,$p' .out >blocks.txt
cat >expected.txt <<'EOF'
# Aligned_sequences: 2
# 1: hba
# 2: hbb
# Matrix: BLOSUM62
# Gap_penalty: 12.0
# Extend_penalty: 1.0
#
# Length: 148
# Identity:      62/148 (41.9%)
# Similarity:    87/148 (58.8%)
# Gaps:           9/148 ( 6.1%)
# Score: 277.0
# 
#
#=======================================

hba                1 V-LSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHF---     46
                     | |:|.:|:.|.|.||||  :..|.|.|||.|:.:.:|.|:.:|..|   
hbb                1 VHLTPEEKSAVTALWGKV--NVDEVGGEALGRLLVVYPWTQRFFESFGDL     48

hba               47 ---DLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRV     93
                        |...|:.:||.|||||..|.::.:||:|::....:.||:||..||.|
hbb               49 STPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHV     98

hba               94 DPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR    141
                     ||.||:||.:.|:..||.|...||||.|.|:..|.:|.|:..|..||.
hbb               99 DPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH    146


#---------------------------------------
#---------------------------------------
EOF
same blocks.txt expected.txt
runs 0 search pair a.fa b.fa
warns 'the sequences are taken for proteins'

# Modes, formats, scores alone.
runs 0 search pair a.fa b.fa --quiet --outfmt '6 qseqid sseqid score qstart qend sstart send' --local
[ "$(cat .out)" = "$(printf 'hba\thbb\t285\t2\t140\t3\t145')" ] || fail 'the local alignment is wrong'
runs 0 search pair a.fa b.fa --quiet --semiglobal --score-only --outfmt '6 score'
[ "$(cat .out)" = 282 ] || fail 'the semi-global score is wrong'
runs 0 search pair a.fa b.fa --quiet --semiglobal --free-ends target-begin --outfmt '6 score qstart sstart'
[ "$(cat .out)" = "$(printf '282\t1\t2')" ] || fail 'free residues before the target alone give another alignment'
runs 0 search pair a.fa b.fa --quiet --score-only
says '# Score: 277.0'
for format in 6 7 10 paf sam json '6 std cigar btop'; do
    runs 0 search pair a.fa b.fa --quiet --outfmt "$format"
    says hbb
    silent
done
runs 0 search pair a.fa b.fa --quiet --outfmt json
if command -v python3 >/dev/null; then
    python3 -c 'import json; run = json.load(open(".out")); assert run["pairs"][0]["score"] == 277' || fail 'the JSON has another score'
else
    skipped 'JSON: no python3 here to read it'
fi
runs 0 search pair a.fa b.fa --quiet --dotplot plot.svg -o report.txt
prints_nothing
holds 'the drawing is SVG' grep -q '<polyline' plot.svg
runs 0 search pair a.fa b.fa --quiet
same .out report.txt

# Nucleotides: strands, ambiguity, a matrix file.
awk "$random_awk"'BEGIN { start_random(12); s = "ACGT"; for (n = 0; n < 3; ++n) { printf ">s%d\n", n;
             for (i = 0; i < 4000 + 900 * n; ++i) printf "%s", substr(s, 1 + int(random() * 4), 1); print "" } }' >random.fa
sed -n '2p' random.fa | cut -c 500-2999 >piece.txt
{ echo '>piece'; rev piece.txt | tr ACGT TGCA; } >minus.fa
runs 0 search pair minus.fa random.fa --local --strand both --quiet --outfmt '6 score qstart qend sstart send sstrand cigar'
[ "$(cat .out)" = "$(printf '5000\t1\t2500\t2999\t500\tminus\t2500=')" ] || fail 'the minus strand is not found'
runs 0 search pair minus.fa random.fa --local --strand both --quiet --outfmt paf
[ "$(cut -f 1-9 .out)" = "$(printf 'piece\t2500\t0\t2500\t-\ts0\t4000\t499\t2999')" ] || fail 'PAF has other positions'
runs 0 search pair minus.fa random.fa --local --quiet --outfmt '6 sstrand'
[ "$(cat .out)" = plus ] || fail 'the minus strand is reported without --strand'
runs 0 search pair random.fa minus.fa --local
warns 'the sequences are taken for nucleotides'
warns 'random.fa holds more than one sequence; the first, s0'
printf '>n\nACGNACGTACG\n' >n.fa
runs 0 search pair n.fa n.fa --quiet --outfmt '6 score nident positive'
[ "$(cat .out)" = "$(printf '18\t11\t10')" ] || fail 'N does not score -2 against N'
printf '  A C G T\nA 9 -9 -9 -9\nC -9 9 -9 -9\nG -9 -9 9 -9\nT -9 -9 -9 9\n' >nines.txt
runs 0 search pair n.fa n.fa --quiet --matrix nines.txt --outfmt '6 score'
[ "$(cat .out)" = 85 ] || fail 'a matrix file of bases is not used'
printf '>a\nAAAA\n' >aaaa.fa
printf '>c\nCCCC\n' >cccc.fa
runs 0 search pair aaaa.fa cccc.fa --local
says 'there is no alignment'
warns 'there is no alignment'
runs 0 search pair aaaa.fa cccc.fa --local --quiet --outfmt 6
prints_nothing
runs 0 search pair aaaa.fa cccc.fa --gap-open 0 --gap-extend 0 --quiet --outfmt '6 score cigar'
[ "$(cut -f1 .out)" = 0 ] || fail 'an alignment whose gaps cost nothing does not score 0'

# Two pieces have changed places, and one of them is of the other strand. Each is an alignment of
# its own, the first with a base that is equal by chance. A single path has little of both.
sed -n '2p' random.fa | cut -c 1-1500 >first.txt
sed -n '4p' random.fa | cut -c 1-1200 >second.txt
{ echo '>here'; cat first.txt second.txt; } >here.fa
{ echo '>there'; cat second.txt; rev first.txt | tr ACGT TGCA; } >there.fa
runs 0 search pair here.fa there.fa --local --outfmt '6 score'
[ "$(cat .out)" = 2400 ] || fail 'the best local alignment of the plus strand is wrong'
warns 'the best single path aligns residues for 44.4 % of the query and 44.4 % of the target. If pieces are rearranged, --all-local --strand both lists further alignments'
runs 0 search pair here.fa there.fa --local --outfmt '6 score' --quiet
silent
runs 0 search pair here.fa here.fa --local --outfmt '6 score'
holds 'a whole alignment needs no word' sh -c '! grep -q all-local .err'
{ echo '>first'; cat first.txt; } >first.fa
{ echo '>second'; cat second.txt; } >second.fa
for mode in --local --global --score-only '--all-local --strand both'; do
    runs 0 search pair first.fa second.fa $mode --outfmt '6 score'
    grep -qE 'the sequences look unrelated: [0-9]+ of 99 shuffled copies of the target align with the query as well' .err || fail 'random sequences look related'
    holds 'one note on unrelated sequences' sh -c '! grep -q "single path" .err'
done
holds 'both strands are aligned' sh -c '! grep -q "other strand" .err'
runs 0 search pair second.fa first.fa --outfmt '6 score'
warns 'as well; --strand both aligns the other strand, too'
runs 0 search pair first.fa second.fa --quiet --outfmt '6 score'
silent
runs 0 search pair here.fa there.fa --outfmt '6 score'
holds 'rearranged pieces are related' sh -c '! grep -q unrelated .err'
warns 'the best single path aligns equal letters for'
warns '--all-local --strand both'
runs 0 search pair here.fa there.fa --all-pairs --local --outfmt '6 score'
warns 'the best single path'
runs 0 search pair here.fa there.fa --all-local --strand both --min-score 100 --dotplot places.svg --outfmt '6 score qstart qend sstart send sstrand'
[ "$(cat .out)" = "$(printf '3002\t1\t1501\t2700\t1200\tminus\n2400\t1501\t2700\t1\t1200\tplus')" ] || fail 'the two pieces are not found'
holds 'no word where all is listed' sh -c '! grep -q all-local .err'
[ "$(grep -c '<polyline' places.svg)" = 2 ] || fail 'the drawing does not have a line for each alignment'
runs 0 search pair here.fa there.fa --all-local --strand both --max-alignments 1 --quiet --outfmt '6 score'
[ "$(cat .out)" = 3002 ] || fail 'the first alignment is wrong'
runs 0 search pair here.fa there.fa --all-local --quiet --outfmt '7 score'
says '# 10 hits found'
for format in 0 10 paf sam json; do
    runs 0 search pair here.fa there.fa --all-local --strand both --max-alignments 2 --min-score 2400 --quiet --outfmt $format
    says 2400
done
if command -v python3 >/dev/null; then
    python3 -c 'import json; run = json.load(open(".out")); assert [a["score"] for a in run["pairs"][0]["alignments"]] == [3002, 2400]' ||
        fail 'the JSON lists something else'
fi
runs 0 search pair here.fa there.fa --all-local --min-score 9999
says 'No alignment scores enough to be listed'
warns 'nothing scores 9999 or more: there is no alignment'
runs 2 search pair here.fa there.fa --local --max-alignments 3
warns 'add --all-local'
runs 2 search pair here.fa there.fa --all-local --global
runs 2 search pair here.fa there.fa --all-local --score-only
runs 2 search pair here.fa there.fa --all-local --checkpoint x
runs 2 search pair here.fa there.fa --dotplot x.png
warns '--dotplot x.png: a dot plot is SVG; name it x.svg'
absent x.png

# The report is the same, byte for byte, whatever computes it. There are many pairs, and a long one.
sed -n '1,6p' random.fa | cut -c 1-1500 >many.fa
cat minus.fa >>many.fa
runs 0 search pair many.fa random.fa --all-pairs --semiglobal --strand both --quiet --device cpu --cpu-backend reference
cp .out many.txt
runs 0 search pair minus.fa random.fa --strand minus --quiet --device cpu --cpu-backend reference
cp .out one.txt
runs 0 search pair many.fa random.fa --all-pairs --all-local --max-alignments 4 --strand both --quiet --device cpu --cpu-backend reference
cp .out lists.txt
runs 0 search pair here.fa there.fa --all-local --strand both --quiet --device cpu --cpu-backend reference
cp .out list.txt
backends=$("$programs/search" pair minus.fa random.fa --cpu-backend nonsense 2>&1 | tr -c 'a-z0-9\n' ' ')
ran=0
for backend in portable sse41 avx2 avx512; do
    case " $backends " in *" $backend "*) ;; *) skipped "$backend: this processor does not run it"; continue ;; esac
    ran=$((ran + 1))
    for variant in '--threads 1' '--threads 3' '--memory 1' '--threads 2 --memory 300K'; do
        runs 0 search pair many.fa random.fa --all-pairs --semiglobal --strand both --quiet --device cpu --cpu-backend $backend $variant
        same .out many.txt
        runs 0 search pair minus.fa random.fa --strand minus --quiet --device cpu --cpu-backend $backend $variant
        same .out one.txt
        runs 0 search pair many.fa random.fa --all-pairs --all-local --max-alignments 4 --strand both --quiet --device cpu --cpu-backend $backend $variant
        same .out lists.txt
        runs 0 search pair here.fa there.fa --all-local --strand both --quiet --device cpu --cpu-backend $backend $variant
        same .out list.txt
    done
done
[ $ran -ge 1 ] || fail 'no back end ran'
printf '# pairs\npiece s1\ns1 s0\n' >pairs.txt
runs 0 search pair many.fa random.fa --pairs pairs.txt --quiet --outfmt '6 qseqid sseqid'
[ "$(tr '\t\n' '  ' <.out)" = 'piece s1 s1 s0 ' ] || fail 'the pairs are not those of the list, in its order'

# A signal ends a search at once, with exit status 143 and no output. The next run goes on from the
# checkpoint and gives the same result. Each row of blocks of long0 is a sixteenth of the matrix,
# which is enough work to wait for.
awk "$random_awk"'BEGIN { start_random(12); s = "ACGT"; for (n = 0; n < 2; ++n) { printf ">long%d\n", n;
             for (i = 0; i < 60000; ++i) printf "%s", substr(s, 1 + int(random() * 4), 1); print "" } }' >long.fa
head -2 long.fa >long0.fa
tail -2 long.fa >long1.fa
size_of() { { wc -c <"$1" || echo 0; } 2>/dev/null; }
last_command='search pair long0.fa long1.fa --checkpoint, interrupted'
"$programs/search" pair long0.fa long1.fa --score-only --outfmt 6 --threads 1 --device cpu --cpu-backend reference -o cut.txt \
    --checkpoint long.ckpt >.out 2>.err &
pid=$!
# The header has 80 bytes. A band has its row checkpoint of 60,001 cells of 8 bytes, and fewer bytes
# than that besides. At this size, the first band is whole.
for ((tenths = 0; $(size_of long.ckpt) < 80 + 2 * 480008; ++tenths)); do
    [ $tenths -lt 3000 ] || fail 'no checkpoint within 5 minutes'
    kill -0 $pid 2>/dev/null || fail 'it ended before it was interrupted'
    sleep 0.1
done
kill -TERM $pid
SECONDS=0
wait $pid
status=$?
[ $status -eq 143 ] || fail "exit status $status after the signal"
[ $SECONDS -le 2 ] || fail "it ended $SECONDS seconds after the signal"
warns 'interrupted; long.ckpt keeps the finished rows of blocks, if any'
absent cut.txt
cp long.ckpt cut.ckpt
runs 0 search pair long0.fa long1.fa --score-only --outfmt 6 --device cpu --checkpoint long.ckpt
warns '% of the matrix; continuing from there'
[ "$(sed -n 's/.*long.ckpt has \([0-9]*\).*/\1/p' .err)" -ge 6 ] || fail 'it goes on from less than a row of blocks'
cp .out resumed.txt
runs 0 search pair long0.fa long1.fa --score-only --outfmt 6 --quiet --device cpu
same .out resumed.txt
# With less memory than the file's checkpoints take, one row of blocks is computed at a time. The
# path is found from the checkpoints in the file.
runs 0 search pair long0.fa long1.fa --score-only --outfmt 6 --quiet --device cpu --checkpoint cut.ckpt --memory 1M
same .out resumed.txt
same cut.ckpt long.ckpt
runs 0 search pair long0.fa long1.fa --score-only --outfmt '6 score' --quiet --device cpu --checkpoint cut.ckpt
cp .out score.txt
runs 0 search pair long0.fa long1.fa --outfmt '6 score' --device cpu --checkpoint cut.ckpt --memory 1M
warns 'cut.ckpt has 100.0 % of the matrix'
same .out score.txt
runs 1 search pair long0.fa random.fa --score-only --device cpu --checkpoint long.ckpt
warns 'long.ckpt'

# Bad input gives exit status 1 and a message that names it.
printf 'no fasta\n' >text.txt
runs 1 search pair text.txt a.fa
warns 'text.txt'
: >empty.fa
runs 1 search pair a.fa empty.fa
warns 'empty.fa'
printf '>none\n>two\nMK\n' >void.fa
runs 1 search pair a.fa void.fa
warns 'void.fa: record 1, "none", has no residues'
runs 1 search pair a.fa n.fa
warns 'cannot be aligned with each other'
runs 1 search pair a.fa n.fa --dna
warns 'a.fa: record 1, "hba", position 2: found '\''L'\'''
runs 1 search pair missing.fa a.fa
warns 'missing.fa'
runs 2 search pair a.fa b.fa --gap-open -1
warns '--gap-open -1'
runs 1 search pair minus.fa random.fa --gap-extend 1000000
warns 'gap costs'
runs 2 search pair n.fa n.fa --match 1 --mismatch 1
runs 2 search pair n.fa n.fa --match 200
warns '--match 200'
{ echo '>hbb'; echo MK; cat b.fa; } >twice.fa
runs 1 search pair a.fa twice.fa --all-pairs --outfmt sam -o twice.sam
warns 'two different targets are called hbb'
absent twice.sam
runs 1 search pair a.fa b.fa --pairs text.txt
warns 'text.txt: line 1'
runs 1 search pair a.fa b.fa -o missing-folder/report.txt
absent missing-folder

# Wrong command lines give exit status 2 and a message that says what would be right.
runs 2 search pair
warns 'two FASTA files'
runs 2 search pair a.fa
runs 2 search pair a.fa b.fa c.fa
runs 2 search pair a.fa b.fa --global --local
runs 2 search pair a.fa b.fa --free-ends query-begin
runs 2 search pair a.fa b.fa --semiglobal --free-ends left
warns 'query-begin'
runs 2 search pair a.fa b.fa --strand both
warns 'proteins'
runs 2 search pair a.fa b.fa --match 5
runs 2 search pair n.fa n.fa --matrix BLOSUM62
runs 2 search pair a.fa b.fa --matrix nonsense
warns 'BLOSUM62'
runs 2 search pair a.fa b.fa --outfmt nonsense
warns 'paf'
runs 2 search pair a.fa b.fa --outfmt '6 nonsense'
warns 'qseqid'
runs 2 search pair a.fa b.fa --score-only --outfmt sam
runs 2 search pair a.fa b.fa --memory 0
runs 2 search pair a.fa b.fa --threads 0
runs 2 search pair a.fa b.fa --device gpu
runs 2 search pair - -
runs 0 search pair --help
says '--semiglobal'

# Standard input, and a standard output that cannot take the report.
last_command='search pair - b.fa <a.fa'
"$programs/search" pair - b.fa --quiet <a.fa >.out 2>.err || fail 'standard input is not read'
same .out report.txt
if [ -w /dev/full ]; then
    last_command='search pair >/dev/full'
    "$programs/search" pair a.fa b.fa --quiet >/dev/full 2>.err && fail 'a full disk is not noticed'
    warns 'standard output'
else
    skipped 'a full standard output: no /dev/full here'
fi
echo 'search pair: all as expected'
