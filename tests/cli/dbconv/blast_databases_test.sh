#!/usr/bin/env bash
# warpseq's programs read protein databases of NCBI's makeblastdb, versions 4 and 5, as they are.
# The drop-ins blastp and blastdbcmd print what NCBI's programs print for them, except for lines
# that name the program and its references. search and dbconv read them, too. Databases that cannot
# be read are refused. The test needs Debian's ncbi-blast+ and mmseqs2-examples (tools/setup check
# installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_blast

# F has proteins with identifiers of Swiss-Prot's kind. K has identifiers of every kind, merged
# definition lines, odd titles and every letter.
zcat "$proteins" | awk '/^>/ {++n} n <= 700' >F
awk '/^>/ {++n} n % 140 == 3' F >Q
base=MKVLAAGIVALLAKKVWWWPHECMKVLAAGIVALLAKKVWWW
n=0
record() {
    n=$((n + 1))
    printf '>%b\n%s%s\n' "$1" "$base" "$(printf 'ARNDCQEGHILKMFPSTWYV%.0s' 1 2 | cut -c 1-$n)" >>K
}
for header in 'sp|P10001|FOO_HUMAN one OS=x' 'gi|12|ref|NP_000001.1| two' 'loc1 three  blanks ' 'gnl|mydb|tag7 four' 'gnl|mydb|77 five' 'lcl|abc' \
    'pdb|1ABC|A chain A\001pdb|2ABC|b chain b' 'sp|P10002|A first\001sp|P10003|B second\001gi|77|gb|AAA00001.1| third' 'prf||1234A a' 'pir||S12345 b' \
    'pir|A12345| c' 'emb|CAA00001.1| d' 'dbj|BAA00001.1| e' 'tr|A0A001|A_BAC f' 'tpg|DAA00001.1| MAG: g' 'gb|AAA00002.1|LOC TPA_inf: h, &amp; ;i (j ) ,' \
    'pat|US|1234567|3 k' 'Q8AWH3 bare' 'NP_000002.1 bare' '1XYZ_A bare' 'sp|P10004|E\001sp|P10005|F' 'sp|P10006|G [taxid=3]' "long $(printf 'x y z %.0s' $(seq 60))" \
    "sp|P10007|H $(printf 'a long title %.0s' $(seq 20))\001sp|P10008|I $(printf 'another one %.0s' $(seq 20))"; do
    record "$header"
done
printf '>odd letters\nMKVLAUGIVOLLAJKVZWBPHECMKVXLAAGIVALLAKK*VWWWDE\n' >>K
printf 'P10001 9606\nP10002 562\nP10003 9606\nAAA00001.1 3\nloc1 7\n1ABC_A 4\nP10004 0\nP10005 5\nQ8AWH3 4294967\n' >taxids
printf '>q\n%sARND\n' $base >R

make() { makeblastdb -dbtype prot "$@" >made 2>&1 || fail "NCBI's makeblastdb: $(tail -1 made)"; }
for version in 4 5; do
    make -in F -out f$version -blastdb_version $version -title 'A title'
    make -in F -out fv$version -blastdb_version $version -parse_seqids -max_file_sz 100KB
    make -in K -out k$version -blastdb_version $version
    make -in K -out kp$version -blastdb_version $version -parse_seqids -taxid_map taxids
    make -in K -out kt$version -blastdb_version $version -parse_seqids -taxid 9606 -title ''
    make -in K -out knt$version -blastdb_version $version -taxid 9606
done
[ -e fv5.03.pin ] || fail 'there is one volume only'
blastdb_aliastool -dbtype prot -dblist 'kp5 f5' -title 'An alias of two' -out alias >made 2>&1 || fail 'no alias'
printf 'DBLIST knt5 f5 knt5\n' >bare.pal

compared=0 rows=0
strip() {
    sed -E -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' -e '/^Reference/,/^Database: /{/^Database: /!d}' \
        -e '/<BlastOutput_reference>/d; /<reference>/d' -e '/<xmlns|<xs:schema/d' "$1"
}
# both PROGRAM ARGUMENTS...: compares the output of NCBI's program with that of the drop-in.
both() {
    last_command="$*"
    "$@" >theirs 2>.err || fail "NCBI's program fails"
    "$programs/dropin/$1" "${@:2}" >ours 2>.err || fail 'an error'
    strip theirs >theirs.text
    strip ours >ours.text
    diff theirs.text ours.text >.out || fail "the output is not that of NCBI's"
    compared=$((compared + 1))
    rows=$((rows + $(wc -l <ours)))
}

