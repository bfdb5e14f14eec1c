#!/usr/bin/env bash
# Sets of databases: appended to, removed from, replaced in and compacted, they hold what one database of the same FASTA holds; killed
# at any moment they are what they were before or after; what is damaged says so.
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# fasta NAME FIRST LAST [VERSION]: sequences of many lengths, some of them ties.
fasta() {
    awk -v first="$2" -v last="$3" -v version="${4:-1}" 'BEGIN {
        srand(first * 1000 + version); letters = "ACDEFGHIKLMNPQRSTVWY"
        for (n = first; n <= last; ++n) {
            text = ""
            for (i = int(rand() * 80) + 20 * (n % 3); i > 0; --i) text = text substr(letters, 1 + int(rand() * 20), 1)
            printf ">s%d version %d\n%s\n", n, version, text
        }
    }' >"$1"
}
# content FILE OUT: its sequences in input order.
content() {
    rm -f flat.wsdb
    "$programs/dbconv" "$1" -o flat.wsdb --quiet || fail "dbconv $1"
    "$programs/inspect" fasta flat.wsdb --width 0 >"$2" || fail "inspect fasta $1"
}
fasta 1.fa 1 300
fasta 2.fa 301 400
fasta 3.fa 390 420 2  # of some others
fasta 4.fa 1 20 3
grep -A1 -E '^>s([1-9]|1[0-9]|20|301|302|4[0-9][0-9]) ' 1.fa 2.fa -h | sed -n 's/^>\(s[0-9]*\) .*/\1/p' | head -40 >list

# The set holds what FASTA with the same changes would.
python3 - <<'PY' || fail 'python3'
def read(name):
    records = [r.split("\n") for r in open(name).read().split(">")[1:]]
    return [(r[0], "".join(r[1:])) for r in records]
def write(name, records):
    open(name, "w").write("".join(f">{h}\n" + (s + "\n" if s else "") for h, s in records))
key = lambda record: record[0].split()[0]
now = read("1.fa")
write("want1", now)
now += read("2.fa"); write("want2", now)
new = read("3.fa"); names = {key(r) for r in new}
now = [r for r in now if key(r) not in names] + new; write("want3", now)
names = set(open("list").read().split())
now = [r for r in now if key(r) not in names]; write("want4", now)
now += read("4.fa"); write("want5", now)
PY
runs 0 dbconv --append set.wsdbs 1.fa
says 'set.wsdbs: 300 sequences'
content set.wsdbs got; same got want1
runs 0 dbconv --append set.wsdbs 2.fa --codec zstd
says '2 volumes'
says '100 sequences appended'
content set.wsdbs got; same got want2
runs 0 dbconv --replace set.wsdbs 3.fa
says '11 sequences removed'
content set.wsdbs got; same got want3
printf 'absent\n' >>list
runs 0 dbconv --remove list set.wsdbs
warns '1 of 24 identifiers of the list was not found: "absent"'
content set.wsdbs got; same got want4
# Once removed is removed.
runs 0 dbconv --remove list set.wsdbs
says '0 sequences removed'
# What a name of the list means is what it means in --list, whatever others of its volume are called.
printf '>P1 x\nMKVLACDEF\n>sp|P1|X_HUMAN\nMKVLAC\n>other\nMKV\n' >names.fa
echo P1 >P1
runs 0 dbconv --append names.wsdbs names.fa --quiet
runs 0 dbconv --remove P1 names.wsdbs
says '2 sequences removed'
runs 0 dbconv names.fa --list P1 -o names.wsdb
says '2 sequences'
# Names that are made up for records without one replace nothing.
printf '>k\nMKV\n>\nMKVLACDEFGHIK\n' >old-nameless.fa
printf '>k\nWWWW\n>\nGGGGG\n' >nameless.fa
runs 0 dbconv --append nameless.wsdbs old-nameless.fa --quiet
runs 0 dbconv --replace nameless.wsdbs nameless.fa
says '1 sequence removed'
runs 0 dbconv nameless.fa -o nameless.wsdb --quiet
runs 0 dbconv --replace nameless.wsdbs nameless.wsdb --min-length 5
says 'nameless.wsdbs: 4 sequences'
runs 0 dbconv --append set.wsdbs 4.fa --quiet
content set.wsdbs got; same got want5
runs 0 inspect validate set.wsdbs
says 'set.wsdbs: sound'
runs 0 inspect validate set.wsdbs --json
says '"sound": true'
runs 0 inspect info set.wsdbs
says '4'
says 'set.volume-1.wsdb'
runs 0 inspect info set.wsdbs --json
cp set.wsdbs before.wsdbs
mkdir copy && cp set.* copy/
runs 0 dbconv --compact set.wsdbs
says '1 volume'
content set.wsdbs got; same got want5
holds 'one volume is left' test "$(ls set.*)" = "$(printf 'set.volume-%s.wsdb\nset.wsdbs' "$(sed -n 's/.*volume-\([0-9]*\).*/\1/p' set.wsdbs | head -1)")"
runs 0 dbconv --compact set.wsdbs
runs 0 inspect validate set.wsdbs
# A set is an input as others, and a link to one is the set.
cat want5 4.fa >both.fa
runs 0 dbconv both.fa -o both.wsdb --quiet
runs 0 dbconv copy/set.wsdbs 4.fa -o merged.wsdb --quiet
runs 0 inspect fasta merged.wsdb --width 0
cp .out merged.out
runs 0 inspect fasta both.wsdb --width 0
same .out merged.out
ln -s copy/set.wsdbs link.wsdbs
runs 0 dbconv --append link.wsdbs 4.fa --quiet
holds 'the link stays' test -L link.wsdbs
runs 0 inspect info copy/set.wsdbs
says '5'

