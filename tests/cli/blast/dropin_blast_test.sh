#!/usr/bin/env bash
# The drop-ins blastp, makeblastdb and blastdbcmd behave as NCBI BLAST+ 2.12.0 on the command lines
# of pipelines that call them, with only PATH changed. Exit status, standard output, standard error,
# files and file names are the same, except for lines that name the program, its references, places,
# dates and times. Databases have the same bytes, except for dates. Two kinds of files are not
# compared: the log of times that makeblastdb writes beside its log (.perf), and the .wsdb. Probes
# and mistakes follow. The test needs Debian's ncbi-blast+ and mmseqs2-examples (tools/setup check
# installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_blast

# Inputs: F has proteins, Q eight of them, S some sequences with identifiers of databases.
mkdir inputs
zcat "$proteins" | awk '/^>/ {++n} n <= 600' >inputs/F
awk '/^>/ {++n} n % 75 == 3' inputs/F >inputs/Q
awk '/^>/ {++n} n % 90 == 5' inputs/F >inputs/few
(cat inputs/few; printf '>short\nMKVLAAGIVGL\n') >inputs/short
(cat inputs/few; printf '>shorter\nMKVLA\n') >inputs/shorter
{
    printf '>sp|P12345|FOO_HUMAN desc one\n'; sed -n '2p' inputs/F
    printf '>gi|12|ref|NP_1.1| y\nACDEFGHIKLMNPQRSTVWY\n>loc1 some  text \nMKVLAAGIVALLAKKV\n>gnl|mydb|tag7 g\nMKVA\n>lcl|abc\nMKVAAA\n'
    printf '>pdb|1ABC|A chain\nMKVAHHHHHH\n'
} >inputs/S
# M has merged definition lines, and map the taxonomy IDs of some of them.
{
    printf '>sp|P10001|A one\001gi|7|gb|AAA00001.1| two\001loc9 three\n'; sed -n '2p' inputs/F
    printf '>ref|NP_000002.1| x [taxid=3]\n%s\n>gnl|mydb|tag8\n%s\n>gi|8|emb|CAA00001.1|\n%s\n' $(sed -n '4p;6p;8p' inputs/F)
} >inputs/M
printf 'P10001 9606\nAAA00001 562\nloc9 7\nNP_000002.1\t10090\ntag8 5\nno line of two words\n8 11\n' >inputs/map
# ids has identifiers in lower and upper case, each with a sequence of its own. letters names them
# in either case.
letters=(A C D E F G H I K L M N P Q R S T V W Y)
for id in 'sp|p12345|foo_human one' 'ref|np_000002.1| two' 'gb|aaa00001.1| three' 'pdb|1abc|a x' 'gnl|MyDb|tag7 g' 'lcl|Lower x' 'emb|caa00001.1|loc y' \
    'TR|q12345|foo_tr z' 'pir||s12345 w' 'PIR|s54321|nam w' 'prf||1234a v' 'GI|77|Dbj|baa00001.2|nam v' 'tpg|daa00001.1| v' 'pat|us|re33188|1 v' 'SP|P99999|up' \
    'PDB|1XYZ|b chain' 'sp||foo_mouse m' 'gi|9'; do
    printf '>%s\nMKVLAAGIVALLAKKVACDEFGHIKLMNPQRSTV%s\n' "$id" "${letters[0]}"
    letters=("${letters[@]:1}")