fields='6 std sallseqid sgi sallgi sacc sallacc staxid staxids sscinames scomnames stitle salltitles slen'
for db in f4 f5 fv4 fv5 k4 k5 kp4 kp5 kt4 kt5 knt4 knt5 alias bare; do
    query=Q evalue=10
    case $db in k* | bare) query=R evalue=1e9 ;; esac
    for outfmt in 0 5 7 "$fields"; do both blastp -query $query -db $db -evalue $evalue -comp_based_stats 0 -outfmt "$outfmt"; done
done
both blastp -query R -db kp5 -outfmt 16
both blastp -query Q -db fv5 -outfmt 6 -max_target_seqs 3
both blastp -query Q -db 'f5 kp5' -outfmt 0
both blastp -query R -db 'knt4 kp4' -outfmt "$fields"
# Databases of the same sequences whose names begin alike. A database that is named twice, or by an
# alias and besides, is searched once.
make -in F -out f5.again
printf 'DBLIST f5.again f5\n' >untitled.pal
for dbs in 'f5.again f5' 'f5 f5' 'f4 k4 ./f4' 'alias f5' 'f5 alias' 'kp5 alias' 'alias alias' 'f5 alias ./f5' 'bare alias f5 kp5 alias f5' 'k5 f5 ./f5' 'f5 kp5 f5' 'untitled f5.again' 'kp5 f5 untitled'; do
    for outfmt in 0 5 "$fields"; do both blastp -query Q -db "$dbs" -evalue 10 -outfmt "$outfmt"; done
done
# Lists of sequences and of taxa. Lists of taxa need version 5. E-values count the sequences that a
# list leaves. This holds for aliases, too, and for databases that are named besides their alias. K
# has a sequence with the name of one in F. NCBI's blastp finds only one of the two, so G leaves it
# out.
awk '/^>/ {is = !/Q8AWH3/} is' F >G
make -in G -out gv5 -parse_seqids -max_file_sz 100KB
blastdb_aliastool -dbtype prot -dblist 'kp5 gv5' -title 'For lists' -out listed >made 2>&1 || fail 'no alias'
printf 'DBLIST kp5 gv5\n' >listed2.pal
{ printf 'P10001\nP10003\nAAA00001.1\nloc1\n'; awk -F '|' '/^>/ && ++n % 3 == 0 {print $2}' G; } >names
printf '9606\n3\n' >numbers
mkdir own
taxids='6 qaccver saccver sallseqid salltitles staxid staxids evalue'
for db in kp5 gv5 'kp5 gv5' listed listed2 'listed kp5' 'kp5 listed2 kp5' 'listed listed2'; do
    for list in -seqidlist -negative_seqidlist; do
        both blastp -query R -db "$db" $list names -evalue 1000 -outfmt "$taxids"
    done
    [[ $db != gv5 ]] || continue
    for list in '-taxids 9606' '-taxids 562,5,77' '-negative_taxids 9606' '-taxidlist numbers' '-negative_taxidlist numbers'; do
        # shellcheck disable=SC2086
        both blastp -query R -db "$db" $list -evalue 1000 -outfmt "$taxids"
    done
done
for outfmt in 5 7; do both blastp -query R -db listed -seqidlist names -outfmt $outfmt; done
for outfmt in 0 5; do both blastp -query R -db listed -taxids 9606 -outfmt $outfmt; done
for options in '-db kp4 -taxids 9606' '-db fv4 -negative_taxids 9606' '-db "kp4 fv4" -taxidlist numbers -query_loc 2-9'; do
    last_command="blastp $options"
    eval "blastp -query R $options" >theirs 2>theirs.err && fail 'lists of taxa are taken by version 4'
    their_status=$?
    eval '"$programs/dropin/blastp" -query R' "$options" >.out 2>.err
    [ $? = $their_status ] || fail "the exit status is not $their_status"
    same .err theirs.err
    prints_nothing
