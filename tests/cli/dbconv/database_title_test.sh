#!/usr/bin/env bash
# A title that dbconv --title gives appears where blastp shows the title of makeblastdb -title, and
# nowhere else, in all formats. The test needs Debian's ncbi-blast+ and mmseqs2-examples
# (tools/setup check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
needs_files "$proteins"
needs_blast

mkdir original ours
zcat "$proteins" | awk '/^>/ {++n} n <= 100' >all.fa
awk '/^>/ {++n} n <= 2' all.fa >query.fa
awk '/^>/ {++n} n <= 60' all.fa >first.fa
awk '/^>/ {++n} n > 60' all.fa >second.fa
# of_databases FILE: prints the lines of a report about the databases. dropin_blast_test.sh compares
# the other lines.
of_databases() { grep -A3 -E '^Database|^  Database|^  Number|# Database|[dD]b>|"db|letters' "$1" | grep -vE 'Posted|^(<[^d]|.*Reference)'; }
for title in 'Short' 'All <of> it "x" & \ that has to be wrapped, being longer than a line of the report is, and then some more: é'; do
    makeblastdb -in all.fa -dbtype prot -title "$title" -out original/db >/dev/null || fail makeblastdb
    runs 0 dbconv all.fa -o ours/db.wsdb --title "$title" --release none --force --quiet
    rm -rf ours/set*
    runs 0 dbconv --append ours/set.wsdbs first.fa --title "$title" --quiet
    runs 0 dbconv --append ours/set.wsdbs second.fa --quiet
    for format in 0 5 6 7 15 16; do
        (cd original && blastp -query ../query.fa -db db -outfmt $format -out report) || fail blastp
        (cd ours && "$programs/dropin/blastp" -query ../query.fa -db db -outfmt $format -out report) || fail "drop-in"
        (cd ours && "$programs/dropin/blastp" -query ../query.fa -db set.wsdbs -outfmt $format -out set-report) || fail "drop-in"
        of_databases original/report >expected
        of_databases ours/report >found
        diff expected found >&2 || fail "format $format"
        of_databases ours/set-report | sed 's/set\.wsdbs/db/' >found
        diff expected found >&2 || fail "format $format"
        holds 'something is compared' test "$(wc -l <expected)" -gt $((format == 6 ? -1 : 1))
    done
    runs 0 search blastp -q query.fa -d ours/db.wsdb -o report --quiet
    grep -q "^Database: ${title:0:10}" report || fail 'search blastp shows the title'
    # Parts of a database that are searched together have the title of the whole. For databases with
    # different titles, the report shows all of them.
    runs 0 dbconv all.fa -o ours/part.wsdb --title "$title" --parts 2 --force --quiet
    runs 0 search blastp -q query.fa -d ours/part.part1of2.wsdb -d ours/part.part2of2.wsdb -o parts-report --quiet
    sed -n '/^Database: /,/letters/p' report >expected
    sed -n '/^Database: /,/letters/p' parts-report >found
    holds 'a title is compared' test -s expected
    diff expected found >&2 || fail 'parts with a title'
    runs 0 dbconv second.fa -o ours/other.wsdb --title Other --force --quiet
    runs 0 search blastp -q query.fa -d ours/part.part1of2.wsdb -d ours/other.wsdb -o parts-report --quiet
    tr '\n' ' ' <parts-report | grep -q '; Other' || fail 'databases with other titles'
done
echo passed
