#!/usr/bin/env bash
# dbconv reads databases as input: it merges, recodes and extracts them. The content is the same
# whether the sequences come from FASTA or from databases.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/../../support/checks.sh"
cd "$work" || exit 1

digest() { "$programs/inspect" info "$1" --json | sed -n 's/^  "content_digest": "\(.*\)",$/\1/p'; }
same_content() { holds "$1 has the content of $2" test -n "$(digest "$1")" -a "$(digest "$1")" = "$(digest "$2")"; }
sequences_of() { "$programs/inspect" fasta "$1" >"$2" || fail "inspect fasta $1"; }

# Sequences of many lengths, among them equal ones, empty ones and a long one.
awk "$random_awk"'BEGIN {
    start_random(7); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (n = 1; n <= 700; ++n) {
        len = n == 301 ? 70000 : n % 97 == 0 ? 0 : int(random() * 300)
        text = ""
        for (i = 0; i < len; ++i) text = text substr(letters, 1 + int(random() * 20), 1)
        if (n % 50 == 0) text = before
        printf ">s%d what it is %d\n%s\n", n, n, text
        before = text
    }
}' >all.fa
head -n 500 all.fa >one.fa
tail -n +501 all.fa >two.fa
tail -n 200 two.fa >three.fa
head -n -200 two.fa >middle.fa

runs 0 dbconv all.fa -o all.wsdb --quiet
runs 0 dbconv all.fa -o all-zstd.wsdb --codec zstd --quiet
runs 0 dbconv one.fa -o one.wsdb --quiet
runs 0 dbconv middle.fa -o middle.wsdb --codec zstd --quiet
sequences_of all.wsdb all.out

# A database that is converted again keeps its content, in either codec and with any number of
# threads.
for threads in 1 2 3; do
    runs 0 dbconv all-zstd.wsdb -o "again$threads.wsdb" --threads $threads --quiet
    same_content "again$threads.wsdb" all.wsdb
    sequences_of "again$threads.wsdb" again.out
    same again.out all.out
    same "again$threads.wsdb" again1.wsdb
done
runs 0 dbconv all.wsdb -o recoded.wsdb --codec zstd --quiet
same_content recoded.wsdb all.wsdb
sequences_of recoded.wsdb again.out
same again.out all.out
runs 0 inspect validate recoded.wsdb
says 'sound'
# Every section has the same bytes, except the provenance and the checksums.
runs 0 dbconv all.wsdb -o copy.wsdb --quiet
sections='
import json, subprocess, sys
def sections(file):
    info = json.loads(subprocess.run([sys.argv[1] + "/inspect", "info", file, "--json"], check=True, capture_output=True).stdout)
    data = open(file, "rb").read()
    return {s["name"]: data[s["offset_bytes"]:s["offset_bytes"] + s["size_bytes"]] for s in info["sections"]}
a, b = sections(sys.argv[2]), sections(sys.argv[3])
assert a.keys() == b.keys() and len(a) > 8, (a.keys(), b.keys())
differ = {name for name in a if a[name] != b[name]}
sys.exit(0 if differ == {"PROVENANCE", "CHECKSUMS"} else "differ: " + str(differ))
'
holds 'the provenance alone differs' python3 -c "$sections" "$programs" all.wsdb copy.wsdb
runs 0 inspect info copy.wsdb --json
says '"kind": "wsdb"'
says "$(digest all.wsdb)"

# Databases are merged with each other and with FASTA. The bytes of a file decide what it is, and
# not its name.
cp one.wsdb one.renamed
runs 0 dbconv one.renamed middle.wsdb three.fa -o merged.wsdb --quiet
same_content merged.wsdb all.wsdb
sequences_of merged.wsdb merged.out
same merged.out all.out
runs 0 dbconv one.fa middle.wsdb three.fa -o mixed.wsdb --quiet
sequences_of mixed.wsdb mixed.out
same mixed.out all.out
runs 0 inspect validate mixed.wsdb
gzip -c one.fa | "$programs/dbconv" - middle.wsdb three.fa -o stdin.wsdb --quiet || fail 'standard input beside databases is not read'
same_content stdin.wsdb all.wsdb
printf '>\nMK\n' >nameless.fa
runs 0 dbconv nameless.fa one.wsdb nameless.fa -o nameless.wsdb --quiet
runs 0 inspect fetch nameless.wsdb unnamed_1
runs 0 inspect fetch nameless.wsdb unnamed_252
# A record that is left out counts for the numbers of unnamed records, too.
printf '>a\nMK\n>\nMKV\n' >first-nameless.fa
printf '>\nMKVV\n' >last-nameless.fa
runs 0 dbconv first-nameless.fa -o first-nameless.wsdb --quiet
runs 0 dbconv first-nameless.wsdb last-nameless.fa --min-length 3 -o nameless.wsdb --force --quiet
runs 0 inspect fasta nameless.wsdb
cp .out nameless.out
runs 0 dbconv first-nameless.fa last-nameless.fa --min-length 3 -o nameless.wsdb --force --quiet
runs 0 inspect fasta nameless.wsdb
same .out nameless.out
says '>unnamed_3'