# What makes no sense.
runs 1 dbconv --append set.wsdbs absent.fa
warns 'absent.fa'
runs 1 dbconv --append new.wsdbs absent.fa
absent new.wsdbs
absent new.wsdbs.lock
runs 2 dbconv --append both.wsdb 1.fa
warns 'that ends with .wsdbs'
runs 1 dbconv --remove list nowhere.wsdbs
runs 2 dbconv --remove list set.wsdbs set.wsdbs
runs 2 dbconv --compact set.wsdbs -o x.wsdb
runs 2 dbconv --append set.wsdbs --compact 1.fa
# A database is no set, whatever it is called.
cp set.wsdbs set.before
ln -s set.wsdbs alias.wsdb
for out in x.wsdbs 'x.wsdbs --parts 2' 'set.wsdbs --force' 'alias.wsdb --force'; do
    runs 2 dbconv 1.fa -o $out
    warns '--append'
    absent x.wsdbs
    same set.wsdbs set.before
done
rm alias.wsdb set.before
# What a manifest could not name is no name of a set.
mkdir odd
for name in $'lat\xe9in' $'two\nlines' $'\x01'; do
    runs 2 dbconv --append "odd/$name.wsdbs" 1.fa
    warns 'UTF-8 without control characters was expected'
    holds 'nothing is made' test -z "$(ls -A odd)"
done
runs 0 dbconv --append $'odd/l\xc3\xa4tin.wsdbs' 1.fa
runs 0 inspect info $'odd/l\xc3\xa4tin.wsdbs'
# A link that leads nowhere yet: all files of the set are where it leads.
mkdir there
ln -s ../there/none.wsdbs odd/link.wsdbs
runs 0 dbconv --append odd/link.wsdbs 1.fa
runs 0 dbconv --append odd/link.wsdbs 2.fa
holds 'all is where the link leads' test "$(ls there | tr '\n' ' ')" = 'none.volume-1.wsdb none.volume-2.wsdb none.wsdbs '
content odd/link.wsdbs got; same got want2
sed -n 's/^>\(s[0-9]*\) .*/\1/p' want5 >all
runs 1 dbconv --remove all set.wsdbs
warns 'no sequence would be left'
content set.wsdbs got; same got want5

