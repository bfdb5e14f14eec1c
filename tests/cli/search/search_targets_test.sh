#!/usr/bin/env bash
# Searches that are restricted to some sequences of a database give the reports of a database that
# has only these, in every engine and in parts. Files that are not lists are refused. blastp looks
# for weaker alignments if a list names short sequences, so hits of high E-values are not compared.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# Families of proteins among random ones. Each definition line names one of two taxa, in turn.
awk "$random_awk"'function protein(n,   i, s) { s = ""; for (i = 0; i < n; ++i) s = s substr(letters, 1 + int(random() * 20), 1); return s }
     function mutant(p,   i, s) { s = ""; for (i = 1; i <= length(p); ++i)
         s = s (random() < 0.7 ? substr(p, i, 1) : substr(letters, 1 + int(random() * 20), 1)); return s }
     BEGIN { start_random(5); letters = "ACDEFGHIKLMNPQRSTVWY"
         for (f = 0; f < 5; ++f) { p = protein(150 + 20 * f); print ">q" f "\n" p >"queries.fa"; family[f] = p }
         for (n = 1; n <= 400; ++n) { s = n % 8 == 0 ? mutant(family[n % 5]) : protein(20 + int(random() * 300))
             print ">sp|P" 10000 + n "|N" n " made [taxid=" (n % 2 ? 9606 : 562) "]\n" s } }' >db.fa
runs 0 dbconv db.fa -o db.wsdb --quiet
awk '/^>/ {n = substr($1, 6, 5)} n % 3 != 1' db.fa >some.fa
grep '^>' some.fa | sed 's/^>//; s/ .*//' >some
grep '^>' db.fa | sed 's/^>sp|//; s/|.*//' | awk 'substr($1, 2) % 3 == 1' >others
awk '/^>/ {is = /taxid=562/} is' db.fa >bacteria.fa
for part in some bacteria; do runs 0 dbconv $part.fa -o $part.wsdb --quiet; done

same_report() {  # DATABASE OPTIONS...
    local database=$1 name
    shift
    for name in 'sw --outfmt 6' 'hmm --outfmt 6' 'blastp --outfmt 6' 'sw --dbsize 1000000 --outfmt 6'; do
        # shellcheck disable=SC2086
        runs 0 search $name -q queries.fa -d "$database" --quiet
        [ "$(wc -l <.out)" -gt 10 ] || fail 'too few rows'
        mv .out expected
        # shellcheck disable=SC2086
        runs 0 search $name -q queries.fa -d db.wsdb --quiet --chunk-size 2K "$@"
        cmp -s .out expected || fail 'not the report of a database with these sequences alone'
        rm -rf parts
        for k in 0 1 2; do
            # shellcheck disable=SC2086
            runs 0 search $name -q queries.fa -d db.wsdb --quiet --part $k/3 --work-dir parts "$@"
        done
        runs 0 search merge parts --quiet
        cmp -s .out expected || fail 'parts give another report'
    done
}
same_report some.wsdb --seqidlist some
# A bare accession of a public database is found in upper or lower case, with its version and
# without. A local name is found only as it is written.
printf '>NP_000009.1\nMKVLAAGIVALLAKKVWWWPHEC\n>P68871\nMKVLAAGIVALLAKKVWWWPHEA\n>A0A023GPI8\nMKVLAAGIVALLAKKVWWWPHED\n>AAA00001.2\nMKVLAAGIVALLAKKVWWWPHEE\n' >bare.fa
printf '>AT1G01010.1\nMKVLAAGIVALLAKKVWWWPHEF\n>B1234\nMKVLAAGIVALLAKKVWWWPHEG\n>Local\nMKVLAAGIVALLAKKVWWWPHEH\n' >>bare.fa
head -2 bare.fa >bare-query.fa
printf '%s\n' np_000009 p68871 a0a023gpi8 aaa00001.2 AT1G01010 b1234 Local >bare-list
runs 0 dbconv bare.fa -o bare.wsdb --quiet
for target in bare.fa bare.wsdb; do
    runs 0 search sw -q bare-query.fa -d $target --seqidlist bare-list --evalue 1000 --outfmt '6 sseqid' --quiet
    holds 'these five are listed' test "$(sort .out | tr '\n' ' ')" = 'A0A023GPI8 AAA00001.2 Local NP_000009.1 P68871 '
done
same_report some.wsdb --negative-seqidlist others
same_report bacteria.wsdb --taxids 562
same_report bacteria.wsdb --negative-taxids 9606,1

# The contents of a list decide whether parts belong together.
rm -rf parts
runs 0 search sw -q queries.fa -d db.wsdb --quiet --part 0/2 --work-dir parts --seqidlist some
runs 0 search sw -q queries.fa -d db.wsdb --quiet --part 1/2 --work-dir parts --taxids 562
runs 1 search merge parts --quiet
warns 'parts of different searches'

