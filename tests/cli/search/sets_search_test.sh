#!/usr/bin/env bash
# Searches of sets give the bytes that one database of the same sequences gives, before, during and
# after updates.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# Relatives of one query, with copies among them, so that hits tie across volumes.
relatives() {
    awk -v first="$1" -v last="$2" -v seed="$3" "$random_awk"'BEGIN {
        start_random(1); letters = "ACDEFGHIKLMNPQRSTVWY"
        for (i = 0; i < 150; ++i) query = query substr(letters, 1 + int(random() * 20), 1)
        if (first == 0) { print ">query of a family\n" query; exit }
        for (n = first; n <= last; ++n) {
            start_random(n % 40 + 1000 * seed)  # the same again every 40
            text = ""
            for (i = int(random() * 90); i < 150; ++i) text = text (random() < 0.4 ? substr(letters, 1 + int(random() * 20), 1) : substr(query, i + 1, 1))
            if (n % 59 == 0) text = ""
            printf ">t%d of %d\n%s\n", n, seed, text
        }
    }'
}
relatives 0 0 0 >query.fa
relatives 1 150 1 >1.fa
relatives 151 260 1 >2.fa
relatives 250 300 1 >3.fa
printf 't%d\n' 3 17 160 200 255 >list
# one NAMES: prints FASTA without the sequences with these names. One database of the result has the
# sequences of the set.
one() { awk -v names="$1" 'BEGIN { n = split(names, list, " "); for (i = 1; i <= n; ++i) gone[list[i]] = 1 } /^>/ { name = substr($1, 2); keep = !(name in gone) } keep'; }
runs 0 dbconv --append db.wsdbs 1.fa --quiet
runs 0 dbconv --append db.wsdbs 2.fa --codec zstd --quiet
cat 1.fa 2.fa >appended.fa
mkdir appended && cp db.* appended/
runs 0 dbconv --replace db.wsdbs 3.fa --quiet
{ one "$(seq -f 't%.0f' -s ' ' 250 300)" <appended.fa; cat 3.fa; } >replaced.fa
mkdir replaced && cp db.* replaced/
runs 0 dbconv --remove list db.wsdbs --quiet
one "$(tr '\n' ' ' <list)" <replaced.fa >removed.fa
mkdir removed && cp db.* removed/
runs 0 dbconv --compact db.wsdbs --quiet
mkdir compacted && cp db.* compacted/
cp removed.fa compacted.fa
runs 0 search hmmbuild -q query.fa -o model.hmm

hmmsearch=$programs/dropin/hmmsearch
# reports DATABASE OUT [OPTION...]: writes the reports of all engines, with one name for all
# databases and without lines about time.
reports() {
    {
        "$programs/search" sw -q query.fa -d "$1" --quiet "${@:3}" &&
        "$programs/search" sw -q query.fa -d "$1" --outfmt 7 --quiet "${@:3}" &&
        "$programs/search" hmm -q model.hmm -d "$1" --tblout tbl --domtblout dom --quiet "${@:3}" &&
        "$programs/search" hmm -q query.fa -d "$1" --quiet "${@:3}" &&
        "$programs/search" blastp -q query.fa -d "$1" --quiet "${@:3}" &&
        "$programs/search" blastp -q query.fa -d "$1" --outfmt 5 --quiet "${@:3}" &&
        "$programs/search" blastp -q query.fa -d "$1" --outfmt 7 --quiet "${@:3}" &&
        "$programs/search" jackhmmer -q query.fa -d "$1" -N 2 --quiet "${@:3}" &&
        cat tbl dom
    } >reports.raw || fail "search of $1"
    sed -E "s#[^ <>\"]*(/|^)?(db|one)\.wsdbs?#DATABASE#g" reports.raw | grep -vE '^# (Mc/sec|CPU time|Date|Current dir|Option settings):' >"$2"
}
for state in appended replaced removed compacted; do
    runs 0 dbconv $state.fa -o one.wsdb --force --quiet
    reports one.wsdb one.$state
    reports $state/db.wsdbs set.$state
    last_command="search of the set that was $state"
    holds 'there are hits' test "$(grep -c 't2[0-9]*' one.$state)" -gt 100
    cmp one.$state set.$state >&2 || { diff one.$state set.$state | head -10 >&2; fail "the set that was $state is not one database"; }
done
reports removed/db.wsdbs again --threads 1
same again set.removed
cmp -s set.appended set.removed && fail 'removing changed nothing'
runs 0 search sw -q query.fa -d removed/db.wsdbs --outfmt json --quiet
says "\"sequences\":$(grep -c '^>' removed.fa),"

# The drop-in takes a set as it takes a database.
if [ -x "$hmmsearch" ]; then
    "$hmmsearch" model.hmm removed/db.wsdbs | grep -v '^#' >drop.set || fail 'hmmsearch of a set'
    runs 0 dbconv removed.fa -o one.wsdb --force --quiet
    "$hmmsearch" model.hmm one.wsdb | grep -v '^#' >drop.one || fail 'hmmsearch of a database'
    same drop.set drop.one
fi

# An output never replaces a file of the set.
runs 2 search sw -q query.fa -d removed/db.wsdbs -o removed/db.volume-1.wsdb --quiet
runs 2 search sw -q query.fa -d removed/db.wsdbs -o removed/db.wsdbs --quiet

# Searches run while the set is updated. Each sees the set as before an update or as after it.
for state in appended replaced removed; do
    "$programs/search" sw -q query.fa -d $state/db.wsdbs --outfmt 6 --quiet >table.$state || fail "search of $state"
done
rm -rf living && mkdir living && cp appended/db.* living/
(
    for round in 1 2 3 4 5 6; do
        # The set is compacted and updated over and over. Its sequences are always those before or
        # those after the first replacement.
        "$programs/dbconv" --compact living/db.wsdbs --quiet || exit 1
        "$programs/dbconv" --replace living/db.wsdbs 3.fa --quiet || exit 1
    done
    touch updated
) 2>updates & updater=$!
searches=0
until [ -e updated ] && [ $searches -gt 3 ]; do
    "$programs/search" sw -q query.fa -d living/db.wsdbs --outfmt 6 --quiet >table 2>.err || fail 'a search during an update'
    searches=$((searches + 1))
    cmp -s table table.appended || cmp -s table table.replaced || fail 'a search saw half of an update'
done
wait $updater || fail "an update failed: $(cat updates)"
# A search that waits for its queries goes on with the set as it was when it was opened.
rm -rf living && mkdir living && cp removed/db.* living/
mkfifo queries
"$programs/search" sw -q queries -d living/db.wsdbs --outfmt 6 --quiet >table 2>.err & searcher=$!
exec 9>queries
for tries in $(seq 100); do grep -q "living/db.volume-1.wsdb" /proc/$searcher/maps 2>/dev/null && break; sleep 0.05; done
runs 0 dbconv --compact living/db.wsdbs --quiet
absent living/db.volume-1.wsdb
cat query.fa >&9
exec 9>&-
wait $searcher || fail "the search that had opened the set: $(cat .err)"
cmp -s table table.removed || fail 'the search that had opened the set gives another result'
echo passed