done >inputs/ids
printf 'gb|P12345 5\nNP_000002.7 6\nAAa00001 7\n1ABC_A 8\ntag7 9\nLOWER 10\nsp|caa00001|x 11\nQ12345 12\nS12345 13\nemb|s54321 14\ntpg|DAA00001.1| 22\nbaa00001 33\n' >inputs/letters
cat inputs/F inputs/F >inputs/twice
sed '1!d' inputs/Q >inputs/nothing
: >inputs/empty
printf '>e\n>x1 long name of a query that goes on and on and on\nXXXXXXXXXXXX\n>o1\nMKVLAAGIVALLAKKVOOOACDEFGHIKLMN\n>e2 second\n\n>n1\nMKVLAAGIVALLAKKV\n' >inputs/empties
printf '>n1\n>n2 second\n\n>n3\n' >inputs/no_residues
awk 'BEGIN {for (i = 0; i < 5000; ++i) print ">n" i}' >inputs/no_residues_in_batches
(cat inputs/no_residues_in_batches; printf '>last\nMKVLAAGIVALLAKKV\n') >inputs/residues_at_last
printf '\n\nMKVLAAGIVALLAKKV\n>z\nACDEFGHIKLMNPQRSTVWY\n' >inputs/bare
printf '1 MKVLAAGIVALLAKKV\n17 ACDEF*GHIK\n>d\nMKVLAA-GI10V.ALL@AKKV--\n' >inputs/numbered
printf '>\nMKVLAAGIVALLAKKV\n> desc here\nMKVLAAGIVALLAKKV\n' >inputs/nameless
printf '>a one\nMKVL12AAGIVALLAKKV 16\n  17  ACDEFGHIK!LMN\n>b\n1 MKVLAAGIVALL*AKKW\n' >inputs/digits
printf '>a one\nMKVL12AAGIVALLAKKVACDEFGHIKLMN\n>b\nMKVLAAGIVALL*AKKW 16\n' >inputs/few_digits
printf '\n \n' >inputs/blank
echo P01013 >inputs/accession
echo 1301200 >inputs/gi
printf '>  late one\nMKVLAAGIVALLAKKV\n>\t tab\tand  blanks \nMKVLAAGIVALLAKKW\n>z\nACDEFGHIKLMNPQRSTVWY\n' >inputs/late
printf 'NP_1\nP12345 3-9\nnope\n\nP12345 5-9 plus\n' >inputs/batch
for program in blastp makeblastdb blastdbcmd; do
    [ "$(PATH=$programs/dropin:$PATH command -v $program)" = "$programs/dropin/$program" ] || fail "no drop-in $program"
done

# The two reports may differ in the program's name, its paper, paths and dates. strip removes these.
strip() {
    sed -E -e '/^USAGE$/,/^====/d' -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' -e '/^(Reference|<b><a$)/,/^Database: /{/^Database: /!d}' \
        -e 's/^    Posted date:.*/    Posted date:/; s/^Date: .*\t/Date: /; s/current time: .*/current time:/; s/ in [0-9.e-]+ seconds/ in some seconds/' \
        -e "s#$work/(ours|theirs)#HERE#g; s#[A-Z][a-z]{2} [0-9]{2}, [0-9]{4}  [0-9:]+ [AP]M#DATE#" "$1"
}

compared=0 rows=0
# both LINE: runs a command line with NCBI's programs and with the drop-ins, each in a folder of its
# own, and compares everything that they write. Files that earlier lines made stay in the folders.
both() {
    local who file path
    last_command=$1
    rm -rf stripped
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        mkdir -p $who stripped/$who
        (cd $who && ln -sf ../inputs/* . && PATH=$path bash -c "$1" >standard-output 2>standard-error; echo $? >exit-status)
        cp $who/standard-output .out
        cp $who/standard-error .err
        for file in $who/*; do
            [ -L "$file" ] || [ -d "$file" ] && continue
            case $file in
                *.wsdb | *.perf) ;;
                *.p[a-z][a-z]) LC_ALL=C sed -E 's/.[A-Z][a-z]{2} [0-9]{2}, [0-9]{4}  [0-9:]+ [AP]M\x00*/DATE/' "$file" >stripped/"$file" ;;
                *) strip "$file" >stripped/"$file" ;;
            esac
        done
    done
    diff -r stripped/theirs stripped/ours >.out || fail 'the output is not that of NCBI BLAST+'
    compared=$((compared + 1))
    rows=$((rows + $(cat ours/O ours/standard-output 2>/dev/null | grep -c '	')))
}
# silently LINE: requires that both run without an error and without messages. Searches leave
# nothing that a later line needs, so the shorter check runs one of five.
silently() {
    case $1 in blastp*) sampled 5 || return 0 ;; esac
    both "$1"
    [ "$(cat ours/exit-status)" = 0 ] || fail 'an error'
    [ ! -s ours/standard-error ] || fail 'standard error is not empty'
}
wrong() {
    sampled 5 || return 0
    both "$1"
    [ "$(cat ours/exit-status)" != 0 ] || fail 'not an error'
}

