#!/usr/bin/env bash
# The drop-in jackhmmer behaves as HMMER's on the command lines of pipelines that call it, and with
# every option, with only PATH changed. Exit status, standard output, standard error and every file
# are HMMER's, byte for byte, except for the lines about version, licence, place and time. With
# several threads, the widths of HMMER's columns vary from run to run, so blanks are squeezed there.
# Mistakes follow. The test needs Debian's hmmer and mmseqs2-examples (tools/setup check installs
# them) and is skipped without them.
. "$(dirname "$0")/../../support/hmmer_lines.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_hmmer
needs_programs jackhmmer

# Inputs: F has proteins, Q queries with many relatives among them, R one of these queries, and L a
# query without relatives and one without residues.
mkdir inputs
zcat "$proteins" | awk '/^>/ {++n} n <= 1500' >inputs/F
# chosen ACCESSION...: prints the proteins with these accessions.
chosen() { awk -v names="$*" '/^>/ {n = split($1, id, "|"); keep = index(" " names " ", " " id[2] " ")} keep' inputs/F; }
chosen A0A0R2H0A4 C0HJB0 A0A0D3AM21 >inputs/Q
chosen A0A0R2H0A4 >inputs/R
[ "$(grep -c '>' inputs/Q)" = 3 ] || skip_test 'other proteins than in Debian 12'
printf '>lonely one of a kind\nMKWVTCQHPWYMNDRCWHIPEFG\n>nothing\n>few\nXXM\n' >inputs/L
finds_dropins jackhmmer

rounds=0
count_output() { rounds=$((rounds + $(cat ours/O ours/standard-output 2>/dev/null | grep -c '^@@ New targets'))); }

# AlphaFold 3 and 2, OpenFold
silently 'jackhmmer -o /dev/null -A S --noali --F1 0.0005 --F2 5e-05 --F3 5e-07 --cpu 8 -N 1 --tblout T -E 0.0001 --incE 0.0001 -Z 10000 --domZ 100 Q F'
silently 'jackhmmer -o /dev/null -A S --noali --F1 0.0005 --F2 5e-05 --F3 5e-07 --incE 0.0001 -E 0.0001 --cpu 1 -N 1 Q F'
# EVcouplings
silently 'jackhmmer -N 5 -o O -A S --tblout T --domtblout D --noali --notextw -T 25 --domT 25 --incT 25 --incdomT 25 --cpu 1 --chkali C --chkhmm C R F'
# All rounds, and all outputs
silently 'jackhmmer -o O -A S --tblout T --domtblout D --chkhmm C --chkali C --cpu 1 Q F'
silently 'jackhmmer --cpu 1 --chkhmm C -A S --tblout T --domtblout D L F'
silently 'jackhmmer --cpu 0 -N2 --acc --textw 150 --nobias --nonull2 --seed 7 --incE 1 --incdomE 1 --domZ 20 -Z 1e5 --qformat fasta --tformat fasta --chkali C R F'
silently 'jackhmmer --cpu 1 --noali --max -N 2 --chkhmm C L F'
silently 'jackhmmer --cpu 1 --noali -N 2 -E 1e-300 --chkhmm C --chkali C -A S R F'
for options in '--wgsc' '--wblosum --wid 0.5' '--wnone --fragthresh 0.9' '--eclust --eid 0.4' '--enone --pnone' '--eset 3.5 --plaplace' \
    '--ere 1 --esigma 60' '--wpb --eent --popen 0.05 --pextend 0.2 --mx BLOSUM45' \
    '--EmL 100 --EmN 20 --EvL 30 --EvN 400 --EfL 50 --EfN 60 --Eft 0.05'; do
    silently "jackhmmer --cpu 1 --noali -N 3 -o O --chkhmm C $options R F"
done
silently 'jackhmmer --cpu 1 --noali - F < R'
[ "$rounds" -gt 50 ] || fail "only $rounds rounds were compared"

# Errors have HMMER's words.
for line in '' 'Q' 'Q F F' '--seq-limit 1 Q F' '-N 0 Q F' '-N x Q F' 'Q -' '--cut_ga Q F' '--hand Q F' '--fast Q F' '--wgiven Q F' '--symfrac 0.5 Q F' \
    '--wgsc --wnone Q F' '--wgsc --wpb Q F' '--wpb --wgsc Q F' '--wid 0.5 Q F' '--eid 0.5 Q F' '--eent --eset 1 Q F' '--pnone --plaplace Q F' \
    '--fragthresh 2 Q F' '-E 1 -T 1 Q F' '--f Q F' '--qformat nonsense Q F' '--tformat nonsense Q F' 'nowhere F' 'Q nowhere' '/dev/null F'; do
    both "jackhmmer $line"
    [ "$(cat ours/exit-status)" != 0 ] || fail 'no error'
done

# Clients recognise a patched jackhmmer by this option in its help.
runs 0 dropin/jackhmmer -h --seq_limit 1
says '--seq_limit <n>'
printf '%d command lines, %d rounds, all the same\n' "$compared" "$rounds"
