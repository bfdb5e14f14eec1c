#!/usr/bin/env bash
# The drop-ins hmmsearch and phmmer behave as HMMER's programs on the command lines of pipelines
# that call them, with only PATH changed. Exit status, standard output, standard error and every
# file are HMMER's, byte for byte, except for the lines about version, licence, place and time. With
# several threads, the widths of HMMER's columns vary from run to run, so blanks are squeezed there.
# Probes of the version and mistakes follow. The test needs Debian's hmmer, hmmer-examples and
# mmseqs2-examples (tools/setup check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/hmmer_lines.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$proteins"
needs_hmmer

# Inputs: P has profiles, C profiles with cutoffs, G one profile, F proteins, M thirty of these, and
# Q three.
mkdir inputs
cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >inputs/P
cat "$tutorial"/{fn3,Pkinase}.hmm >inputs/C
cp "$tutorial/globins4.hmm" inputs/G
zcat "$proteins" | awk '/^>/ {++n} n <= 2000' >inputs/F
awk '/^>/ {++n} n == 100 || n == 1000 || n == 1999' inputs/F >inputs/Q
awk '/^>/ {++n} n % 66 == 34' inputs/F >inputs/M
: >inputs/empty
# unknown has queries of nothing but X, each followed by another query. The shorter ones have no
# finite statistics. unknown1 has one such query, and one without residues.
for n in 1 2 7 12 20 166; do
    printf '>x%d nothing but X\n' $n
    head -c $n /dev/zero | tr '\0' X
    printf '\n'
    head -2 inputs/Q
done >inputs/unknown
printf '>only x\nXXX\n>nothing\n' >inputs/unknown1
sed 's/^>/>\t /' inputs/Q >inputs/late
# S has alignments with titles and with two rows of one name, A rows of equal length in FASTA, and L
# a table of names and letters.
printf '# STOCKHOLM 1.0\n#=GS a AC P12345.6\n#=GS a DE some  title \n%s\n%s\n//\n# STOCKHOLM 1.0\n%s\n%s\n//\n' \
    'a ..VHLTPEEKSAVTALWGKV~~~BNVDEVGGEALGRLLVVYPWTQRFFESFGDLST' 'b -VLsPADKTNVkaAWGKVGA-UAGEYGAEALERMFLSFPTTKTYFPHFDLS--XX' \
    'a VLSEGEWQLVLHVWAKVEADVAG--HGQDILIRLFKSHPETLEKFDRFKHL' 'none ---------------------------------------------------' >inputs/S
printf '>a of many\nVHLTPEEKSAVTALWGKV---NVDEVGGEALG\n>b\n-VLSPADKTNVKAAWGKVGA-HAGEYGAEALE\n' >inputs/A
printf '# a table\n\na VHLTPEEKSAVTALWGKV---NVDEVGGEALG\nb -VLSPADKTNVKAAWGKVGA-HAGEYGAEALE\n' >inputs/L
finds_dropins hmmsearch phmmer

rows=0
count_output() { rows=$((rows + $(cat ours/[TD] ours/standard-output 2>/dev/null | grep -vc '^#'))); }
one_of=3