# Prokka, Roary, antiSMASH, RGI, Trinotate, get_homologues
silently 'makeblastdb -dbtype prot -in F -out DB -logfile /dev/null'
silently 'makeblastdb -hash_index -dbtype prot -in F -logfile /dev/null'
silently 'cat F | makeblastdb -in - -dbtype prot -title T -hash_index -out DB2'
silently 'blastdbcmd -db DB -entry all > O'
silently 'makeblastdb -in F -out DB3 -dbtype prot; test -e DB3.pin && test -e DB3.phr && test -e DB3.psq'
silently 'makeblastdb -in F -dbtype prot'
silently 'blastp -query - -db DB -evalue 1e-09 -qcov_hsp_perc 80 -num_threads 1 -num_descriptions 5 -num_alignments 5 -seg no < Q'
silently 'blastp -query Q -db DB -evalue 1e-06 -num_threads 1 -outfmt 6 -max_target_seqs 2000 | awk "{ if (\$3 > 50) print \$0;}"'
silently 'blastp -num_threads 2 -db DB -outfmt 6 < Q'
silently "blastp -num_threads 2 -db DB -outfmt '6 qacc sacc nident qseq qstart qend qlen sseq sstart send slen' < Q"
silently 'blastp -db DB -query Q -outfmt 6 -max_target_seqs 10000 -evalue 1e-05 -out O'
silently 'blastp -query Q -db DB -num_threads 2 -outfmt 5 -out O'
silently "blastp -dbsize 100000000 -task blastp-fast -seg yes -soft_masking true -query Q -evalue 1e-5 -db DB -out O -outfmt '6 qseqid sseqid pident length qlen slen qstart qend sstart send evalue bitscore' -max_target_seqs 50"
silently 'blastp -query Q -db DB'
# OrthoFinder, AMRFinderPlus, run_dbcan
silently 'makeblastdb -dbtype prot -in F -out DB4; test $(makeblastdb -dbtype prot -in F -out DB4 | wc -l) -le 12'
silently 'blastp -outfmt 6 -evalue 0.001 -query Q -db DB4 -out O'
silently 'blastp -outfmt 6 -evalue 0.001 -query Q -db DB4 | gzip -n > O.gz; gunzip -f O.gz'
silently 'makeblastdb -in F -dbtype prot -logfile L'
silently "blastp -query Q -db DB -comp_based_stats 0 -seg no -max_target_seqs 10000 -dbsize 10000 -evalue 1e-10 -word_size 5 -task blastp-fast -outfmt '6 sseqid qseqid sstart send slen qstart qend qlen sseq qseq' -out O"
silently 'blastp -max_hsps 1 -query Q -db DB -outfmt "6 qseqid sseqid pident length mismatch gapopen qstart qend sstart send evalue bitscore qlen slen" -evalue 0.01 -out O -num_threads 2'
# SequenceServer, nf-core, Snakemake wrappers, Galaxy
silently "makeblastdb -parse_seqids -hash_index -in 'S' -dbtype prot -title 'T' -taxid 9606"
silently "blastdbcmd -recursive -list . -list_outfmt '%p' | sort -u"
silently "blastdbcmd -db S -entry 'P12345' -range 5-20"
silently "blastdbcmd -entry all -db S -outfmt '%i %T'"
silently "blastdbcmd -outfmt '%g	%i	%a	%t	%s' -db 'S' -entry P12345,NP_1"
silently 'mkdir -p d; makeblastdb -in F -out d/F -dbtype prot'
silently 'makeblastdb -in F -out new/folder/F -dbtype prot'
silently 'makeblastdb -in F -dbtype prot -input_type fasta -blastdb_version 5 -logfile L -out DB5'
silently 'cat S | makeblastdb -out S4 -blastdb_version 4 -in - -title T -dbtype prot'
silently 'blastdbcmd -dbtype prot -db S -entry NP_1.1,loc1'
silently 'blastdbcmd -dbtype prot -db DB -info -out O'
silently "blastp -query Q -db '\"DB\" \"S\"' -task blastp -evalue 0.001 -out O -outfmt '6 std sallseqid score nident positive gaps ppos qframe sframe qseq sseq qlen slen salltitles' -num_threads 2"
silently 'blastp -query <(cat Q) -subject F -task blastp-short -evalue 0.001 -out O -outfmt 6 -num_threads 1'
silently 'blastp -query Q -subject F -evalue 1e-5'
# The shortest subject determines cutoffs.
for subject in few short shorter; do
    silently "blastp -query Q -subject $subject -evalue 1000 -outfmt 6"
    silently "blastp -query Q -subject $subject -evalue 10 -outfmt 6 -comp_based_stats 0"