# Files that are not lists, and lists that name nothing.
: >empty
printf '\n# nothing\n\n' >comment
printf 'a\0b\n' >zero
head -c 5000 /dev/zero >zeros
printf '\0\x10\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff' >cut
awk "$random_awk"'BEGIN { start_random(3); for (i = 0; i < 3000; ++i) printf "%c", 128 + int(random() * 127) }' >binary
for list in empty comment zero zeros cut binary absent; do
    for option in seqidlist taxidlist; do
        runs 1 search sw -q queries.fa -d db.wsdb --quiet --$option $list
        warns "$list"
        prints_nothing
    done
done
runs 2 search hmm -q queries.fa -d db.wsdb --quiet --taxids 562,human
runs 2 search hmm -q queries.fa -d db.wsdb --quiet --taxids ,
runs 2 search blastp -q queries.fa -d db.wsdb --quiet --taxids 562 --negative_taxids 9606
runs 2 search sw -q queries.fa -d db.wsdb --quiet --seqidlist some --negative-seqidlist others
runs 1 search sw -q queries.fa -d db.wsdb --quiet --taxids 10090
warns 'no sequence of the databases has one of these taxonomy IDs'
runs 1 search sw -q queries.fa -d db.wsdb --quiet --negative-taxids 9606,562
warns 'names all sequences of the databases'

# A list of a million names, most of which are not there, and a list with blanks, carriage returns,
# comments and lower-case letters.
{ awk 'BEGIN { for (i = 0; i < 1000000; ++i) print "XP_" 100000000 + i ".1" }'; cat some; } >many
runs 0 search sw -q queries.fa -d some.wsdb --quiet --outfmt 6
mv .out expected
runs 0 search sw -q queries.fa -d db.wsdb --quiet --outfmt 6 --seqidlist many
same .out expected
sed 's/^sp|P\([0-9]*\)|.*/ >p\1 more \r/; 1i # comment\r' some >written
runs 0 search sw -q queries.fa -d db.wsdb --quiet --outfmt 6 --seqidlist written
same .out expected
# Short lists are looked up in the index of names. If a list has a name that is nowhere, all headers
# are read, and the same sequences are searched.
awk 'NR == 1 { getline; for (n = 1; n <= 200; ++n) {
         kind = n % 8
         if (kind == 0) name = "sp|P" 10000 + n "|N" n "_HUMAN"
         if (kind == 1) name = "gi|" n "|ref|NP_" 100000 + n ".2|"
         if (kind == 2) name = "local" n
         if (kind == 3) name = "pdb|1A" n % 10 "N|" substr("ABCDEFGH", 1 + n % 7, 1)
         if (kind == 4) name = "P" 10000 + n - 4
         if (kind == 5) name = "gnl|base|tag" n
         if (kind == 6) name = "lcl|own" n
         if (kind == 7) name = "WP_" 300000 + n ".1 one\001gi|" 5000 + n "|gb|AAA" 10000 + n ".1| two\001sp|P" 10000 + n - 7 "|TWIN"
         print ">" name " text\n" $0 } }' queries.fa >names.fa
runs 0 dbconv names.fa -o names.wsdb --quiet
awk '/^>/ { name = substr($1, 2); print name; count = split(name, field, "|")
            if (count > 1) { print field[2]; accession = count > 3 ? 4 : count; print field[accession]; print tolower(field[2]) }
            bare = name; sub(/\.[0-9]$/, "", bare); print bare; print toupper(name); print field[2] "_" field[3]; print field[2] ":" field[3] }' names.fa |
    grep -v '^$' >forms
sed -n 's/^>\([^ ]*\) .*/\1/p' names.fa | sed 'p; s/^sp|\(.*\)|.*/\1/; s/^gi|[0-9]*|ref|\(.*\)|/\1/; s/^WP_/wp_/' | sort -u >found-forms
for seed in 1 2 3 $(thorough && echo 4 5 6 7 8 9 10 11 12); do
    shuf -n $((seed * 2)) --random-source=<(yes $seed) "$([ $((seed % 2)) = 0 ] && echo found-forms || echo forms)" >names
    { cat names; echo nowhere; } >names-and-nowhere
    for option in --seqidlist --negative-seqidlist; do
        "$programs/search" sw -q queries.fa -d names.wsdb --quiet --outfmt 6 --max-hits 1000 $option names >by-index 2>/dev/null
        "$programs/search" sw -q queries.fa -d names.wsdb --quiet --outfmt 6 --max-hits 1000 $option names-and-nowhere >by-headers 2>/dev/null
        last_command="seed $seed, $option"
        same by-index by-headers
        cat by-index >>all-rows
    done
done
holds 'something was found' test "$(wc -l <all-rows)" -gt $(thorough && echo 1500 || echo 300)
# No output replaces a list.
cp some kept
runs 2 search sw -q queries.fa -d db.wsdb --quiet --seqidlist some -o some
same some kept
