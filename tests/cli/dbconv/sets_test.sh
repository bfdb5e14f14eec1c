#!/usr/bin/env bash
# A set of databases holds what one database of the same FASTA holds, after sequences are appended,
# removed or replaced, and after the set is compacted. An update that is killed at any moment leaves
# the set as before it or as after it. Damage is reported.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# fasta NAME FIRST LAST [VERSION]: writes sequences of many lengths, some of them equally long.
fasta() {
    awk -v first="$2" -v last="$3" -v version="${4:-1}" "$random_awk"'BEGIN {
        start_random(first * 1000 + version); letters = "ACDEFGHIKLMNPQRSTVWY"
        for (n = first; n <= last; ++n) {
            text = ""
            for (i = int(random() * 80) + 20 * (n % 3); i > 0; --i) text = text substr(letters, 1 + int(random() * 20), 1)
            printf ">s%d version %d\n%s\n", n, version, text
        }
    }' >"$1"
}
# content FILE OUT: writes the sequences of a database or set in input order.
content() {
    rm -f flat.wsdb
    "$programs/dbconv" "$1" -o flat.wsdb --quiet || fail "dbconv $1"
    "$programs/inspect" fasta flat.wsdb --width 0 >"$2" || fail "inspect fasta $1"
}
fasta 1.fa 1 300
fasta 2.fa 301 400
fasta 3.fa 390 420 2  # other versions of the last ones of 2.fa, and new ones
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
# A sequence that was removed cannot be removed again.
runs 0 dbconv --remove list set.wsdbs
says '0 sequences removed'
# A name means the same in a list of --remove as in --list, whatever other sequences of its volume
# are called.
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
# A set can be an input like a database, and a link to a set stands for the set.
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

# Wrong command lines are refused.
runs 1 dbconv --append set.wsdbs absent.fa
warns 'absent.fa'
runs 1 dbconv --append new.wsdbs absent.fa
absent new.wsdbs
absent new.wsdbs.lock
runs 2 dbconv --append both.wsdb 1.fa
warns 'names of sets end with .wsdbs'
runs 1 dbconv --remove list nowhere.wsdbs
runs 2 dbconv --remove list set.wsdbs set.wsdbs
runs 2 dbconv --compact set.wsdbs -o x.wsdb
runs 2 dbconv --append set.wsdbs --compact 1.fa
# dbconv -o writes a database and never a set, so an output with the name of a set is refused.
cp set.wsdbs set.before
ln -s set.wsdbs alias.wsdb
for out in x.wsdbs 'x.wsdbs --parts 2' 'set.wsdbs --force' 'alias.wsdb --force'; do
    runs 2 dbconv 1.fa -o $out
    warns '--append'
    absent x.wsdbs
    same set.wsdbs set.before
done
rm alias.wsdb set.before
# A set cannot have a name that no manifest can hold.
mkdir odd
for name in $'lat\xe9in' $'two\nlines' $'\x01'; do
    runs 2 dbconv --append "odd/$name.wsdbs" 1.fa
    warns 'UTF-8 without control characters was expected'
    holds 'nothing is made' test -z "$(ls -A odd)"
done
runs 0 dbconv --append $'odd/l\xc3\xa4tin.wsdbs' 1.fa
runs 0 inspect info $'odd/l\xc3\xa4tin.wsdbs'
# The name of a set may be a link to a file that does not exist yet. All files of the set are made
# where it leads.
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

# Only one update of a set runs at a time, and it does not hinder readers.
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
wait $writer || fail 'the slow writer fails'
runs 0 inspect info copy/set.wsdbs
says '6'
absent copy/set.wsdbs.lock

# Updates run while a set is validated. inspect checks the files that the set named when it was
# opened, whatever is removed meanwhile.
mkdir busy
cp 1.fa 4.fa busy/
( cd busy && "$programs/dbconv" --append set.wsdbs 1.fa --quiet ) || fail 'the busy set is not made'
( cd busy && for round in $(seq 30); do
    "$programs/dbconv" --append set.wsdbs 4.fa --quiet && "$programs/dbconv" --compact set.wsdbs --quiet || exit 1
done ) & writer=$!
while kill -0 $writer 2>/dev/null; do
    runs 0 inspect validate busy/set.wsdbs
    says 'busy/set.wsdbs: sound'
done
wait $writer || fail 'an update of the busy set fails'