# One at a time, and readers are not in the way.
mkfifo slow.fa
"$programs/dbconv" --append copy/set.wsdbs slow.fa --quiet & writer=$!
exec 9>slow.fa
tries=0
until [ -e copy/set.wsdbs.lock ]; do sleep 0.05; tries=$((tries + 1)); [ $tries -lt 200 ] || fail 'no lock'; done
runs 1 dbconv --append copy/set.wsdbs 1.fa
warns 'is being updated by another process'
runs 0 inspect validate copy/set.wsdbs
cat 4.fa >&9
exec 9>&-
wait $writer || fail 'the slow writer'
runs 0 inspect info copy/set.wsdbs
says '6'
absent copy/set.wsdbs.lock

# Updates that come and go while a set is validated: what it named when it was opened is looked at, whatever is removed meanwhile.
mkdir busy
cp 1.fa 4.fa busy/
( cd busy && "$programs/dbconv" --append set.wsdbs 1.fa --quiet ) || fail 'the busy set'
( cd busy && for round in $(seq 30); do
    "$programs/dbconv" --append set.wsdbs 4.fa --quiet && "$programs/dbconv" --compact set.wsdbs --quiet || exit 1
done ) & writer=$!
while kill -0 $writer 2>/dev/null; do
    runs 0 inspect validate busy/set.wsdbs
    says 'busy/set.wsdbs: sound'
done
wait $writer || fail 'the updates of the busy set'

# What fails or is interrupted leaves nothing: no set without a volume, no lock, no volume that no set has.
mkdir none
cp 1.fa none/
for signal in INT TERM; do
    env --default-signal=INT "$programs/dbconv" --append none/n.wsdbs slow.fa --quiet 2>.err & writer=$!
    exec 9>slow.fa
    tries=0
    until [ -e none/n.wsdbs ]; do sleep 0.05; tries=$((tries + 1)); [ $tries -lt 200 ] || fail 'no set is begun'; done
    kill -s $signal $writer
    status=0
    wait $writer || status=$?
    exec 9>&-
    last_command="dbconv --append none/n.wsdbs slow.fa ($signal)"
    holds 'it was interrupted' test $status -gt 128
    holds 'nothing is left' test "$(ls -A none)" = 1.fa
done
# With too little room for the volume, for the manifest, and at last for neither.
if unshare -rm true 2>/dev/null; then
    mkdir small
    unshare -rm bash -c '
        filled=0
        for pages in $(seq 1 40); do
            mount -t tmpfs -o size=$((pages * 4))k none small || exit 2
            if "$0" --append small/n.wsdbs 1.fa --quiet 2>>small.err; then filled=$((filled + 1)); else ls -A small >>small.left; fi
            umount small
        done
        [ $filled -gt 0 ] && [ $filled -lt 40 ]' "$programs/dbconv" || fail 'no size was too small, or each'
    holds 'nothing is left on a full disk' test ! -s small.left
else
    skipped 'no file system of a given size here'
fi
# Behind the new volume: the list of what was removed before is gone.
printf 's5\ns310\n' >some
rm -rf broken; mkdir broken
( cd broken && "$programs/dbconv" --append set.wsdbs ../1.fa --quiet && "$programs/dbconv" --append set.wsdbs ../2.fa --quiet &&
    "$programs/dbconv" --remove ../some set.wsdbs --quiet ) || fail 'the set to break'
rm broken/set.removed-4
ls -A broken >files
runs 1 dbconv --replace broken/set.wsdbs 3.fa
warns 'set.removed-4'
holds 'nothing is left of the replacement' test "$(ls -A broken)" = "$(cat files)"