# AlphaFold 2 and 3, OpenFold, Protenix
silently 'hmmsearch --noali --cpu 8 --F1 0.1 --F2 0.1 --F3 0.1 -E 100 --incE 100 --domE 100 --incdomE 100 -A S P F'
silently 'hmmsearch --noali --cpu 8 --F1 0.1 --F2 0.1 --F3 0.1 --incE 100 -E 100 --domE 100 --incdomE 100 -A S G F'
silently 'hmmsearch --noali --cpu 1 --max -E 100 --incE 100 --domE 100 --incdomE 100 -A S G Q'
# InterProScan 6 and 5
silently 'hmmsearch -Z 61295632 --cut_ga --cpu 1 C F > O'
silently 'hmmsearch -Z 61295632 --cut_tc --cpu 1 C F > O'
silently 'hmmsearch --cut_ga --cpu 4 C F > O'
silently 'hmmsearch -Z 65245 -E 0.001 --cpu 1 P F > O; hmmsearch -Z 65245 --cut_tc --cpu 1 C F >> O'
silently 'hmmsearch -Z 65000000 -E 0.001 --domE 0.00000001 --incdomE 0.00000001 --cpu 1 --notextw -o O --domtblout D P F'
silently 'hmmsearch -E 0.01 --acc --cpu 1 P F'
silently 'hmmsearch -Z 378 --acc --cut_ga --cpu 1 -o O --domtblout D -A S C F'
silently 'hmmsearch -E 100 --domE 100 --incE 100 --incdomE 100 --cpu 1 --tblout T P F > /dev/null'
silently 'hmmsearch -E 100 --domE 100 --incE 100 --incdomE 100 P F > O'
# antiSMASH
silently 'hmmsearch --cpu 1 -o /dev/null --domtblout D P F'
silently 'hmmsearch --cpu 1 -o /dev/null --domtblout D G - < F'
silently 'hmmsearch --noali G - < F'
# BUSCO, CheckM, GTDB-Tk
silently 'hmmsearch --domtblout D --cpu 1 G F'
silently 'hmmsearch --domtblout D --cpu 1 --notextw -E 0.1 --domE 0.1 --noali P F > O'
silently 'hmmsearch -o O --tblout T --noali --notextw --cut_nc --cpu 1 C F'
silently 'hmmsearch --notextw --cpu 1 --cut_ga C F 2>&1'
# MacSyFinder, AMRFinderPlus, run_dbcan, eggNOG-mapper
silently '"hmmsearch" --cpu 1 -o "O" --cut_ga "C" "F"'
silently 'hmmsearch --cpu 1 -o O -E 0.100000 P F'
silently 'hmmsearch --tblout T --noali --domtblout D --cut_tc -Z 10000 --cpu 0 C F > /dev/null 2> /dev/null'
silently 'hmmsearch --domtblout D --cpu 4 -o /dev/null P F'
silently "hmmsearch --cut_ga --cpu 1 -o /dev/null --domtblout 'D' 'C' 'F'"
silently "phmmer --cpu 1 --incE 0.001 -E 0.001 -o /dev/null --noali --tblout 'T' 'Q' 'F'"
silently "phmmer --cpu 1 -o /dev/null --domtblout 'D' 'M' 'Q'"
# Trinotate, TransDecoder, KofamScan, VirSorter2, PADLOC
silently 'hmmsearch --cpu 1 --noali --domtblout D P F > log'
silently 'hmmsearch --domtblout D P F'
silently 'hmmsearch --cpu=1 -o/dev/null -T0 --tblout=T P F'
silently 'hmmsearch -T 30 --tblout T --cpu 1 --noali P F > /dev/null 2>> log'
silently 'hmmsearch --cpu 1 --acc --noali --domtblout D P F > /dev/null'
# funannotate, Bakta, nf-core, Snakemake wrappers, Galaxy, EVcouplings
silently 'hmmsearch --domtblout D --cpu 1 --cut_ga C F'
silently 'hmmsearch --cut_tc -o /dev/null --noali --tblout T --domtblout D --cpu 1 C F'
silently 'hmmsearch -E 1E-10 -o /dev/null --noali --tblout T --cpu 1 P F'
silently 'hmmsearch --cpu 1 -o O -A S --tblout T --domtblout D P F; gzip -f S T D; gunzip S.gz T.gz D.gz'
silently 'hmmsearch --cpu 1 -o O --tblout T --domtblout D -A S -E 1e-05 P F'
silently 'hmmsearch --tblout T --domtblout D --pfamtblout X --acc --noali --notextw -E 10 --incE 0.01 --domE 10 --incdomE 0.01 --F1 0.02 --F2 0.001 --F3 1e-05 --nobias --nonull2 -Z 100 --domZ 10 --cpu 0 --seed 42 P F > O'
silently 'hmmsearch -o O -A S --tblout T --domtblout D --noali --notextw -T 20 --domT 20 --incT 20 --incdomT 20 --cpu 1 --nobias P F'
# Spellings
silently 'hmmsearch --noal --incdomT -5 -T -5 --cpu 1 --domtbl /dev/stdout -o /dev/null P F'
silently 'cat P | hmmsearch --cpu 1 - F'
silently 'HMMER_NCPU=1 hmmsearch --tblout T --cpu 1 --seed 7 -- P F'
silently 'HMMER_NCPU=0 hmmsearch --domtblout D --textw 150 --tformat FASTA P F'
silently 'hmmsearch --cpu 1 --seed 0 --nobias -E +.01 --tblout T G F'
silently 'phmmer -o O --tblout=T --acc -A S --noali --notextw --popen 0.1 --pextend 0.2 --mx BLOSUM45 -E 10 --domE 10.0 --incE 0.1 --incdomT 5 --F1 0.5 --F2 0.4 --F3 1e-5 --nobias --nonull2 -Z 10 --domZ 11 --seed 1 --EmL 100 --EmN 20 --EvL 30 --EvN 400 --EfL 50 --EfN 60 --Eft 0.05 --qformat fasta --tformat fasta --cpu 1 Q F'
silently 'phmmer --EmL 300 --EmN 333 --EvL 300 --EvN 100 --EfL 150 --EfN 333 --Eft 0.1 --cpu 1 --pfamtblout X Q F'
silently 'phmmer --cpu 1 --domtblout D - F < Q'
silently "printf '>nothing\n' | phmmer --cpu 1 --tblout T - F"
for options in '' '--max' '--F3 1' '--nobias --nonull2 -E 1e9' '--mx PAM30' '--mx BLOSUM45 --popen 0.1' '--max -T -1000 --domT -1000'; do
    silently "phmmer $options --cpu 1 --tblout T --domtblout D --pfamtblout X -A S unknown M"