done
silently 'blastp -query Q -subject F -evalue 1e-5 -outfmt 5'
silently 'blastp -query Q -subject F -evalue 1e-5 -outfmt "7 std stitle staxids"'
silently 'blastp -query Q -db DB -outfmt 6 -matrix BLOSUM45 -gapopen 14 -gapextend 2 -seg yes -max_target_seqs 20 -word_size 3 -window_size 30 -threshold 12 -comp_based_stats 1'
silently 'blastp -query Q -db DB -outfmt 7 -evalue 1e-3 -mt_mode 0 -num_threads 1'
silently 'makeblastdb -in M -dbtype prot -parse_seqids -taxid_map map -blastdb_version 4'
silently "blastdbcmd -db M -dbtype prot -entry all -outfmt '%a %i %T %t'"
silently "blastdbcmd -db M -dbtype prot -entry AAA00001"
silently "blastdbcmd -db M -dbtype prot -entry AAA00001 -target_only"
for outfmt in 0 5 "6 std sallseqid sgi sallgi sallacc staxid staxids stitle salltitles"; do
    silently "blastp -query M -db M -evalue 1 -outfmt '$outfmt'"
done
# Identifiers, ranges, names, spellings
for outfmt in 0 5 6 7 10 "6 sseqid sgi sallgi sacc saccver sallseqid stitle sallacc staxid staxids salltitles"; do
    silently "blastp -query S -db S -evalue 100 -outfmt '$outfmt'"
done
for outfmt in 0 5 6 16 "6 std qlen qcovs qcovhsp"; do
    silently "blastp -query Q -db DB -evalue 0.1 -query_loc 20-60 -outfmt '$outfmt'"
done
silently 'blastp -query Q -db DB -evalue 0.1 -query_loc 100-400 -seg yes -lcase_masking -outfmt 6'
silently 'cd d; BLASTDB=.. blastp -query ../Q -db DB -outfmt 7 -evalue 1e-5'
silently 'blastp -query=Q -db=DB -outfmt=6 -evalue=1e-3 -line_length=70 2> /dev/null'
for letter in D 0 F f 1 T t 3 9; do silently "blastp -query Q -db DB -outfmt 6 -evalue 1e-3 -comp_based_stats $letter"; done
for options in '-line_length 100' '-num_descriptions 7 -num_alignments 2' '-num_alignments 0' '-max_target_seqs 6' '-show_gis'; do
    silently "blastp -query Q -db DB -evalue 0.1 $options"
done
silently 'blastdbcmd -db DB -entry all -range 2-5 -line_length 3'
silently "blastdbcmd -db DB -entry all -outfmt '%a|%i|%t|%l|%T|%g|%o|%L|%S|%N|%X|%C|%B|%K|%P|%e|%%'"
silently 'blastdbcmd -db "DB S" -info'
silently 'blastdbcmd -show_blastdb_search_path'
[ "$rows" -gt "$(thorough && echo 1000 || echo 200)" ] || fail "only $rows rows were compared"