# An update that fails or is interrupted leaves nothing: no set without a volume, no lock, no volume
# that is in no set.
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
# The file system has too little room for the volume, then for the manifest, and at last enough for
# both.
if unshare -rm true 2>/dev/null; then
    mkdir small
    unshare -rm bash -c '
        filled=0
        for pages in $(seq 1 40); do
            mount -t tmpfs -o size=$((pages * 4))k none small || exit 2
            if "$0" --append small/n.wsdbs 1.fa --quiet 2>>small.err; then filled=$((filled + 1)); else ls -A small >>small.left; fi
            umount small
        done
        [ $filled -gt 0 ] && [ $filled -lt 40 ]' "$programs/dbconv" || fail 'no size or every size of the file system was too small'
    holds 'nothing is left on a full disk' test ! -s small.left
else
    skipped 'no file system of a given size here'
fi
# The list of earlier removals is gone, so the replacement fails after it has written the new
# volume.
printf 's5\ns310\n' >some
rm -rf broken; mkdir broken
( cd broken && "$programs/dbconv" --append set.wsdbs ../1.fa --quiet && "$programs/dbconv" --append set.wsdbs ../2.fa --quiet &&
    "$programs/dbconv" --remove ../some set.wsdbs --quiet ) || fail 'the set to break is not made'
rm broken/set.removed-4
ls -A broken >files
runs 1 dbconv --replace broken/set.wsdbs 3.fa
warns 'set.removed-4'
holds 'nothing is left of the replacement' test "$(ls -A broken)" = "$(cat files)"

# An update is killed at any moment. The set is as before or as after it, and the next update
# removes what was left.
rm -rf copy; mkdir copy
cp 1.fa 2.fa copy/
( cd copy && "$programs/dbconv" --append set.wsdbs 1.fa --quiet && "$programs/dbconv" --append set.wsdbs 2.fa --quiet &&
    printf 's5\ns310\n' >some && "$programs/dbconv" --remove some set.wsdbs --quiet ) || fail 'the set to kill is not made'
content copy/set.wsdbs old
cp old new-append; sed 's/^>.*/&/' 4.fa | awk '/^>/ { if (text != "") print text; print; text = ""; next } { text = text $0 } END { if (text != "") print text }' >>new-append
cp old new-compact
printf 's7\n' >copy/seven
awk '/^>/ { keep = $1 != ">s7" } keep' old >new-remove
cp 4.fa copy/
# The time of an update here, in milliseconds.
cp -r copy victim
before=$(date +%s%N)
( cd victim && "$programs/dbconv" --append set.wsdbs 4.fa --quiet ) || fail 'the update to time fails'
whole=$((($(date +%s%N) - before) / 1000000 + 1))
killed=0 done_after=0
# Moments from the start of the process to well beyond its end, in sixteenths of the time of an
# update.
for sixteenths in $(thorough && seq 3 3 48 || echo 3 9 15) 800; do
    for kind in append compact remove; do
        rm -rf victim; cp -r copy victim
        case $kind in
            append) set -- --append set.wsdbs 4.fa ;;
            compact) set -- --compact set.wsdbs ;;
            remove) set -- --remove seven set.wsdbs ;;
        esac
        delay=$((whole * sixteenths / 16 + 1))
        status=0
        { ( cd victim && exec timeout -s KILL "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))" "$programs/dbconv" "$@" --quiet ) >.out 2>&1 || status=$?; } 2>.err
        [ $status -eq 0 ] && done_after=$((done_after + 1)) || killed=$((killed + 1))
        last_command="dbconv $*, killed"
        content victim/set.wsdbs got
        cmp -s got old || cmp -s got "new-$kind" || fail "the set is neither as before nor as after: $kind"
    done
    "$programs/inspect" validate victim/set.wsdbs --quiet || fail 'not sound'
    printf '>last\nMKV\n' >victim/last.fa
    ( cd victim && "$programs/dbconv" --append set.wsdbs last.fa --quiet ) || fail 'the update after a kill fails'
    left=$(cd victim && ls -A | grep -vxF -e set.wsdbs -e 1.fa -e 2.fa -e 4.fa -e some -e seven -e last.fa | while read -r name; do grep -qF "\"$name\"" set.wsdbs || echo "$name"; done)
    [ -z "$left" ] || fail "left behind: $left"
done
holds 'some were killed and some ended' test $killed -gt 0 -a $done_after -gt 2

# An update is interrupted at any moment. The set is sound, and nothing is left beside it.
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

