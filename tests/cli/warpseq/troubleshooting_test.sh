#!/usr/bin/env bash
# Each message that docs/troubleshooting.md quotes, between **" and "**, is printed by a program,
# for the reason that the document gives.
. "$(dirname "$0")/../../support/checks.sh"
document=$(cd "$(dirname "$0")/../../../docs" && pwd)/troubleshooting.md
cd "$work" || exit 1

awk "$random_awk"'BEGIN { start_random(3); letters = "ACDEFGHIKLMNPQRSTVWY"
             for (s = 0; s < 3000; ++s) { text = ""; for (i = 0; i < 60; ++i) text = text substr(letters, 1 + int(random() * 20), 1)
                                          print ">s" s "\n" text } }' >x.fasta
printf '>q\nMKVLACDEFGHIKLMNPQRSTVWY\n' >q.fa
runs 0 dbconv x.fasta -o x.wsdb --quiet
: >said
# hears STATUS PROGRAM ARGUMENTS...: runs a program and keeps what it prints on standard error.
hears() { runs "$@"; cat .err >>said; }

awk 'BEGIN { for (s = 0; s < 40000; ++s) { print ">large" s; for (i = 0; i < 10; ++i) printf "MKVLACDEFGHIKLMNPQRSTVWYMKVLACDEFGHIKLMNPQRSTVWYMKVLACDEFGHIKLMNPQRSTVWYMKVLACDEFGHIKLMNPQRSTV"; print "" } }' >large.fasta
TMPDIR=$work/nowhere hears 1 search sw -q q.fa -d large.fasta
cp x.wsdb bad.wsdb
printf '\125' | dd of=bad.wsdb bs=1 seek=5000 conv=notrunc status=none
hears 1 search sw -q q.fa -d bad.wsdb
head -c 20000 x.wsdb >cut.wsdb
hears 1 search sw -q q.fa -d cut.wsdb
hears 1 dbconv x.fasta -o x.wsdb
hears 2 dbconv x.wsdb -o x.wsdb --force
echo notes >x.fasta.wsdb
hears 0 search sw -q q.fa -d x.fasta
hears 0 search sw -q q.fa -d x.fasta --cache
printf '>q\nXXXXXXXX\n' >masked.fa
hears 0 search blastp -q masked.fa -d x.wsdb

# A database that is written to, and one that is cut, while a search waits for its queries.
mkfifo queries
for change in written cut; do
    cp x.wsdb open.wsdb
    touch -d '2001-01-01' open.wsdb
    last_command="search sw, whose database is $change meanwhile"
    "$programs/search" sw -q queries -d open.wsdb >.out 2>.err &
    search=$!
    exec 9>queries
    until grep -q open.wsdb "/proc/$search/maps" 2>/dev/null || ! kill -0 $search 2>/dev/null; do sleep 0.02; done
    case $change in
    written) printf '\125' | dd of=open.wsdb bs=1 seek=5000 conv=notrunc status=none ;;
    cut) truncate -s 8192 open.wsdb ;;
    esac
    cat q.fa >&9
    exec 9>&-
    status=0
    wait $search || status=$?
    holds 'the exit status is 1' test $status -eq 1
    cat .err >>said
done

# FASTA that grows while it is read.
for ((i = 0; i < 30; ++i)); do cat large.fasta; done >growing.fasta
for attempt in 1 2 3 4 5; do
    last_command="dbconv of FASTA that grows, attempt $attempt"
    "$programs/dbconv" - -o grown.wsdb --quiet --force <growing.fasta >.out 2>.err &
    convert=$!
    until [ "$(awk '/^pos:/ { print $2 }' /proc/$convert/fdinfo/0 2>/dev/null || echo 1)" != 0 ]; do :; done
    echo '>more' >>growing.fasta
    status=0
    wait $convert || status=$?
    cat .err >>said
    [ $status -eq 0 ] || break
done
absent grown.wsdb

quoted=0
while IFS= read -r message; do
    quoted=$((quoted + 1))
    last_command="a message that $document quotes"
    grep -qF -- "$message" said || { cp said .err; fail "no program said: $message"; }
done < <(grep -o '\*\*"[^"]*"\*\*' "$document" | sed 's/^\*\*"//; s/"\*\*$//')
holds 'messages are quoted' test $quoted -ge 10
echo "$quoted messages were said"