# Formats that show all hits below the query, orders of hits and HSPs, and HTML. The E-value limit
# lets several HSPs of a sequence pass.
for outfmt in 1 2 3 4; do
    silently "blastp -query Q -db DB -evalue 100 -outfmt $outfmt"
    silently "blastp -query Q -db DB -outfmt $outfmt -html -seg yes -sorthits $outfmt -line_length 37 2>/dev/null"
    silently "blastp -query Q -subject F -evalue 0.1 -outfmt $outfmt -num_descriptions 3 -num_alignments 7"
    silently "blastp -query S -db S -evalue 100 -outfmt $outfmt -query_loc 3-12"
done
for order in 0 1 2 3 4; do
    silently "blastp -query Q -db DB -evalue 100 -sorthits $order"
    silently "blastp -query Q -db DB -evalue 100 -sorthsps $order"
    silently "blastp -query Q -db DB -evalue 100 -sorthits $order -sorthsps 4 -html -max_hsps 2"
done
for options in '-db DB -evalue 10' '-db S -evalue 100' '-subject S -evalue 100' '-db DB -seg yes' '-db DB -num_alignments 2' '-db DB -num_descriptions 0'; do
    silently "blastp -query Q -html $options"
done
silently 'blastp -query S -db S -evalue 100 -html'
silently 'blastp -query Q -db DB -html -lcase_masking -evalue 10 -line_length 7'
# Several databases. They are ordered by their names without endings, and one may be named twice.
silently 'makeblastdb -in Q -dbtype prot -out DBQ'
silently 'makeblastdb -in Q -dbtype prot -out DB.Q'
for outfmt in 0 1 6 15; do
    for dbs in 'DBQ DB' 'DB.Q DB' 'DB DB.Q DBQ' 'DB DBQ ./DB'; do silently "blastp -query Q -db '$dbs' -evalue 1 -outfmt $outfmt"; done
done
# Formats 13 to 16: documents, line by line, and lists of documents.
for outfmt in 13 14 15 16; do
    for options in '-query Q -db DB -evalue 1e-3' '-query Q -subject F -evalue 1e-3' '-query S -db S -evalue 10' '-query S -subject S -evalue 1e-10' '-query late -subject ids -parse_deflines -evalue 10'; do
        silently "rm -f J*; blastp $options -outfmt $outfmt -out J"
    done
done
# Identifiers in lower case.
silently 'makeblastdb -in ids -dbtype prot -parse_seqids -taxid_map letters'
silently "blastdbcmd -db ids -dbtype prot -entry all -outfmt '%T %i %a %t %g'"
silently 'blastdbcmd -db ids -dbtype prot -entry all'
for outfmt in 0 1 5 15 "6 std sallseqid sgi sallgi sacc saccver sallacc staxid stitle salltitles"; do
    silently "blastp -query bare -db ids -evalue 10 -outfmt '$outfmt'"
    silently "blastp -query ids -db DB -parse_deflines -evalue 1000 -outfmt '$outfmt'"
done
silently "blastp -query ids -db DB -parse_deflines -evalue 1000 -outfmt '7 qseqid qacc qaccver qgi sseqid'"
silently "blastp -query late -subject ids -parse_deflines -evalue 10 -outfmt '6 sseqid sacc saccver sallseqid sgi'"
# Blanks in front of names.
for outfmt in 0 5 15 "6 std stitle sallseqid saccver"; do silently "blastp -query late -subject late -evalue 10 -outfmt '$outfmt'"; done
# Subjects without headers, without names and with digits, and databases with digits.
for subject in bare numbered nameless digits; do
    for outfmt in 0 5 15 "6 std sallseqid saccver stitle sseq"; do both "blastp -query late -subject $subject -evalue 10 -outfmt '$outfmt'"; done
    [ "$(cat ours/exit-status)" = 0 ] || fail 'an error'