# Killed at any moment: before or after, nothing else, and what was left goes with the next update.
rm -rf copy; mkdir copy
cp 1.fa 2.fa copy/
( cd copy && "$programs/dbconv" --append set.wsdbs 1.fa --quiet && "$programs/dbconv" --append set.wsdbs 2.fa --quiet &&
    printf 's5\ns310\n' >some && "$programs/dbconv" --remove some set.wsdbs --quiet ) || fail 'the set to kill'
content copy/set.wsdbs old
cp old new-append; sed 's/^>.*/&/' 4.fa | awk '/^>/ { if (text != "") print text; print; text = ""; next } { text = text $0 } END { if (text != "") print text }' >>new-append
cp old new-compact
printf 's7\n' >copy/seven
awk '/^>/ { keep = $1 != ">s7" } keep' old >new-remove
cp 4.fa copy/
# What an update takes here, in milliseconds.
cp -r copy victim
before=$(date +%s%N)
( cd victim && "$programs/dbconv" --append set.wsdbs 4.fa --quiet ) || fail 'the update to time'
whole=$((($(date +%s%N) - before) / 1000000 + 1))
killed=0 done_after=0
for try in $(seq 1 $(thorough && echo 17 || echo 4)); do
    for kind in append compact remove; do
        rm -rf victim; cp -r copy victim
        case $kind in
            append) set -- --append set.wsdbs 4.fa ;;
            compact) set -- --compact set.wsdbs ;;
            remove) set -- --remove seven set.wsdbs ;;
        esac
        # Times from the start of the process to well beyond its end.
        delay=$((whole * 3 * (try * 5 % 17) / 16 + 1))
        status=0
        { ( cd victim && exec timeout -s KILL "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))" "$programs/dbconv" "$@" --quiet ) >.out 2>&1 || status=$?; } 2>.err
        [ $status -eq 0 ] && done_after=$((done_after + 1)) || killed=$((killed + 1))
        last_command="dbconv $*, killed"
        content victim/set.wsdbs got
        cmp -s got old || cmp -s got "new-$kind" || fail "neither before nor after: $kind"
    done
    "$programs/inspect" validate victim/set.wsdbs --quiet || fail 'not sound'
    printf '>last\nMKV\n' >victim/last.fa
    ( cd victim && "$programs/dbconv" --append set.wsdbs last.fa --quiet ) || fail 'the update after a kill'
    left=$(cd victim && ls -A | grep -vxF -e set.wsdbs -e 1.fa -e 2.fa -e 4.fa -e some -e seven -e last.fa | while read -r name; do grep -qF "\"$name\"" set.wsdbs || echo "$name"; done)
    [ -z "$left" ] || fail "left behind: $left"
done
holds 'some were killed and some ended' test $killed -gt 2 -a $done_after -gt 2

# Interrupted at any moment: the same, and nothing is left beside it.
for try in $(seq 1 $(thorough && echo 12 || echo 3)); do
    for kind in append replace compact; do
        rm -rf victim; cp -r copy victim
        case $kind in
            compact) set -- --compact set.wsdbs ;;
            *) set -- --$kind set.wsdbs 4.fa ;;
        esac
        delay=$((whole * 3 * (try * 5 % 13) / 12 + 1))
        ( cd victim && exec timeout -s TERM "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))" "$programs/dbconv" "$@" --quiet ) >.out 2>.err
        last_command="dbconv $*, interrupted"
        left=$(cd victim && ls -A | grep -vxF -e set.wsdbs -e 1.fa -e 2.fa -e 4.fa -e some -e seven | while read -r name; do grep -qF "\"file\": \"$name\"" set.wsdbs || echo "$name"; done)
        [ -z "$left" ] || fail "left behind: $left"
        "$programs/inspect" validate victim/set.wsdbs --quiet || fail 'not sound'
    done
done