done
"$programs/dropin/makeblastdb" -in K -dbtype prot -parse_seqids -taxid 9606 -blastdb_version 4 -out own/version4 >made || fail 'no database'
"$programs/dropin/blastp" -query R -db own/version4 -taxids 9606 >.out 2>.err && fail 'lists of taxa are taken by version 4'
same .err theirs.err
# Searches by taxa in copies of such databases, and in such databases beside warpseq's own. Each
# volume knows its own taxa.
of_taxon() { # DATABASES TAXID: prints the accessions of the hits, sorted
    last_command="blastp -db '$1' -taxids $2"
    "$programs/dropin/blastp" -query R -db "$1" -taxids $2 -evalue 1e9 -outfmt '6 saccver' >.out 2>.err || fail "$(cat .err)"
    sort -u .out
}
runs 0 dbconv kp5 -o own/copy5.wsdb --quiet
of_taxon kp5 9606 >of_kp5
grep -qx P10001 of_kp5 || fail 'P10001 is not found'
of_taxon own/copy5.wsdb 9606 >.of; same .of of_kp5
printf '>one\n%sARND\n>two\n%sARNDC\n' $base $base >T
printf 'one\t9606\ntwo\t562\n' >T.map
runs 0 dbconv T --taxid-map T.map -o own/T.wsdb --quiet
for dbs in 'kp5 own/T.wsdb' 'own/T.wsdb own/copy5.wsdb'; do
    of_taxon "$dbs" 9606 >.of
    { cat of_kp5; echo one; } | sort >expected
    same .of expected
done
"$programs/dropin/blastp" -query R -db 'kp5 own/T.wsdb' -negative_taxids 9606 -evalue 1e9 -outfmt '6 staxids' >.out || fail 'not searched'
if grep -qx 9606 .out; then fail 'what has been left out is found'; fi
printf '>plain\n%sAR\n' $base >plain
printf '>other [taxid=562]\n%sARN\n' $base >other
for file in own/copy5.wsdb plain; do runs 0 dbconv --append own/taxa.wsdbs $file --quiet; done
"$programs/dropin/makeblastdb" -in other -dbtype prot -taxid 9606 -out own/zother >made || fail 'no database'
{ cat of_kp5; echo other; } | sort >expected
of_taxon 'own/taxa.wsdbs own/zother' 9606 >.of; same .of expected
[ $rows -gt 10000 ] || fail "only $rows lines were compared"
for db in f4 fv5 k5 kp5 kt4; do
    both blastdbcmd -db $db -dbtype prot -info
    both blastdbcmd -db $db -dbtype prot -entry all -outfmt '%a|%i|%t|%l|%T|%X|%g|%o'
done
both blastdbcmd -list . -list_outfmt '%f %p %t %d %l %n %v'
[ "$(wc -l <ours)" -ge 20 ] || fail 'databases are missing'
both blastdbcmd -db f5 -dbtype prot -entry all
both blastdbcmd -db fv5 -dbtype prot -entry all -long_seqids
both blastdbcmd -db kp5 -dbtype prot -entry P10003,NP_000001,loc1
both blastdbcmd -db kp5 -dbtype prot -entry P10003 -target_only
both blastdbcmd -db kp5 -dbtype prot -entry P10003 -long_seqids -ctrl_a
both blastdbcmd -db kp5 -dbtype prot -entry AAA00001.1 -outfmt '%a %T'

# search reads these databases by name, keeps a copy if --cache asks for it, and uses the copy until
# the database changes.
runs 0 search blastp -q Q -d f5 --outfmt '6 std' --threads 2
cp .out first
runs 0 dbconv f5 -o converted.wsdb
says '700 sequences'
runs 0 search blastp -q Q -d f5 --outfmt '6 std' --threads 2 --cache
same .out first
[ -s f5.wsdb ] || fail 'no copy is kept'
runs 0 inspect compare converted.wsdb f5.wsdb
for name in f5 f5.pin; do
    runs 0 search blastp -q Q -d $name --outfmt '6 std' --threads 2
    same .out first
