#!/usr/bin/env bash
# Compares the drop-in hmmbuild with HMMER's: profiles, processed alignments, tables, messages and
# exit statuses. The test needs Debian's hmmer and hmmer-examples (tools/setup check installs them),
# and skips without them.
. "$(dirname "$0")/../support/checks.sh"
made_alignments=$(cd "$(dirname "$0")" && pwd)/hmmbuild.py
cd "$work" || exit 1

needs_files "$tutorial/globins4.sto"
needs_hmmer
needs_programs hmmbuild python3
unset HMMER_NCPU
own='^DATE|^HMMER3/f|^# (HMMER|Copyright|Freely|CPU time)'

# compare STATUS ARGUMENTS...: runs both programs. Exit status, outputs and messages must be the
# same. Usage errors show the program's path, which is replaced before the comparison.
compare() {
    local expected=$1 status=0 file
    shift
    last_command="hmmbuild $*"
    rm -rf their our out.hmm out.sto table
    mkdir their our
    hmmbuild "$@" >their/out 2>their/err </dev/null || status=$?
    [ "$status" = "$expected" ] || fail "hmmbuild's exit status is $status"
    for file in out.hmm out.sto table; do [ ! -e $file ] || mv $file their; done
    status=0
    "$programs/dropin/hmmbuild" "$@" >our/out 2>our/err </dev/null || status=$?
    cp our/out .out
    cp our/err .err
    [ "$status" = "$expected" ] || fail "our exit status is $status"
    for file in out.hmm out.sto table; do [ ! -e $file ] || mv $file our; done
    # A program that fails writes no profile, but hmmbuild leaves an empty file.
    [ "$expected" = 0 ] || rm -f their/out.hmm their/out.sto
    for file in out err out.hmm out.sto table; do
        for who in their our; do
            [ ! -e $who/$file ] || grep -avE "$own" $who/$file | sed "s,^  [^ ]*/hmmbuild -h$,  hmmbuild -h," >$who.$file
            [ -e $who/$file ] || : >$who.$file
        done
        # Blank lines at the end of messages, and hmmbuild's remark about itself, do not count.
        if [ $file = err ]; then
            for who in their our; do sed -i '/^hmm construction error/d; /^$/d' $who.err; done
        fi
        # When hmmbuild fails, it may or may not have written the first line of the table.
        [ $file = out ] && [ "$expected" != 0 ] && [ -s our.err ] && continue
        same their.$file our.$file
    done
}

for family in globins4 fn3 Pkinase; do
    cp "$tutorial/$family.sto" .
    compare 0 out.hmm $family.sto
    compare 0 -o table -O out.sto --wgsc --eclust out.hmm $family.sto
    compare 0 --amino --wblosum --plaplace --seed 7 --cpu 1 out.hmm $family.sto
done
compare 0 --amino --informat stockholm -n name --symfrac 0.5 --fragthresh 0.50 --ere 0.59 --esigma 45 --EmL 200 --EmN 201 --Eft 0.05 \
    --w_beta 1e-7 --w_length 30 --maxinsertlen 7 --popen 0.02 --pextend 0.3 --mx BLOSUM62 --singlemx out.hmm fn3.sto

# Files with several alignments, and files in other formats.
{ sed '2s/^$/#=GF ID first/' globins4.sto; cat fn3.sto; } >several.sto
compare 0 -O out.sto out.hmm several.sto
printf '>a\nMKV--LATwxGH\n>b\nMKVA-LAT--GH\n>c\nMRVAB-VTK-GY\n' >in.afa
compare 0 --amino out.hmm in.afa
compare 0 --amino --informat afa --singlemx out.hmm in.afa
printf '>a\nMKVLATwxGH\n>b\nMKVLATGH\n>c\nMR-LATGY\n' >in.a2m
compare 0 --amino --informat a2m --hand out.hmm in.a2m
printf 'CLUSTAL W (1.83) multiple sequence alignment\n\na  MKVLA\nb  MRV-A\n   * * *\n\na  GH\nb  GY\n   * \n' >in.aln
compare 0 --amino out.hmm in.aln
printf 'a  MKVla-GH\nb  MRV---GY\n' >in.psi
compare 0 --amino --informat psiblast out.hmm in.psi