# Left by hand: what no manifest names and is newer, and a manifest that never got its name.
cp copy/set.volume-1.wsdb copy/set.volume-99.wsdb
cp copy/set.removed-3 copy/set.removed-77
cp copy/set.wsdbs copy/.set.wsdbs.part-0123456789abcdef
cp copy/set.volume-1.wsdb copy/set.volume-x.wsdb
digits=0123456789abcdef
gone=(.set.volume-99.wsdb.part-$digits .set.removed-77.part-$digits)
# Of what is older than the manifest, of sets whose names begin alike, and of no set.
kept=(.set.volume-1.wsdb.part-$digits .set.volume-99.wsdb.part-${digits%f} .set.volume-99.wsdb.part-${digits%f}g .set.volume-99.wsdbs.part-$digits
    .set.volume-9.volume-99.wsdb.part-$digits .set.removed-9.removed-99.part-$digits .set2.volume-99.wsdb.part-$digits .set2.wsdbs.part-$digits
    .set.part-$digits set.volume-99.wsdb.part-$digits)
( cd copy && touch "${gone[@]}" "${kept[@]}" ) || fail 'touch'
( cd copy && "$programs/dbconv" --append set.wsdbs 4.fa --quiet ) || fail 'append beside leftovers'
absent copy/set.volume-99.wsdb
absent copy/set.removed-77
absent copy/.set.wsdbs.part-0123456789abcdef
holds 'what is not ours stays' test -e copy/set.volume-x.wsdb
for name in "${gone[@]}"; do absent "copy/$name"; done
for name in "${kept[@]}"; do holds "$name stays" test -e "copy/$name"; rm "copy/$name"; done
touch .first.wsdbs.part-$digits
runs 0 dbconv --append first.wsdbs 4.fa --quiet
absent .first.wsdbs.part-$digits
# Killed where a volume, a list of removed sequences or the manifest is about to get its name: new files are linked to it, and the manifest,
# which cannot be linked to a name that it has already, to a temporary one, which is then renamed.
if strace -o /dev/null true 2>/dev/null; then
    for at in append:linkat:{1,2,3} append:renameat:1 replace:linkat:{1,2,3,4} replace:renameat:1; do
        IFS=: read -r kind call when <<<"$at"
        rm -rf victim; cp -r copy victim
        status=0
        { ( cd victim && exec strace -f -o /dev/null -e "inject=$call:signal=KILL:when=$when" "$programs/dbconv" --$kind set.wsdbs 4.fa --quiet ) >.out 2>&1 || status=$?; } 2>.err
        last_command="dbconv --$kind, killed at $call $when"
        holds 'it was killed' test $status -gt 128
        runs 0 dbconv --append victim/set.wsdbs 4.fa --quiet
        holds 'nothing is left' test -z "$(ls -A victim | grep '\.part-\|\.lock')"
    done
else
    skipped 'no strace here'
fi

# A copy of a manifest beside it names the volumes of the other set, which it never removes.
mkdir twins
( cd twins && "$programs/dbconv" --append set.wsdbs ../1.fa --quiet && "$programs/dbconv" --append set.wsdbs ../2.fa --quiet ) || fail 'the set to copy'
cp twins/set.wsdbs twins/twin.wsdbs
runs 0 dbconv --compact twins/twin.wsdbs
runs 0 dbconv --append twins/twin.wsdbs 4.fa
runs 0 dbconv --compact twins/twin.wsdbs
holds 'its own volumes go' test "$(ls twins | tr '\n' ' ')" = "set.volume-1.wsdb set.volume-2.wsdb set.wsdbs twin.volume-$(sed -n 's/.*volume-\([0-9]*\).*/\1/p' twins/twin.wsdbs | head -1).wsdb twin.wsdbs "
runs 0 inspect validate twins/twin.wsdbs
content twins/set.wsdbs got; same got want2

