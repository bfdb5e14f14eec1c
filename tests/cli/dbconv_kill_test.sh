#!/usr/bin/env bash
# Killed at any moment, dbconv leaves the old database or none, and no other file.
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
awk 'BEGIN { srand(1); letters = "ACDEFGHIKLMNPQRSTVWY";
    for (i = 0; i < 4000; ++i) { print ">p" i; line = ""; n = 50 + int(rand() * 400);
        for (j = 0; j < n; ++j) line = line substr(letters, 1 + int(rand() * 20), 1); print line } }' >in.fa
for ((i = 0; i < 20; ++i)); do cat in.fa; done >big.fa
printf '>old\nMK\n' >old.fa
runs 0 dbconv old.fa -o kept.wsdb --quiet
cp kept.wsdb old.wsdb
mkdir out
killed=0
for delay in 0.005 0.01 0.02 0.03 0.04 0.05 0.07 0.09 0.12 0.15 0.2 0.3; do
    cp old.wsdb out/kept.wsdb
    for target in kept new; do
        last_command="dbconv big.fa -o out/$target.wsdb, killed after $delay s"
        "$programs/dbconv" big.fa -o out/$target.wsdb --force --quiet --memory 64M --threads 2 &
        pid=$!
        sleep $delay
        if kill -KILL $pid 2>.err; then killed=$((killed + 1)); fi
        wait $pid 2>.err
    done
    for file in out/* out/.[!.]*; do
        [ -e "$file" ] || continue
        case $file in
        out/kept.wsdb) cmp -s "$file" old.wsdb || runs 0 inspect validate "$file" --quiet ;;
        out/new.wsdb) runs 0 inspect validate "$file" --quiet ;;
        # The name of a finished file on its way to replace the old one; it is whole.
        out/.kept.wsdb.part-* | out/.new.wsdb.part-*) runs 0 inspect validate "$file" --quiet ;;
        *) fail "$file was left behind" ;;
        esac
    done
    rm -rf out
    mkdir out
done
holds 'some were killed while they ran' test $killed -gt 4
echo "passed: $killed killed"