# Files stay if their names are like those of the set but they never belonged to it: notes,
# databases, copies of volumes, and files with a temporary name of a file of this set or another
# one. New files get numbers above all of theirs, and the user is told.
cp 1.fa copy/set.removed-77
"$programs/dbconv" 2.fa -o copy/set.volume-98.wsdb --quiet || fail 'no database with the name of a volume is made'
cp copy/set.volume-1.wsdb copy/set.volume-99.wsdb
cp copy/set.volume-1.wsdb copy/set.volume-x.wsdb
digits=0123456789abcdef
others=(.set.volume-99.wsdb.part-$digits .set.removed-77.part-$digits .set.wsdbs.part-$digits .set.volume-1.wsdb.part-$digits .set.volume-99.wsdb.part-${digits%f}
    .set.volume-99.wsdb.part-${digits%f}g .set.volume-99.wsdbs.part-$digits .set.volume-9.volume-99.wsdb.part-$digits .set.removed-9.removed-99.part-$digits
    .set2.volume-99.wsdb.part-$digits .set2.wsdbs.part-$digits .set.part-$digits set.volume-99.wsdb.part-$digits)
( cd copy && touch "${others[@]}" && ls -Ai --ignore='set.wsdbs*' ) >files || fail 'touch'
runs 0 dbconv --append copy/set.wsdbs 4.fa
warns '3 files beside the set are named like its files, but do not belong to it: "set.removed-77", "set.volume-98.wsdb", "set.volume-99.wsdb"; they are left in place'
holds 'the number is above theirs' test -e copy/set.volume-100.wsdb
holds 'all are what they were' test -z "$(ls -Ai copy | sort | comm -13 - <(sort files))"
for name in "${others[@]}"; do rm "copy/$name"; done
rm copy/set.removed-77 copy/set.volume-98.wsdb copy/set.volume-99.wsdb copy/set.volume-x.wsdb
# A file under its temporary name is removed, whole or not, if it carries the mark of the set: the
# manifest, a volume, a list.
mark_of() { head -c 128 copy/set.removed-3 | tr -d '\0' | sed "s/^number 3$/number $1/" >.mark; truncate -s 128 .mark; }
mark_of 120; cp .mark copy/.set.removed-120.part-$digits
mark_of 121; { cat .mark; head -c 5000 /dev/zero; } >copy/.set.volume-121.wsdb.part-$digits
cp copy/set.volume-100.wsdb copy/.set.volume-100.wsdb.part-$digits
head -c 90 copy/set.wsdbs >copy/.set.wsdbs.part-$digits
# A file under another number, or with the mark of another set, stays.
cp .mark copy/.set.removed-122.part-$digits
mark_of 123; tr -d '\0' <.mark | sed 's/^set .*/set 00000000000000000000000000000000/' >copy/.set.removed-123.part-$digits; truncate -s 128 copy/.set.removed-123.part-$digits
runs 0 dbconv --append copy/set.wsdbs 4.fa --quiet
for name in .set.removed-120 .set.volume-121.wsdb .set.volume-100.wsdb .set.wsdbs; do absent copy/$name.part-$digits; done
for name in .set.removed-122 .set.removed-123; do holds "$name stays" test -e copy/$name.part-$digits; rm copy/$name.part-$digits; done