# The statistics keep what dbconv warned of when it made the database. No program warns again.
printf '>a\nMK-V\n>\nMKL\n' >noticed.fa
runs 0 dbconv noticed.fa -o noticed.wsdb
warns 'gap character'
runs 0 dbconv noticed.wsdb -o noticed-again.wsdb
silent
holds 'the statistics are the same' python3 -c "$sections" "$programs" noticed.wsdb noticed-again.wsdb

# Lists may be in any order. The output is in input order.
printf 's600 and more\n\n>s3\n  s300\r\ns3\nabsent\n' >list
runs 0 dbconv all.wsdb --list list -o some.wsdb
warns '1 of 4 identifiers of the list was not found: "absent"'
sequences_of some.wsdb some.out
awk '/^>/ { wanted = $1 == ">s3" || $1 == ">s300" || $1 == ">s600" } wanted' all.out >expected.fa
same some.out expected.fa
runs 0 inspect validate some.wsdb
runs 0 dbconv all.fa --list list -o some-fasta.wsdb --quiet
same_content some-fasta.wsdb some.wsdb
gzip -c list >list.gz
runs 0 dbconv one.fa middle.wsdb three.fa --list list.gz -o some-mixed.wsdb --quiet
same_content some-mixed.wsdb some.wsdb
printf 'absent\n' >absent
runs 1 dbconv all.wsdb --list absent -o none.wsdb
warns 'no sequence'
absent none.wsdb
: >empty
runs 1 dbconv all.wsdb --list empty -o none.wsdb
warns 'empty: lists no identifiers'
runs 1 dbconv all.wsdb --list nowhere -o none.wsdb
warns 'nowhere'
runs 2 dbconv all.wsdb --list list -o list --force
warns 'name the same file'

# A list may have accessions with and without version, entry names, and names of merged definition
# lines. It selects the same sequences from FASTA and from databases, however the input is divided.
printf '>sp|P68871|HBB_HUMAN beta\nMVHLT\n>NP_000509.1 x\001gi|123|ref|NP_000510.2| y\nACDEF\n>pdb|1A3N|B z\nGHIKL\n' >named-1.fa
printf '>P68871 plain\nMNPQR\n>tr|Q00001|Q_X other\nSTVWY\n>gnl|db|tag w\nAAAAA\n' >named-2.fa
cat named-1.fa named-2.fa >named-all.fa
runs 0 dbconv named-all.fa -o named-all.wsdb --quiet
runs 0 dbconv named-2.fa -o named-2.wsdb --quiet
# names_take NAME LETTERS: requires that a list with NAME selects sequences whose first letters are
# LETTERS.
names_take() {
    printf '%s\n' "$1" >list
    for input in named-all.fa named-all.wsdb 'named-1.fa named-2.wsdb' 'named-1.fa named-2.fa'; do
        # shellcheck disable=SC2086
        runs 0 dbconv $input --list list -o named-some.wsdb --force
        silent
        holds "$1 of $input" test "$("$programs/inspect" fasta named-some.wsdb | grep -v '>' | cut -c1 | tr -d '\n')" = "$2"
    done
}
names_take P68871 MM
names_take HBB_HUMAN M
names_take 'sp|P68871|HBB_HUMAN' MM
names_take NP_000509 A
names_take NP_000510.2 A
names_take 123 A
names_take 1A3N_B G
names_take Q_X S
names_take tag A
for name in NP_000510.1 1A3N_C HBB p68871; do
    echo $name >list
    for input in named-all.fa named-all.wsdb; do
        runs 1 dbconv $input --list list -o named-some.wsdb --force
        warns 'no sequence'
    done
done

# Lengths.
runs 0 dbconv all.wsdb --min-length 100 --max-length 200 -o between.wsdb --quiet
sequences_of between.wsdb between.out
"$programs/inspect" fasta all.wsdb --width 0 | awk '/^>/ { head = $0; next } length($0) >= 100 && length($0) <= 200 { print head; print }' >expected.fa
"$programs/inspect" fasta between.wsdb --width 0 >between.out
same between.out expected.fa
runs 0 dbconv all.fa --min-length 100 --max-length 200 -o between-fasta.wsdb --quiet
same_content between-fasta.wsdb between.wsdb
runs 2 dbconv all.fa --min-length 3 --max-length 2 -o none.wsdb
runs 2 dbconv all.fa --min-length x -o none.wsdb