done
both blastp -query Q -db f5 -outfmt 0
(cd . && make -in K -out f5 -parse_seqids -taxid_map taxids)
both blastp -query R -db f5 -outfmt "$fields"
runs 0 search sw -q R -d kp5 --outfmt '6 sseqid stitle'
says 'sp|P10001|FOO_HUMAN	one OS=x [taxid=9606]'
runs 0 search blastp -q R -d kp5 --outfmt '6 saccver staxid' --threads 2
says 'P10001	9606'
runs 2 search blastp -q Q -d fv5 -o fv5.02.psq
warns 'fv5.02.psq'
# A search replaces no file of a database that it reads, and its copy replaces no other database.
md5sum f5.p?? >sums
for ending in psq pin pdb; do
    runs 2 dbconv f5 --force -o f5.$ending
    warns "f5.$ending"
    runs 2 search blastp -q Q -d f5 -o f5.$ending
    warns "f5.$ending"
done
md5sum -c --quiet sums >.sums || fail 'a database was changed'
cp f5.wsdb copy
runs 0 dbconv Q -o f5.wsdb --force --quiet
cp f5.wsdb another
runs 0 search blastp -q Q -d f5 --outfmt 6 --cache
warns 'no copy is kept: f5.wsdb is left as it is: it is another database'
same f5.wsdb another
# A database of all sequences that dbconv made serves as a copy, whenever it was made. A database of
# some of them does not.
runs 0 dbconv f5 -o f5.wsdb --force --quiet
touch -d '2001-01-01' f5.wsdb
cp f5.wsdb converted.wsdb
runs 0 search blastp -q Q -d f5 --outfmt '6 std' --threads 2 --cache
silent
same converted.wsdb f5.wsdb
echo P10001 >only
runs 0 dbconv f5 -o f5.wsdb --list only --force --quiet
runs 0 search blastp -q Q -d f5 --outfmt '6 std' --threads 2
warns 'f5.wsdb: is not read in place of f5: it does not have all sequences of f5'
mv copy f5.wsdb

# Taxonomy IDs at the ends of definition lines stay known if the database is joined with others,
# whether these have IDs of their own or not.
printf 'NP_000009.1\t9606\n' >others.map
printf '>NP_000009.1 other\n%sARND\n' $base >others.fa
runs 0 dbconv kp5 -o marked.wsdb --quiet
runs 0 dbconv others.fa --taxid-map others.map -o others.wsdb --quiet
runs 0 dbconv others.fa -o unknown.wsdb --quiet
ids_of() { runs 0 search sw -q R "$@" --quiet --evalue 1000 --outfmt '6 saccver staxids'; sort -o .out .out; }
for other in others unknown; do
    ids_of -d marked.wsdb -d $other.wsdb
    cp .out apart
    grep -q '9606$' apart || fail 'no taxonomy IDs'
    runs 0 dbconv marked.wsdb $other.wsdb -o met.wsdb --force --quiet
    ids_of -d met.wsdb
    same .out apart
    rm -f set.*
    runs 0 dbconv --append set.wsdbs marked.wsdb --quiet
    runs 0 dbconv --append set.wsdbs $other.wsdb --quiet
    runs 0 dbconv --compact set.wsdbs --quiet
    ids_of -d set.wsdbs
    same .out apart
    ids_of -d marked.wsdb -d $other.wsdb --taxids 9606
    cp .out apart
    ids_of -d met.wsdb --taxids 9606
    same .out apart
done

# These databases are refused.
refused() {
    last_command="blastp -db $1"
    "$programs/dropin/blastp" -query Q -db $1 -outfmt 6 >.out 2>.err
    [ $? = 2 ] || fail 'exit status is not 2'
    prints_nothing
    warns "$2"
}
printf 'TITLE t\nDBLIST f4\nSEQIDLIST list\n' >list.pal
refused list 'list.pal: SEQIDLIST is not supported'
warns '-entry all -out'
printf 'TITLE t\nDBLIST f4\nNSEQ 7\n' >totals.pal
refused totals 'found totals of 7 sequences'
for ending in pin phr psq; do cp f4.$ending cut.$ending; done
truncate -s 1000 cut.pin
refused cut 'cut.pin: the file ends inside its index'
cp f4.pin cut.pin
truncate -s 10000 cut.psq
runs 1 search blastp -q Q -d cut
warns 'cut.psq: sequence'
printf '>n\nACGTACGTACGTACGT\n' >N
makeblastdb -dbtype nucl -in N -out nucleotides >made 2>&1 || fail "NCBI's makeblastdb"
refused nucleotides 'No alias or index file found for protein database'
runs 1 search blastp -q Q -d nucleotides
warns 'is a BLAST database of nucleotides'
printf '%d command lines, %d lines, all the same\n' $compared $rows