# An update that is killed before any of its calls that change names leaves the set as before it or
# as after it. The next update removes what is left. This holds with and without unnamed files and
# links.
faulty=${WARPSEQ_FAULTY_FILES:-}
faulty_systems=(WARPSEQ_LIE_AT=0 'WARPSEQ_NO_UNNAMED=1' 'WARPSEQ_NO_UNNAMED=1 WARPSEQ_WITHOUT_LINKS=1' 'WARPSEQ_NO_UNNAMED=1 WARPSEQ_WITHOUT_LINKS=2')
if [ -n "$faulty" ]; then
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
    # chosen KIND: makes the set to update anew, and puts the arguments of the update into
    # `arguments`.
    chosen() {
        rm -rf victim; mkdir victim; cp start/* 1.fa 4.fa victim/
        [ "$1" = compact ] && arguments=(--compact set.wsdbs --quiet) || arguments=(--$1 set.wsdbs 4.fa --quiet)
    }
    mkdir start
    ( cd start && "$programs/dbconv" --append set.wsdbs ../1.fa --quiet && "$programs/dbconv" --remove ../some set.wsdbs --quiet ) || fail 'the set to kill is not made'
    content start/set.wsdbs start.old
    for kind in append replace compact; do
        chosen $kind
        ( cd victim && "$programs/dbconv" "${arguments[@]}" ) || fail "$kind"
        content victim/set.wsdbs start.$kind
    done
    some_were_killed=
    for kind in append replace compact; do
        for system in "${faulty_systems[@]}"; do
            for call in $(seq 1 40); do
                sampled 11 || continue
                chosen $kind
                status=0
                { ( cd victim && exec env LD_PRELOAD="$faulty" $system WARPSEQ_KILL_AT=$call "$programs/dbconv" "${arguments[@]}" ) >.out 2>&1 || status=$?; } 2>.err
                last_command="$system dbconv ${arguments[*]}, killed at call $call"
                [ $status -ne 0 ] || break
                [ $status -eq 137 ] || fail "exit status $status"
                some_were_killed=1
                content victim/set.wsdbs got
                cmp -s got start.old || cmp -s got start.$kind || fail 'the set is neither as before nor as after'
                runs 0 dbconv --append victim/set.wsdbs 1.fa
                # Nothing may be left, except an empty file that takes a name for a moment on a file
                # system that can do nothing better.
                left=$(cd victim && ls -A | grep -vxF -e set.wsdbs -e 1.fa -e 4.fa | while read -r name; do grep -qF "\"file\": \"$name\"" set.wsdbs || echo "$name"; done)
                [ -z "$left" ] || { [ "${system%2}" != "$system" ] && [ ! -s "victim/$left" ]; } || fail "left behind: $left"
                [ -n "$left" ] || ! grep -q 'named like its files' .err || fail 'files of a killed update are taken for other files'
            done
        done
    done
    holds 'some were killed' test -n "$some_were_killed"
    # A file server may report an error for a call that it has carried out. The update succeeds
    # nevertheless.
    for kind in append replace compact; do
        for call in $(seq 1 8); do
            sampled 2 || continue
            chosen $kind
            last_command="dbconv ${arguments[*]}, a lie at call $call"
            ( cd victim && exec env LD_PRELOAD="$faulty" WARPSEQ_LIE_AT=$call "$programs/dbconv" "${arguments[@]}" ) >.out 2>.err || fail 'the update fails'
            content victim/set.wsdbs got; same got start.$kind
        done
    done
    for system in "${faulty_systems[@]:1}"; do
        for call in 1 2 3; do
            for force in '' --force; do
                rm -f lied.wsdb; [ -z "$force" ] || cp both.wsdb lied.wsdb
                last_command="$system dbconv 4.fa -o lied.wsdb $force, a lie at call $call"
                env LD_PRELOAD="$faulty" $system WARPSEQ_LIE_AT=$call "$programs/dbconv" 4.fa -o lied.wsdb --quiet $force 2>.err || fail 'it fails'
                runs 0 inspect validate lied.wsdb
            done
        done
    done
    # If a file appears while another one of its name is made, it stays, whatever the file system
    # can do.
    for system in "${faulty_systems[@]}"; do
        rm -f late.wsdb
        env LD_PRELOAD="$faulty" $system "$programs/dbconv" slow.fa -o late.wsdb --quiet 2>.err & writer=$!
        exec 9>slow.fa
        echo notes >late.wsdb
        cat 4.fa >&9
        exec 9>&-
        status=0
        wait $writer || status=$?
        last_command="$system dbconv slow.fa -o late.wsdb"
        holds 'it is refused' test $status -eq 1
        warns 'late.wsdb: exists already'
        holds 'the other file stays' test "$(cat late.wsdb)" = notes
        holds 'nothing is left' test -z "$(ls -A | grep '^\.late')"
        rm late.wsdb
        for force in '' --force; do
            env LD_PRELOAD="$faulty" $system "$programs/dbconv" 4.fa -o late.wsdb --quiet $force || fail "$system $force"
            runs 0 inspect validate late.wsdb
        done
        holds 'nothing is left' test -z "$(ls -A | grep '^\.late')"
    done
else
    skipped 'no library that makes calls fail: WARPSEQ_FAULTY_FILES'
fi

# A file with the lock's name stays if it is not a lock, and so does a link or a FIFO.
rm -rf victim; cp -r copy victim
echo notes >victim/set.wsdbs.lock
runs 1 dbconv --append victim/set.wsdbs 4.fa
warns 'set.wsdbs.lock: is not the lock of a set'
holds 'the file stays' test "$(cat victim/set.wsdbs.lock)" = notes
rm victim/set.wsdbs.lock; ln -s nowhere victim/set.wsdbs.lock
runs 1 dbconv --append victim/set.wsdbs 4.fa
absent victim/nowhere
holds 'the link stays' test -L victim/set.wsdbs.lock
rm victim/set.wsdbs.lock; mkfifo victim/set.wsdbs.lock
runs 1 dbconv --append victim/set.wsdbs 4.fa
warns 'is not a regular file'
rm victim/set.wsdbs.lock; : >victim/set.wsdbs.lock
runs 0 dbconv --append victim/set.wsdbs 4.fa --quiet
absent victim/set.wsdbs.lock

# An older manifest is brought back. Files that later updates made stay, and so do obsolete files,
# until the user moves the unknown ones away.
rm -rf old; mkdir old
for i in 1 2 3; do
    printf '>o%s\nMKVL%s\n' $i "$(printf 'A%.0s' $(seq $i))" >old/$i.fa
    runs 0 dbconv --append old/set.wsdbs old/$i.fa --quiet
    cp old/set.wsdbs old/manifest-$i
done
ls -i old/set.volume-* >files
cp old/manifest-2 old/set.wsdbs
runs 0 dbconv --append old/set.wsdbs old/1.fa
warns '1 file beside the set is named like its files, but does not belong to it: "set.volume-3.wsdb"; it is left in place. An update made such a file for this set'
warns '1 sequence has an identifier that the set had before: "o1"; all are kept (--replace removes the earlier ones)'
holds 'the volume that is not known stays' test "$(ls -i old/set.volume-[123].wsdb)" = "$(cat files)"
runs 0 dbconv --compact old/set.wsdbs
warns 'no file that the set no longer needs is removed'
holds 'all volumes stay' test "$(ls -i old/set.volume-[123].wsdb)" = "$(cat files)"
cp old/set.wsdbs old/compacted
cp old/manifest-3 old/set.wsdbs
runs 0 inspect fasta old/set.wsdbs
holds 'the newest manifest has all of them' test "$(grep -c '>' .out)" = 3
cp old/compacted old/set.wsdbs
mv old/set.volume-3.wsdb old/kept
runs 0 dbconv --append old/set.wsdbs old/2.fa --quiet
holds 'what is obsolete goes' test "$(ls old/set.volume-* | wc -l)" = 2
# A volume of another set, or of another time of the set, is refused although it holds the same
# sequences.
rm -rf victim; mkdir victim
for which in a b; do runs 0 dbconv --append victim/$which.wsdbs 1.fa --quiet; done
cp victim/b.volume-1.wsdb victim/a.volume-1.wsdb
runs 1 inspect validate victim/a.wsdbs
warns 'a.volume-1.wsdb: belongs to another set'
runs 0 dbconv 1.fa -o victim/plain.wsdb --quiet
cp victim/plain.wsdb victim/a.volume-1.wsdb
runs 1 dbconv --append victim/a.wsdbs 2.fa
warns 'does not say which set it belongs to'
runs 0 dbconv --append victim/c.wsdbs 1.fa --quiet
cp victim/c.wsdbs victim/c.first
runs 0 dbconv --append victim/c.wsdbs 2.fa --quiet
cp victim/c.volume-2.wsdb victim/c.second; rm victim/c.volume-2.wsdb; cp victim/c.first victim/c.wsdbs
runs 0 dbconv --append victim/c.wsdbs 2.fa --quiet
cp victim/c.second victim/c.volume-2.wsdb
runs 1 inspect info victim/c.wsdbs
warns 'c.volume-2.wsdb: was made by another update of the set'
cp victim/c.volume-1.wsdb victim/c.volume-2.wsdb
runs 1 inspect info victim/c.wsdbs
warns 'c.volume-2.wsdb: is file 1 of the set'
# If the manifest is replaced while an update runs, the update changes nothing.
rm -rf victim; cp -r copy victim
"$programs/dbconv" --append victim/set.wsdbs slow.fa --quiet 2>.err & writer=$!
exec 9>slow.fa
tries=0
until [ -s victim/set.wsdbs.lock ]; do sleep 0.05; tries=$((tries + 1)); [ $tries -lt 200 ] || fail 'no lock'; done
cp old/manifest-3 victim/set.wsdbs
cat 4.fa >&9
exec 9>&-
status=0
wait $writer || status=$?
last_command='dbconv --append, another manifest meanwhile'
holds 'it fails' test $status -eq 1
warns 'its manifest was replaced while it was updated'
same victim/set.wsdbs old/manifest-3
holds 'the volume is not there' test "$(cd victim && ls set.volume-*)" = "$(cd copy && ls set.volume-*)"

# If the manifest is lost, another set of its name can begin beside the volumes, and these can be
# appended to it.
rm -rf lost; mkdir lost
for i in 1 2 3; do runs 0 dbconv --append lost/set.wsdbs old/$i.fa --quiet; done
rm lost/set.wsdbs
runs 0 dbconv --append lost/set.wsdbs lost/set.volume-{1,2,3}.wsdb
warns '3 files beside the set are named like its files, but do not belong to it'
says '3 sequences appended'
holds 'nothing is lost' test "$(ls lost/set.volume-* | wc -l)" = 4

# Sets of version 1, which have no marks and no checksum, are read, and the next update makes
# version 2 of them.
golden=${WARPSEQ_GOLDEN:?the folder tests/golden}
version_1() { rm -rf v1; cp -r "$golden/set-v1" v1; }
version_1
runs 0 inspect fasta v1/set.wsdbs
holds 'it has what it had' test "$(grep -c '>' .out)" = 4
cp .out v1.fa
runs 0 inspect validate v1/set.wsdbs
runs 0 inspect validate "$golden/set-v2/set.wsdbs"
runs 0 inspect fasta "$golden/set-v2/set.wsdbs"
same .out v1.fa
cp v1/set.volume-1.wsdb v1/set.volume-9.wsdb
cp v1/set.removed-3 v1/set.removed-8
ls -i v1/set.volume-* v1/set.removed-* >files
runs 0 dbconv --append v1/set.wsdbs old/1.fa
holds 'no number is used again' test -e v1/set.volume-10.wsdb
holds 'what it does not know stays' test -z "$(ls -i v1/set.volume-* v1/set.removed-* | sort | comm -13 - <(sort files))"
holds 'it is of version 2' grep -q '"warpseq_set": 2' v1/set.wsdbs
runs 0 inspect info v1/set.wsdbs
says '(nothing is known of earlier ones)'
runs 0 dbconv --compact v1/set.wsdbs --quiet
holds 'what it had and no longer needs goes' test "$(cd v1 && ls set.volume-* set.removed-* | tr '\n' ' ')" = 'set.removed-8 set.volume-11.wsdb set.volume-9.wsdb '
# A manifest whose next number is not above the numbers of all files is refused.
version_1
sed -i 's/"next_number": 4/"next_number": 2/' v1/set.wsdbs
ls -i v1 >files
for command in 'dbconv --append v1/set.wsdbs 4.fa' 'dbconv --compact v1/set.wsdbs' 'inspect validate v1/set.wsdbs' 'inspect fasta v1/set.wsdbs'; do
    runs 1 $command
    warns 'a number above that of each file was expected'
    holds 'nothing is done' test "$(ls -i v1)" = "$(cat files)"
done
# Numbers of files end at 2^48. An update fails if it would write a manifest that is refused.
for number in 281474976710144 281474976710655 281474976710656; do
    version_1
    sed -i "s/\"next_number\": 4/\"next_number\": $number/" v1/set.wsdbs
    cp v1/set.wsdbs v1.before
    runs 1 dbconv --append v1/set.wsdbs 4.fa
    warns 'and the limit is 281474976710656'
    same v1/set.wsdbs v1.before
    runs 0 inspect validate v1/set.wsdbs
done
sed -i 's/"next_number": [0-9]*/"next_number": 281474976710143/' v1/set.wsdbs
runs 0 dbconv --append v1/set.wsdbs old/1.fa
runs 0 inspect validate v1/set.wsdbs
runs 1 dbconv --append v1/set.wsdbs old/2.fa
version_1
: >v1/set.volume-281474976710656.wsdb
runs 1 dbconv --append v1/set.wsdbs old/2.fa
warns 'and the limit is 281474976710656'

# A set remembers what was done to it, and when.
rm -rf history; mkdir history
runs 0 dbconv --append history/set.wsdbs 1.fa 2.fa --quiet
runs 0 dbconv --append history/set.wsdbs 4.fa
warns '20 sequences have an identifier that the set had before: "s1", "s2", "s3", ...; all are kept (--replace removes the earlier ones)'
runs 0 dbconv --replace history/set.wsdbs 3.fa
holds 'what is replaced is no repetition' test -z "$(grep 'had before' .err)"
runs 0 dbconv --remove some history/set.wsdbs --title 'A title' --quiet
runs 0 dbconv --compact history/set.wsdbs --quiet
runs 0 dbconv --compact history/set.wsdbs --release 7 --quiet
runs 0 inspect info history/set.wsdbs
sed -n '/^time of update/,$p' .out | sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z /TIME /; s/  +/ /g' >got
cat >expected <<'END'
time of update what appended removed sequences from
TIME append 400 0 400 "1.fa" and 1 more
TIME append 20 0 420 "4.fa"
TIME replace 31 11 440 "3.fa"
TIME remove 0 3 437
TIME compact 0 0 437
TIME label 0 0 437
END
same got expected
runs 0 inspect info history/set.wsdbs --json
python3 - <<'PY' || fail 'the history in JSON'
import json
info = json.load(open(".out"))
assert [each["what"] for each in info["history"]] == ["append", "append", "replace", "remove", "compact", "label"]
assert info["history"][0]["inputs"] == 2 and info["history"][0]["first_input"] == "1.fa"
assert info["history"][3]["removed"] == 3 and info["history"][-1]["sequences"] == info["sequences"]
assert info["forgotten_updates"] == 0 and len(info["set"]) == 32
PY

# dbconv warns if a set has taxa and the sequences that are appended to it have none.
printf 's1 9606\ns2 10090\n' >taxids
printf 'other 1\n' >no-taxids
mkdir -p taxdump; printf '1\t|\t1\t|\tno rank\t|\n9606\t|\t1\t|\tspecies\t|\n' >taxdump/nodes.dmp; printf '9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|\n' >taxdump/names.dmp
runs 0 dbconv --append taxa.wsdbs 1.fa --taxid-map taxids
warns '298 definition lines are of no known taxon'
runs 0 dbconv --append taxa.wsdbs 2.fa
warns 'the set has taxa, but the appended sequences have none; add --taxid-map to assign taxa to them'
runs 0 dbconv --append taxa.wsdbs 2.fa --taxid-map no-taxids
warns 'no definition line has an identifier of the taxonomy map; the database has no taxa'
runs 0 dbconv --compact taxa.wsdbs --taxid-map no-taxids
warns 'no definition line has an identifier of the taxonomy map; taxa come from the input alone'
for command in '1.fa -o taxa.wsdb --force' '--append taxa-2.wsdbs 1.fa'; do
    runs 0 dbconv $command --taxonomy taxdump
    warns '--taxonomy was given, but no sequence has a taxonomy ID; add --taxid-map to assign taxa to sequences'
done
runs 0 dbconv 1.fa -o taxa.wsdb --force --taxonomy taxdump --taxid-map taxids
holds 'nothing is said where there are some' test -z "$(grep -e '--taxonomy was given' .err)"

# Many sequences have identifiers that are one name in an index. Time and memory grow with their
# number. Pairs of them would take 6 GB.
awk 'BEGIN { for (n = 1; n <= 20000; ++n) printf ">hypothetical protein %d\nMKVL\n>2021_%04d\nMKV\n", n, n % 10000 }' >many.fa
awk 'BEGIN { for (n = 0; n < 10000; ++n) printf "2021_%04d\n", n; print "hypothetical" }' >many.list
runs 0 dbconv --append many.wsdbs many.fa --quiet
limited() {
    last_command="$*, limited"
    # Sanitizers reserve terabytes of addresses.
    ( [ -n "${WARPSEQ_SANITIZED:-}" ] || ulimit -v 1500000; exec "$programs/$1" "${@:2}" ) >.out 2>.err || fail 'exit status'
}
limited dbconv --append many.wsdbs many.fa --threads 2 --memory 100M
warns '40,000 sequences have an identifier that the set had before: "hypothetical", "2021_0001", "2021_0002", ...'
limited dbconv --replace many.wsdbs many.fa --threads 2 --memory 100M
says '80,000 sequences removed'
limited dbconv many.wsdbs --list many.list -o many.wsdb --threads 2 --memory 100M
says '40,000 sequences'
limited dbconv many.fa --list many.list -o many.wsdb --force --threads 2 --memory 100M
says '40,000 sequences'
head -5000 many.list >few.list
limited inspect fetch many.wsdbs --list few.list
holds 'all of them are found' test "$(grep -c '>' .out)" = 10000
limited dbconv --remove few.list many.wsdbs --threads 2 --memory 100M
says '10,000 sequences removed'

# A copy of a manifest beside the original names the volumes of the original set. Updates of the
# copy never remove these.
mkdir twins
( cd twins && "$programs/dbconv" --append set.wsdbs ../1.fa --quiet && "$programs/dbconv" --append set.wsdbs ../2.fa --quiet ) || fail 'the set to copy is not made'
cp twins/set.wsdbs twins/twin.wsdbs
runs 0 dbconv --compact twins/twin.wsdbs
runs 0 dbconv --append twins/twin.wsdbs 4.fa
runs 0 dbconv --compact twins/twin.wsdbs
holds 'its own volumes go' test "$(ls twins | tr '\n' ' ')" = "set.volume-1.wsdb set.volume-2.wsdb set.wsdbs twin.volume-$(sed -n 's/.*volume-\([0-9]*\).*/\1/p' twins/twin.wsdbs | head -1).wsdb twin.wsdbs "
runs 0 inspect validate twins/twin.wsdbs
content twins/set.wsdbs got; same got want2

# A set of one volume is stored anew if it is compacted with another codec. With the same codec, or
# none, it stays.
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

# damaged FOLDER TEXT: requires that the set in FOLDER is refused, with a message that names the set
# and contains TEXT.
damaged() {
    runs 1 inspect validate "$1/set.wsdbs"
    warns "$1/set.wsdbs"
    warns "$2"
    runs 1 dbconv "$1/set.wsdbs" -o none.wsdb
    warns "$2"
    absent none.wsdb
}
# A manifest of version 1 has no checksum that is compared first, so its faults are found one by
# one.
python3 - <<'PY' || fail 'a manifest of version 1'
import json
manifest = json.load(open("copy/set.wsdbs"))
for volume in manifest["volumes"]:
    volume.pop("update", None)
    volume.get("removed", {}).pop("update", None)
written = {"warpseq_set": 1, "next_number": manifest["next_number"], "volumes": manifest["volumes"]}
json.dump(written, open("version-1.wsdbs", "w"), indent=2)
open("version-1.wsdbs", "a").write("\n")
PY
manifest() { rm -rf bad; cp -r copy bad; for list in set.removed-3 set.removed-4; do tail -c +129 copy/$list >bad/$list; done; sed "$1" version-1.wsdbs >bad/set.wsdbs; cmp -s bad/set.wsdbs version-1.wsdbs && fail "no change: $1"; damaged bad "$2"; }
manifest 's/"set.volume-1.wsdb"/"..\/copy\/set.volume-1.wsdb"/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/"\/etc\/passwd"/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/".."/' 'without a folder'
manifest 's/"set.volume-1.wsdb"/"gone.wsdb"/' 'gone.wsdb'
manifest 's/"set.volume-2.wsdb"/"set.volume-1.wsdb"/' 'named twice'
manifest 's/"content_digest": "./"content_digest": "g/' 'hexadecimal digits were expected'
manifest '0,/"content_digest": "\(.\)\(.*\)",/s//"content_digest": "\2\1",/' 'content'
manifest '0,/"sequences": 300/s//"sequences": 301/' 'sequences'
manifest '0,/"sequences": 300/s//"sequences": 99999999999999999999/' 'sequences'
manifest '0,/"sequences": 300/s//"sequences": -1/' 'sequences'
manifest '0,/"residues": /s//"residues": 1/' 'residues'
manifest 's/"warpseq_set": 1/"warpseq_set": 3/' 'version 3'
manifest 's/"warpseq_set": 1/"warpseq_set": 2/' 'does not say "set"'
rm -rf bad; cp -r copy bad; sed -i '0,/"sequences": 300/s//"sequences": 301/' bad/set.wsdbs; damaged bad 'checksum'
manifest 's/"xxh3_64": "./"xxh3_64": "0/; s/"xxh3_64": "0\(.\)/"xxh3_64": "\10/' 'checksum'
manifest 's/"next_number"/"next"/' 'next'
manifest '$d' 'not JSON'
rm -rf bad; cp -r copy bad; head -c 100 copy/set.wsdbs >bad/set.wsdbs; damaged bad 'not JSON'
rm -rf bad; cp -r copy bad; : >bad/set.wsdbs; damaged bad 'not JSON'
rm -rf bad; cp -r copy bad; truncate -s 8 bad/set.removed-3 && damaged bad 'bytes'
rm -rf bad; cp -r copy bad; printf '\377' | dd of=bad/set.removed-3 bs=1 seek=128 conv=notrunc status=none; damaged bad 'checksum'
rm -rf bad; cp -r copy bad; printf '\377' | dd of=bad/set.removed-3 conv=notrunc status=none; damaged bad 'does not say which set it belongs to'
rm -rf bad; cp -r copy bad; rm bad/set.volume-2.wsdb; damaged bad 'set.volume-2.wsdb'
rm -rf bad; cp -r copy bad; cp bad/set.volume-1.wsdb bad/set.volume-2.wsdb; damaged bad 'set.volume-2.wsdb'
rm -rf bad; cp -r copy bad; printf 'xxxx' | dd of=bad/set.volume-1.wsdb bs=1 seek=8200 conv=notrunc status=none
runs 1 inspect validate bad/set.wsdbs
warns 'set.volume-1.wsdb'
echo passed