done
both 'blastp -query numbered -subject digits -outfmt 6'
# A database that dbconv makes beside the subject has other names, and lacks hyphens without a
# warning. The report is the same nevertheless.
(cat inputs/nameless; printf '>hyphens\nMKVLAA-GIVALLAKKV\n') >inputs/copied
both 'cp --remove-destination ../inputs/copied copied'
runs 0 dbconv ours/copied -o ours/copied.wsdb --quiet
for outfmt in 0 5 "6 std sallseqid saccver stitle sseq"; do both "blastp -query late -subject copied -evalue 10 -outfmt '$outfmt'"; done
both 'makeblastdb -in few_digits -dbtype prot; blastdbcmd -db few_digits -dbtype prot -entry all'
both 'makeblastdb -in few_digits -dbtype prot -parse_seqids -logfile O; blastdbcmd -db few_digits -dbtype prot -entry all'
# Malformed queries, and identifiers in headers.
for outfmt in 0 1 5 7 15; do
    for query in empties bare numbered nameless; do both "blastp -query $query -subject S -evalue 10 -outfmt $outfmt"; done
    silently "blastp -query S -db DB -parse_deflines -evalue 10 -outfmt $outfmt"
    silently "blastp -query S -subject S -parse_deflines -evalue 10 -outfmt $outfmt"
done
both 'blastp -query bare -db DB -evalue 10 < /dev/null'
silently 'cat bare | blastp -subject S -evalue 10 -outfmt 6'
silently "blastp -query S -db DB -evalue 10 -parse_deflines -outfmt '6 qseqid qacc qaccver qgi qlen saccver'"
silently 'blastp -query Q -db DB -evalue 1e-3 -outfmt "5 std"'
# Every column that NCBI's help names. NCBI's blastp has no names of taxa here either, and prints a
# message about that.
fields=$(blastp -help | sed -n 's/^   \t *\([a-z]*\) means .*/\1/p' | tr '\n' ' ')
[ "$(printf %s "$fields" | wc -w)" = 50 ] || fail "the columns are: $fields"
silently "blastp -query Q -db DB -evalue 0.1 -outfmt '7 $fields' 2>/dev/null"
silently "blastp -query S -db S -evalue 10 -outfmt '6 $fields' 2>/dev/null"
silently "blastp -query S -subject S -evalue 100 -outfmt '10 delim=@ std $fields' 2>/dev/null"

# Warnings, and mistakes.
for options in '-max_target_seqs 3 -outfmt 6' '-num_descriptions 5 -outfmt 6' '-line_length 5 -outfmt 6' '-sorthits 1 -outfmt 6' '-sorthsps 1 -outfmt 6'; do
    both "blastp -query Q -db DB -evalue 1e-3 $options"
    [ -s ours/standard-error ] || fail 'no warning'
done
both 'blastp -query empty -db DB'
both 'blastp -query /dev/null -db DB'
both 'blastp -db DB < /dev/null'
both 'blastp -query blank -db DB'
# Files in which no query has residues, or only one has.
for options in '-query no_residues -db DB -outfmt 6' '-query no_residues -subject F -outfmt 7' '-query no_residues -db DB -outfmt 5' '-query - -db DB -outfmt 6 < no_residues' \
    '-query no_residues -db DB -outfmt 6 -query_loc 1-3' '-query bare -db DB -outfmt 6 -query_loc 17-20 -evalue 1e-3' '-query no_residues_in_batches -db DB -outfmt 6'; do
    both "blastp $options"
    case $options in *bare*) ;; *) [ "$(cat ours/exit-status)" = 3 ] || fail 'exit status is not 3' ;; esac