done
silently 'phmmer --cpu 1 --tblout T --domtblout D unknown1 F'
silently 'phmmer --cpu 1 --tblout T --domtblout D -A S late late'
[ "$rows" -gt "$(thorough && echo 10000 || echo 2000)" ] || fail "only $rows rows were compared"

# Probes
silently 'hmmsearch -h'
silently 'phmmer -h'
silently 'hmmsearch -h --cpu 3 whatever'
probe=$(PATH=$programs/dropin:$PATH hmmsearch -h | sed -n 2p)
[ "$(awk '{print $3}' <<<"$probe")" = 3.3.2 ] || fail 'the third word of line 2 is not the version'
[[ $probe =~ ^#\ [A-Za-z]+\ ([0-9.]+)\ .*\;\ http.*$ ]] || fail 'line 2 is not what readers expect'
[[ $probe =~ ^#\ HMMER\ ([0-9.]+)\ \((.+)\)\; ]] || fail 'line 2 has no note in parentheses'
[[ $probe == *warpseq* ]] || fail 'line 2 does not say whose program it is'

# Mistakes give HMMER's words and exit status 1. The words go to standard output if the command line
# is wrong.
wrong() {
    sampled 5 || return 0
    both "$1"
    [ "$(cat ours/exit-status)" = 1 ] || fail 'not an error with status 1'
}
for line in 'hmmsearch' 'hmmsearch P' 'hmmsearch P F Q' 'hmmsearch P F -E 5' 'hmmsearch - -' 'phmmer' 'phmmer Q' 'phmmer - -'; do wrong "$line"; done
for options in --nonsense --nonsense=3 --nonsenseverylongnamethatgoesonandon ---x -x -5 -acc '--E 3' --help --h -h5 --acc=3 --noa=3 '-h --nonsense' \
    '--acc --acc' '-E 1 -E 2' '-h -h' --cut '--cut=4' '--dom 4' '-E x' '-E -5' '-E 0' '-E nan' "-E ''" '-E 5x' '-E 1d3' -E= '-E -h' \
    -E1234567890123456789012345678x '-Z 0' '-Z x' '--domZ 0' '--cpu x' '--cpu -1' --cpu= '--cpu --acc' '--textw 100' '--seed 0x10' '--seed -1' \
    '--seed 5.' '--seed 2147483648' '-o -' '-o -x' '--tblout -x' '--tformat -x' '--tformat x' '-E 1 -T 2' '-T 2 --cut_ga' '--domE 1 --domT 2' \
    '--incE 1 --incT 2' '--incdomE 1 --incdomT 2' '--cut_ga --cut_tc' '--cut_nc --incE 1' '--max --F1 1' '--F3 1 --max' '--nobias --max' \
    '--notextw --textw 150' '--max --F1 1 -h'; do
    wrong "hmmsearch $options P F"
done
for options in '--popen 0.5' '--popen -1' '--pextend 1' '--mx PAM30 --mxfile x' '--mx NONE' '--mx PAM250' '--mx IDENTITY' '--mx blosum62' '--EmL 0' '--EfN 0' '--Eft 0' '--Eft 1' '--EvL x' '--qformat x' '--tformat x' \
    '-E 1 -T 2' '--m 3' '--d 3'; do
    wrong "phmmer $options Q F"
done
for line in 'hmmsearch -E' 'hmmsearch --domE' 'hmmsearch -o' 'phmmer --mx' 'HMMER_NCPU=x hmmsearch P F' 'HMMER_NCPU= phmmer Q F' \
    'HMMER_NCPU=-4 hmmsearch P F'; do
    wrong "$line"
done
for line in 'hmmsearch nofile F' 'hmmsearch P nofile' 'hmmsearch nofile nofile' 'hmmsearch empty F' 'hmmsearch /dev/null F' 'hmmsearch P empty' \
    'phmmer nofile F' 'phmmer Q nofile' 'phmmer empty F' 'phmmer Q /dev/null' 'phmmer P F' 'hmmsearch Q F' 'phmmer - F <S'; do
    wrong "$line"
done

# Rows of alignments as queries.
for line in 'phmmer --cpu 1 --tblout T --domtblout D S F' 'phmmer --cpu 1 --acc --qformat stockholm S F' 'phmmer --cpu 1 L F' \
    'phmmer --cpu 1 --qformat afa A F' 'phmmer --cpu 1 --qformat A2M A F' 'phmmer --cpu 1 --qformat stockholm - F <S' \
    'jackhmmer --cpu 1 -N 2 --tblout T -A M2 S F' 'jackhmmer --cpu 1 -N 1 --qformat afa A F' \
    'cp P PP; hmmpress PP >/dev/null; hmmscan --cpu 1 --tblout T --domtblout D PP S >R; rm PP*; cat R' \
    'cp P PP; hmmpress PP >/dev/null; hmmscan --cpu 1 --acc --qformat selex PP L >R; rm PP*; cat R'; do
    silently "$line"
done

# These errors are found after the report has begun.
for line in 'hmmsearch --cpu 1 --cut_ga G F' 'hmmsearch --cpu 1 --cut_nc P F' 'phmmer --cpu 1 --qformat stockholm A F' \
    'phmmer --cpu 1 --qformat embl --tblout T Q F'; do
    both "$line"
    [ "$(cat ours/exit-status)" = 1 ] || fail 'not an error with status 1'
    grep -q ' :: ' ours/standard-output || fail 'the report has not begun'
done
for line in 'hmmsearch -A absent/S P F' 'hmmsearch --tblout absent/T P F' 'phmmer --domtblout absent/T Q F' \
    'phmmer --mxfile nofile Q F'; do
    both "$line"
    [ "$(cat ours/exit-status)" = 1 ] || fail 'not an error with status 1'
done
# HMMER overwrites its input here. The drop-in gives an error.
for line in 'hmmsearch --tblout F P F' 'phmmer -o Q Q F'; do
    last_command=$line
    (cd inputs && PATH=$programs/dropin:$PATH bash -c "$line" >../.out 2>../.err; [ $? = 1 ]) || fail 'not an error with status 1'
    grep -q '^Error: ' .err || fail 'no line begins with Error:'
    prints_nothing
done
grep -q '<seqfile>' .err || fail 'the message does not name the argument'
printf '%d command lines, %d rows, all the same\n' $compared $rows
