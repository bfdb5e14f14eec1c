#!/usr/bin/env bash
# Compares the databases of the drop-in makeblastdb with those of NCBI's makeblastdb 2.12.0, byte
# for byte except dates. Also compares what NCBI's programs print for databases of both.
#
# FASTA and options are random. The test needs Debian's ncbi-blast+ (tools/setup check installs it),
# and skips without it.
. "$(dirname "$0")/../support/checks.sh"
needs_blast
needs_programs python3
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

# compare RUNS SEED: compares databases of random FASTA.
compare() {
    last_command="makeblastdb.py --runs $1 --seed $2"
    python3 "$here/makeblastdb.py" "$programs" "$work/compared" --runs "$1" --seed "$2" >.out 2>.err || fail 'makeblastdb.py finds a difference'
    cat .out
}
compare "$(thorough && echo 600 || echo 12)" 1

# NCBI's programs read the databases of both programs.
for ((i = 1; i <= 40; ++i)); do
    printf '>sp|P%05d|N%d_ORG title %d\001gi|%d|gb|AAA%05d.1| other\nMKVLAAGIVALLAKKVACDEFGHIKLMNPQRSTVWYMKVLAAGIVALLAKKV%s\n' $((10000 + i)) $i $i $i $i "$(printf 'ARNDCQEGHILKMFPSTWYV%.0s' 1 2 | cut -c "1-$i")"
done >F
head -2 F | sed 's/^>.*/>q/' >Q
for ((i = 1; i <= 40; ++i)); do printf 'P%05d %d\nAAA%05d 562\n' $((10000 + i)) $((9000 + i % 3)) $i; done >map
printf 'P10003\nAAA00007.1\n' >names
compared=0
# both PROGRAM ARGUMENTS...: runs NCBI's program in each folder, and compares its output.
both() {
    local who
    last_command="$*"
    for who in theirs ours; do
        (cd $who && "$@" >../$who.raw 2>../$who.err; echo $? >>../$who.err)
        sed -E -e "s#$work/$who#HERE#" -e 's/^Date: [^\t]*//' $who.raw >$who.out
        sed -i -E -e "s#$work/$who#HERE#; s/current time: .*//; s/[A-Z][a-z]{2} [0-9]{2}, [0-9]{4}  [0-9:]+ [AP]M//" $who.err
    done
    cp ours.out .out; cp ours.err .err
    same theirs.out ours.out
    same theirs.err ours.err
    compared=$((compared + 1))
}
for version in 5 4; do
    for options in '-parse_seqids -taxid_map ../map' '-parse_seqids -max_file_sz 5KB -taxid_map ../map' '-hash_index -taxid 9606'; do
        sampled 2 || continue
        rm -rf theirs ours
        mkdir theirs ours
        for who in theirs ours; do
            program=makeblastdb
            [ $who = ours ] && program=$programs/dropin/makeblastdb
            last_command="$program $options"
            # shellcheck disable=SC2086
            (cd $who && "$program" -in ../F -dbtype prot -title 'Some title' -out db -blastdb_version $version $options >../.out 2>../.err) || fail 'no database'
        done
        both blastp -query ../Q -db db -outfmt '6 std staxids sallseqid salltitles'
        both psiblast -query ../Q -db db -num_iterations 2 -outfmt 6
        both blastdbcmd -db db -dbtype prot -entry all -outfmt '%o %i %a %g %t %T %l %h %s'
        both blastdbcmd -db db -dbtype prot -info
        both blastdbcheck -db db -dbtype prot -no_isam
        both blastdb_aliastool -dblist db -dbtype prot -out alias -title Alias
        both blastdbcmd -db alias -dbtype prot -info
        case $options in *parse_seqids*)
            both blastdbcmd -db db -dbtype prot -entry 'P10003,AAA00007,gi|9' -outfmt '%i %t'
            both blastdbcmd -db db -dbtype prot -entry absent
            both blastp -query ../Q -db db -seqidlist ../names -outfmt 6
            [ $version = 4 ] || both blastp -query ../Q -db db -taxids 9001 -outfmt '6 saccver staxids'
            [ $version = 4 ] || both blastdbcmd -db db -dbtype prot -taxids 9002 -outfmt '%i %T' ;;
        esac
    done
done
# Lines that begin with '#' or '!' are comments, at the beginning, too.
{ printf '#one\n!two\n;three\n'; cat F; printf '#four\n'; } >C
rm -rf theirs ours && mkdir theirs ours
last_command='makeblastdb -in C'
(cd theirs && makeblastdb -in ../C -dbtype prot -out db) >.out 2>.err || fail "NCBI's refuses comments"
(cd ours && "$programs/dropin/makeblastdb" -in ../C -dbtype prot -out db) >.out 2>.err || fail 'comments are refused'
both blastdbcmd -db db -dbtype prot -entry all
# Our programs use a .wsdb only with the database that it belongs to.
last_command='blastp with another .wsdb'
rm -rf own && mkdir own && cd own || exit 1
"$programs/dropin/makeblastdb" -in ../F -dbtype prot -out db >/dev/null || fail 'no database'
"$programs/dropin/makeblastdb" -in ../Q -dbtype prot -out other >/dev/null || fail 'no database'
"$programs/dropin/blastp" -query ../Q -db db -outfmt 6 >expected || fail 'no hits'
[ "$(wc -l <expected)" -ge 40 ] || fail 'too few hits'
for how in 'cp other.wsdb db.wsdb' 'rm db.wsdb' 'cp ../Q db.wsdb'; do
    last_command="$how; blastp"
    $how
    "$programs/dropin/blastp" -query ../Q -db db -outfmt 6 >../.out 2>../.err || fail 'an error'
    same expected ../.out
done
printf '%d runs of NCBI programs, all the same\n' $compared