done
both 'blastp -query residues_at_last -db DB -outfmt 7'
for options in -nonsense --query -quer 'extra' '-evalue' '-evalue x' '-evalue 1e-x' '-evalue 0' '-evalue -1' '-task foo' '-word_size 1' '-word_size 8' \
    '-word_size 3x' '-word_size 99999999999' '-matrix X' '-gapopen 3' '-gapopen 3 -gapextend 3 -matrix PAM30' '-outfmt 17' '-outfmt 19' '-outfmt 99' \
    '-outfmt x' '-outfmt' '-max_target_seqs 0' '-max_target_seqs 3 -num_alignments 4' '-num_threads 0' '-soft_masking maybe' '-dbsize x' '-mt_mode 1' \
    '-subject F' '-entrez_query x' '-remote -num_threads 2' '-qcov_hsp_perc 101' '-best_hit_overhang 0.5' '-sorthsps 7' '-db DB' '-threshold 0' \
    '-xdrop_ungap 0' '-query_loc 0-10' '-query_loc 10-5' '-query_loc x' '-query_loc -5' '-query_loc 7-7' '-query_loc 1-2-3' '-query_loc 1-' '-out absent/x' '-out .' '-outfmt 6 -num_alignments 0'; do
    wrong "blastp -query Q -db DB $options"
done
for line in 'blastp -query late -db DB -query_loc 1000-1001 -outfmt 6' 'blastp -query Q -subject empty' 'blastp -query Q -subject blank -outfmt 5' \
    'blastp -query Q -subject - < /dev/null' 'blastp -query nofile -db DB' 'blastp -query Q -db none' 'BLASTDB=/x:/y blastp -query Q -db none' 'blastp -query Q' 'blastp -query Q -db ""' \
    'blastp -query Q -subject nofile' 'makeblastdb -dbtype prot -in nofile -out x' 'makeblastdb -dbtype prot -in empty -out x' 'makeblastdb -dbtype prot' \
    'makeblastdb -dbtype prot -in - -out x' 'makeblastdb -in F' 'makeblastdb -in F -dbtype x' 'makeblastdb -in F -dbtype prot -blastdb_version 6' \
    'makeblastdb -in "F Q" -dbtype prot' 'makeblastdb -in F -dbtype prot -taxid_map m' 'makeblastdb -in F -dbtype prot -taxid 1 -taxid_map m' \
    'blastdbcmd -db none -entry all' 'blastdbcmd' 'blastdbcmd -db S' 'blastdbcmd -db S -entry nope' 'blastdbcmd -db S -entry P12345,nope -outfmt %a' \
    'blastdbcmd -db S -entry_batch batch' 'blastdbcmd -db S -entry_batch nofile' 'blastdbcmd -db S -entry P12345 -info' 'blastdbcmd -db S -entry x -line_length 0'; do
    wrong "$line"
done

# Probes. The first line of -version is the same, and the help goes to standard output with nothing
# on standard error.
for program in blastp makeblastdb blastdbcmd; do
    silently "$program -version | head -1"
    for option in -h -help; do
        last_command="$program $option"
        "$programs/dropin/$program" $option >.out 2>.err || fail 'an error'
        silent
        # The usage names the same options in the same order.
        for who in theirs ours; do
            [ $who = ours ] && path=$programs/dropin:$PATH || path=$PATH
            PATH=$path $program $option | sed -n '/^USAGE/,/^DESCRIPTION/p' >$who.usage
        done
        same theirs.usage ours.usage
    done
done
last_command='blastp -help'
"$programs/dropin/blastp" -help >.out
says '-num_threads '
says '-mt_mode '

# NCBI's programs print less or other things for these lines, so only the exit status is compared.
for line in 'blastp -query late -db DB -query_loc a-7' 'blastp -query late -db DB -query_loc 1-0x7' 'blastp -query late -db DB -query_loc 1-9999999999' \
    'blastp -query Q -db DB > /dev/full' 'blastp -query Q -db DB -out /dev/full' 'blastp -query late -db DB -query_loc 1000-1001'; do
    last_command=$line
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        (cd $who && PATH=$path bash -c "$line" >../.out 2>../.err; echo $? >../$who.status)
    done
    [ "$(cat theirs.status)" != 0 ] || fail 'no error'
    same theirs.status ours.status
done

# Queries that are identifiers instead of sequences. NCBI's blastp fetches these, and ends with
# status 3 if it cannot.
for query in accession gi; do
    last_command="blastp -query $query"
    (cd ours && "$programs/dropin/blastp" -query $query -db DB >../.out 2>../.err)
    [ $? = 3 ] || fail 'the exit status is not 3'
    warns 'does not fetch'
    prints_nothing