# These inputs are refused.
: >empty.sto
printf 'hello\n' >unknown.txt
printf '# STOCKHOLM 1.0\nA ACD\nB AC\n//\n' >ragged.sto
printf '# STOCKHOLM 1.0\nA A\n//\n' >short.sto
printf '# STOCKHOLM 1.0\nA ACDEF~HIKL\n//\n' >inner.sto
printf '# STOCKHOLM 1.0\nA -\nB -\n//\n' >gaps.sto
{ cat globins4.sto globins4.sto; } >nameless.sto
compare 6 out.hmm missing.sto
compare 25 out.hmm empty.sto
compare 25 out.hmm unknown.txt
compare 7 --amino out.hmm ragged.sto
compare 7 --amino --informat afa out.hmm ragged.sto
compare 26 out.hmm short.sto
compare 1 --amino out.hmm inner.sto
compare 1 --amino out.hmm gaps.sto
compare 1 --amino --hand out.hmm gaps.sto
compare 1 --amino out.hmm nameless.sto
compare 1 --amino -n name out.hmm nameless.sto
compare 1 --informat nothing out.hmm globins4.sto
compare 1 missing/out.hmm globins4.sto
compare 1 -o missing/table out.hmm globins4.sto
compare 1 -O missing/out.sto out.hmm globins4.sto
for matrix in NONE PAM250 IDENTITY blosum62; do compare 1 --singlemx --mx $matrix out.hmm globins4.sto; done
for option in --EmN --EvN --EfN; do compare 1 $option 1 out.hmm globins4.sto; done
compare 1 --w_beta 2 out.hmm globins4.sto
compare 1 - globins4.sto
compare 1 out.hmm -
compare 1 out.hmm
compare 1 --nothing
compare 1 --eid 0.5 out.hmm globins4.sto
compare 1 --hand --symfrac 0.5 out.hmm globins4.sto
compare 1 --dna --amino out.hmm globins4.sto
compare 1 --cpu -1 out.hmm globins4.sto
compare 0 -h

# Pipelines pass alignments on standard input, and take the profile from standard output.
last_command='hmmbuild -o /dev/null /dev/stdout -'
hmmbuild --informat stockholm -n piped -o /dev/null /dev/stdout - <fn3.sto | grep -avE "$own" >theirs
"$programs/dropin/hmmbuild" --informat stockholm -n piped -o /dev/null /dev/stdout - <fn3.sto 2>.err | grep -avE "$own" >ours
same theirs ours
holds 'there is a profile' grep -q '^NAME  piped' ours

# An output may replace neither the input nor another output.
cp fn3.sto same.sto
for files in 'same.sto same.sto' '-O same.sto out.hmm same.sto' '-o out.hmm out.hmm same.sto' '-O out.hmm out.hmm same.sto'; do
    last_command="hmmbuild $files"
    "$programs/dropin/hmmbuild" $files >.out 2>.err && fail 'it is done'
    warns 'name the same file'
    same same.sto fn3.sto
    absent out.hmm
done
warns '<hmmfile_out>'

# Nucleotides go to the next hmmbuild in PATH (next_program_test.sh). If there is none, they are
# refused, because warpseq builds profiles of proteins only.
printf '# STOCKHOLM 1.0\na %s\nb %s\n//\n' "$(printf 'ACGT%.0s' {1..20})" "$(printf 'ACGA%.0s' {1..20})" >dna.sto
last_command='hmmbuild out.hmm dna.sto'
PATH=/nowhere "$programs/dropin/hmmbuild" out.hmm dna.sto >.out 2>.err && fail 'nucleotides are taken'
warns 'looks like DNA'
absent out.hmm

# `search hmmbuild` gives the same results.
hmmbuild --wgsc --seed 5 their.hmm fn3.sto >/dev/null || fail 'hmmbuild fails'
runs 0 search hmmbuild -q fn3.sto -o our.hmm --wgsc --seed 5
says '1     fn3                     98   117 '
for who in their our; do grep -avE "$own" $who.hmm >$who.profile; done
same their.profile our.profile
runs 0 search hmmbuild -q fn3.sto --wgsc --seed 5
grep -avE "$own" .out >our.profile
same their.profile our.profile
for backend in reference portable; do
    runs 0 search hmmbuild -q fn3.sto --wgsc --seed 5 --cpu-backend $backend --threads 1
    grep -avE "$own" .out >our.profile
    same their.profile our.profile
done

# Generated alignments under random options.
"$made_alignments" "$programs" --cases 60 || fail 'made alignments differ'
