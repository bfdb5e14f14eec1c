#!/usr/bin/env bash
# The drop-ins for BLAST+ treat identifiers, lists of identifiers and settings (.ncbirc) as NCBI
# BLAST+ 2.12.0 does. Each command line runs with the originals and with the drop-ins, on databases
# that each of them made itself, and both have to print the same.
. "$(dirname "$0")/../../support/checks.sh"
needs_blast
cd "$work" || exit 1
export HOME=$work/home
unset NCBI NCBI_CONFIG_PATH NCBI_CONFIG_OVERRIDES NCBI_DONT_USE_LOCAL_CONFIG
mkdir home theirs ours

residues=MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAG
printf '>q\n%s\n' $residues >q.fa
printf '>%s x\n'"$residues"'\n' AT1G01010.1 ENSP00000263741.7 sample.1.2.3 'gnl|db|AB.3' NP_012345.2 P12345 P23456.3 1ABC_A CAA12345.1 \
    'sp|O12345.2|NAME' 'gi|7|gb|AAA12345.1|' my_1 >dots.fa
printf '>1 first\n%s\n>2 second\n%s\n>0 third\n%s\n' $residues ${residues}A ${residues}C >ord.fa
printf '>ref|WP_000000001.1| first title\001gb|KAA00001.1| second title\001my_2 third\n%s\n>my_1 x\nMKVLAAAAAAACDEFGHI\n' $residues >merged.fa
awk -v r=$residues 'BEGIN { for (i = 1; i <= 20; ++i) printf ">s%d\n%s\n", i, substr(r r r, i * 3, 40 + 5 * i) }' >list.fa
printf 's5\ns6\ns7\ns20\n' >names
printf '>n nul\nMKT\000AYIAKQRQISFVKSHF\001SRQLEERLG\n' >nul.fa

# both COMMAND: runs a command line with the originals and with the drop-ins, each in its own
# folder. Standard output and messages must be the same.
both() {
    local who path
    last_command=$1
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        (cd $who && PATH=$path bash -c "$1" 2>&1) >$who.out || true
        sed -i -E -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' -e "s#$work/$who#FOLDER#g" $who.out
    done
    cp ours.out .out
    cp ours.out .err
    same theirs.out ours.out
    [ -s ours.out ] || fail 'nothing was printed'
}
for version in 4 5; do
    both "for f in dots merged list; do makeblastdb -in ../\$f.fa -dbtype prot -parse_seqids -blastdb_version $version -out \${f}$version >/dev/null && echo made; done
          makeblastdb -in ../ord.fa -dbtype prot -blastdb_version $version -out ord$version >/dev/null"
    # Only accessions of public databases lose their versions.
    both "blastp -query ../q.fa -db dots$version -outfmt '6 sseqid sacc saccver sallacc sallseqid' | sort"
    for format in 5 15 16; do both "blastp -query ../q.fa -db dots$version -outfmt $format | grep -iE 'hit_id|accession|\"id\"|<id>' | sort -u"; done
    both "blastp -query ../q.fa -db dots$version | grep '^>'"
    for entry in AT1G01010.1 AT1G01010 NP_012345 NP_012345.2 P12345 1ABC_A 1ABC 'sp|O12345.2|NAME' O12345 7 AAA12345 'gnl|db|AB.3' 'gnl|ANY|my_1' 'lcl|my_1'; do
        sampled 2 && both "blastdbcmd -db dots$version -entry '$entry' -outfmt '%i %a %t'"
    done
    for format in %l %s %o %i '%o %a'; do both "blastdbcmd -db merged$version -entry all -outfmt '$format'"; done
    both "blastdbcmd -db merged$version -entry all -ctrl_a"
    both "blastdbcmd -db merged$version -entry all -ctrl_a -long_seqids"
    for range in 5 5-5 5- 5-8; do both "blastdbcmd -db merged$version -entry my_1 -range $range"; done
    both "blastp -query ../list.fa -db list$version -negative_seqidlist ../names -evalue 1000 -outfmt 6 2>/dev/null"
    both "blastp -query ../list.fa -db list$version -negative_seqidlist ../names 2>/dev/null | grep -E 'Effective|letters'"
    both "blastp -query ../list.fa -db list$version -seqidlist ../names -evalue 1000 -outfmt 6 2>/dev/null"
done
both "blastp -query ../dots.fa -subject ../q.fa -parse_deflines -outfmt '6 qseqid qacc qaccver' | sort"
both "for n in 1 2 3 0 x; do blastdbcmd -db ord4 -entry \"gnl|BL_ORD_ID|\$n\" -outfmt '%i %t'; done; blastdbcmd -db ord4 -entry 'gnl|other|1'"
both "blastp -query ../nul.fa -subject ../q.fa -outfmt '6 qseqid qlen length evalue'"
both "blastp -query ../q.fa -subject ../nul.fa -outfmt '6 sseqid slen length evalue'"
for mode in 0 1 2 3; do
    both "blastp -query ../list.fa -db list5 -gapopen 32767 -gapextend 32767 -comp_based_stats $mode -evalue 100 -outfmt '6 std score'"
done

# Settings come from the first .ncbirc that is found in the current folder, $HOME and $NCBI. Folders
# of the environment variable BLASTDB are searched before those of the file.
both 'mkdir dbs more work; makeblastdb -in ../q.fa -dbtype prot -out dbs/pd >/dev/null && makeblastdb -in ../ord.fa -dbtype prot -out more/pd >/dev/null; echo made'
search='blastp -query ../../q.fa -db pd -outfmt 6; blastdbcmd -db pd -dbtype prot -entry all; echo $?'
find_path='blastdbcmd -show_blastdb_search_path'
both "cd work; $search"
both "cd work; printf '[BLAST]\nBLASTDB=/nonexistent:%s/dbs\n' \"\${PWD%/work}\" >.ncbirc; $search; $find_path"
both "cd work; BLASTDB=\${PWD%/work}/more; export BLASTDB; $search; $find_path"
both "cd work; rm .ncbirc; mkdir h; printf '; a comment\n[blast]\n blastdb = %s/dbs \n' \"\${PWD%/work}\" >h/.ncbirc; HOME=\$PWD/h; $search; $find_path"
both "cd work; NCBI=\$PWD/h; export NCBI; $search; $find_path"
both "cd work; printf '[BLAST]\nFOO=1\n' >.ncbirc; HOME=\$PWD/h; $search; $find_path; rm .ncbirc"
both "cd work; printf '[BLAST]\nLONG_SEQID=1\n' >.ncbirc; blastdbcmd -db ../dots5 -entry all; rm .ncbirc"