done

# The error for an option that is not supported names it.
for options in '-outfmt 8' '-outfmt 9' '-outfmt 11' '-outfmt 12' '-outfmt 18' '-gilist 9606' '-searchsp 0' "-seg '12 0 9'" '-comp_based_stats 2U'; do
    last_command="blastp $options"
    PATH=$programs/dropin:$PATH bash -c "cd ours && blastp -query Q -db DB $options" >.out 2>.err && fail 'no error'
    warns "${options%% *}"
    warns "not supported by warpseq's blastp"
    prints_nothing
done
# NCBI's own database is read. If a database of NCBI's cannot be read, the message tells how to
# convert it. blast_databases_test.sh tests databases that can be read.
last_command='blastp -db REAL'
(cd theirs && blastp -query Q -db DB -outfmt 6 >../.theirs)
(cd theirs && "$programs/dropin/blastp" -query Q -db DB -outfmt 6 >../.out 2>../.err) || fail 'it is not read'
same .theirs .out
(cd theirs && printf 'DBLIST DB\nTAXIDLIST x\n' >some.pal && "$programs/dropin/blastp" -query Q -db some -outfmt 6 >../.out 2>../.err)
[ $? = 2 ] || fail 'exit status is not 2'
warns '-entry all -out'
(cd theirs && blastdbcmd -db DB -entry all -out DB.fasta && "$programs/dropin/makeblastdb" -in DB.fasta -dbtype prot >/dev/null &&
    "$programs/dropin/blastp" -query Q -db DB.fasta -outfmt 6 >../.out) || fail 'the two commands do not convert it'
same .theirs .out
# An output that would be the input is refused, and nothing is lost.
last_command='makeblastdb over its input'
mkdir over
cp inputs/F over/F.wsdb
(cd over && "$programs/dropin/makeblastdb" -in F.wsdb -dbtype prot -out F >../.out 2>../.err) && fail 'no error'
same inputs/F over/F.wsdb
cp inputs/Q over/Q
(cd over && "$programs/dropin/makeblastdb" -in ../inputs/F -dbtype prot -out db >../.out 2>../.err) || fail 'no database'
sha256sum over/* >sums
for output in db.wsdb db.pin db.phr db.pto Q; do
    last_command="reports over $output"
    (cd over && "$programs/dropin/blastp" -query Q -db db -out $output >../.out 2>../.err); [ $? = 1 ] || fail 'blastp: not status 1'
    warns "-out and -$([ $output = Q ] && echo query || echo db) name the same file, $output"
    [ $output = Q ] && continue
    (cd over && "$programs/dropin/blastdbcmd" -db db -entry all -out $output >../.out 2>../.err); [ $? = 1 ] || fail 'blastdbcmd: not status 1'
done
sha256sum --quiet -c sums || fail 'an input was replaced'
# Identifiers that occur twice are refused if they have to be unique, and no database appears.
last_command='makeblastdb -parse_seqids'
(cd over && "$programs/dropin/makeblastdb" -in ../inputs/twice -dbtype prot -parse_seqids -out twice >../.out 2>../.err); [ $? = 1 ] || fail 'not status 1'
warns 'Duplicate seq_ids are found'
absent over/twice.pin
absent over/twice.wsdb

# Biopython as a reader of both outputs.
if /usr/bin/python3 -c 'import Bio.SearchIO, Bio.Blast.NCBIXML' 2>/dev/null; then
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        (cd $who && for outfmt in 5 6 7; do PATH=$path blastp -query Q -db DB -evalue 1e-3 -outfmt $outfmt -out ../$who.$outfmt; done)
    done
    last_command=Biopython
    /usr/bin/python3 "$(dirname "$0")/dropin_blast_readers.py" >.out 2>.err || fail 'Biopython reads something else'
    cat .out
else
    skipped 'no Biopython here'
fi
printf '%d command lines, %d rows, all the same\n' $compared $rows