# Compacted with another codec, a set of one volume is stored anew; with the same or none it stays.
rm -rf one; mkdir one
runs 0 dbconv --append one/set.wsdbs 1.fa --quiet
ls -i one >files
runs 0 dbconv --compact one/set.wsdbs --codec packed --quiet
runs 0 dbconv --compact one/set.wsdbs --quiet
holds 'nothing is done' test "$(ls -i one)" = "$(cat files)"
runs 0 dbconv --compact one/set.wsdbs --codec zstd --quiet
holds 'the old volume goes' test "$(ls one | tr '\n' ' ')" = 'set.volume-2.wsdb set.wsdbs '
runs 0 inspect info one/set.volume-2.wsdb
says 'zstd'
content one/set.wsdbs got; same got want1
runs 0 dbconv --compact one/set.wsdbs --quiet
holds 'it stays as it is' test -e one/set.volume-2.wsdb
printf 's1 9606\n' >taxids
runs 0 dbconv --compact one/set.wsdbs --taxid-map taxids --quiet
runs 0 inspect info one/set.volume-3.wsdb
says 'TAXIDS'

# Damage: file, place, and what to do.
damaged() {
    runs 1 inspect validate "$1/set.wsdbs"
    warns "$1/set.wsdbs"
    warns "$2"
    runs 1 dbconv "$1/set.wsdbs" -o none.wsdb
    warns "$2"
    absent none.wsdb
}
manifest() { rm -rf bad; cp -r copy bad; sed -i "$1" bad/set.wsdbs; cmp -s bad/set.wsdbs copy/set.wsdbs && fail "no change: $1"; damaged bad "$2"; }
manifest 's/"set.volume-1.wsdb"/"..\/copy\/set.volume-1.wsdb"/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/"\/etc\/passwd"/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/".."/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/"gone.wsdb"/' 'gone.wsdb'
manifest 's/"set.volume-2.wsdb"/"set.volume-1.wsdb"/' 'named before'
manifest 's/"content_digest": "./"content_digest": "g/' 'hexadecimal digits were expected'
manifest '0,/"content_digest": "\(.\)\(.*\)",/s//"content_digest": "\2\1",/' 'content'
manifest '0,/"sequences": 300/s//"sequences": 301/' 'sequences'
manifest '0,/"sequences": 300/s//"sequences": 99999999999999999999/' 'sequences'
manifest '0,/"sequences": 300/s//"sequences": -1/' 'sequences'
manifest '0,/"residues": /s//"residues": 1/' 'residues'
manifest 's/"warpseq_set": 1/"warpseq_set": 2/' 'version 2'
manifest 's/"xxh3_64": "./"xxh3_64": "0/; s/"xxh3_64": "0\(.\)/"xxh3_64": "\10/' 'checksum'
manifest 's/"next_number"/"next"/' 'next'
manifest '$d' 'no JSON'
rm -rf bad; cp -r copy bad; head -c 100 copy/set.wsdbs >bad/set.wsdbs; damaged bad 'no JSON'
rm -rf bad; cp -r copy bad; : >bad/set.wsdbs; damaged bad 'no JSON'
rm -rf bad; cp -r copy bad; truncate -s 8 bad/set.removed-3 && damaged bad 'bytes'
rm -rf bad; cp -r copy bad; printf '\377' | dd of=bad/set.removed-3 conv=notrunc status=none; damaged bad 'checksum'
rm -rf bad; cp -r copy bad; rm bad/set.volume-2.wsdb; damaged bad 'set.volume-2.wsdb'
rm -rf bad; cp -r copy bad; cp bad/set.volume-1.wsdb bad/set.volume-2.wsdb; damaged bad 'set.volume-2.wsdb'
rm -rf bad; cp -r copy bad; printf 'xxxx' | dd of=bad/set.volume-1.wsdb bs=1 seek=8200 conv=notrunc status=none
runs 1 inspect validate bad/set.wsdbs
warns 'set.volume-1.wsdb'
echo passed