printf '>WSD1 a name as any other\nMKV\n' >named.fa
# Titles and releases are shown, passed on by a single input, removed on request, and refused if
# they are malformed.
title='All <of> it "x" & \ é'
runs 0 dbconv one.fa -o titled.wsdb --title "$title" --release '2026_04' --quiet
label() { "$programs/inspect" info "$1" --json | sed -n "s/^  \"$2\": \"\(.*\)\",\$/\1/p"; }
has_labels() { holds "labels of $1" test "$(label "$1" title)" = "$2" -a "$(label "$1" release)" = "$3"; }
json_title='All <of> it \"x\" & \\ é'
has_labels titled.wsdb "$json_title" 2026_04
runs 0 inspect info titled.wsdb
says "title         $title"
says 'release       2026_04'
runs 0 inspect info one.wsdb
holds 'nothing is said of what has no title' test -z "$(grep -E '^(title|release)' .out)"
same_content titled.wsdb one.wsdb
runs 0 dbconv titled.wsdb -o titled-again.wsdb --codec zstd --quiet
has_labels titled-again.wsdb "$json_title" 2026_04
runs 0 dbconv titled.wsdb -o titled-again.wsdb --release 2026_05 --force --quiet
has_labels titled-again.wsdb "$json_title" 2026_05
runs 0 dbconv titled.wsdb middle.wsdb -o titled-again.wsdb --force --quiet
has_labels titled-again.wsdb '' ''
runs 0 dbconv titled.wsdb -o titled-again.wsdb --title '' --release '' --force --quiet
same_content titled-again.wsdb one.wsdb
has_labels titled-again.wsdb '' ''
runs 0 dbconv titled.wsdb -o titled.wsdb-parts.wsdb --parts 2 --quiet
has_labels titled.wsdb-parts.part2of2.wsdb "$json_title" 2026_04
runs 0 dbconv --append titled.wsdbs titled.wsdb --quiet
has_labels titled.wsdbs "$json_title" 2026_04
runs 0 dbconv --append titled.wsdbs middle.wsdb --quiet --release 2026_05
has_labels titled.wsdbs "$json_title" 2026_05
printf 's1\n' >list
runs 0 dbconv --remove list titled.wsdbs --title 'the set' --quiet
has_labels titled.wsdbs 'the set' 2026_05
runs 0 dbconv titled.wsdbs -o of-set.wsdb --quiet
has_labels of-set.wsdb 'the set' 2026_05
runs 0 search blastp -q named.fa -d titled.wsdbs -o set.txt --quiet
runs 0 search blastp -q named.fa -d of-set.wsdb -o one.txt --quiet
same set.txt one.txt
grep -q '^Database: the set$' set.txt || fail 'the title is not in the report'
grep -q '^  Database: the set$' set.txt || fail 'the title is not at the end of the report'
for format in 5 6 7 15 16; do
    runs 0 search blastp -q named.fa -d titled.wsdbs -o set.txt --quiet --outfmt $format
    holds "no title in format $format" test -z "$(grep 'the set' set.txt)"
done
runs 0 dbconv --compact titled.wsdbs --title 'whole' --quiet
has_labels titled.wsdbs whole 2026_05
runs 0 dbconv --compact titled.wsdbs --title 'renamed' --quiet
has_labels titled.wsdbs renamed 2026_05
runs 0 inspect validate titled.wsdbs --quiet
for wrong in $'a\nb' $'a\tb' $'a\033[31m' $'a\377' "$(head -c 2001 /dev/zero | tr '\0' x)"; do
    runs 2 dbconv one.fa -o none.wsdb --title "$wrong"
    warns 'a line of text in UTF-8 was expected'
    runs 2 dbconv --append titled.wsdbs one.fa --release "$wrong"
    absent none.wsdb
done
has_labels titled.wsdbs renamed 2026_05

# The error for a damaged input names the file, and nothing is left behind.
cp all.wsdb cut.wsdb
truncate -s -5000 cut.wsdb
runs 1 dbconv one.fa cut.wsdb -o none.wsdb
warns 'cut.wsdb'
absent none.wsdb
cp all.wsdb damaged.wsdb
printf '\377\377\377\377' | dd of=damaged.wsdb bs=1 seek=8192 conv=notrunc status=none
runs 1 dbconv damaged.wsdb -o none.wsdb
warns 'damaged.wsdb'
absent none.wsdb
runs 2 dbconv all.wsdb -o all.wsdb --force
warns 'name the same file'
runs 0 dbconv named.fa -o named.wsdb --quiet
runs 0 search sw -q named.fa -d named.fa --quiet
echo passed
