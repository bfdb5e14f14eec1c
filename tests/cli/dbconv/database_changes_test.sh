#!/usr/bin/env bash
# Programs notice a database that changes while they read it: cut short, overwritten in place,
# grown, or replaced by renaming. Whenever it happens, the program either gives the output of the
# undamaged database with exit status 0, or it says what is wrong with which file, with exit status
# 1, and leaves no output. It never ends by a signal and never gives another output. WARPSEQ_MOMENTS
# sets how many moments are tried.
. "$(dirname "$0")/../../support/checks.sh"

moments=${WARPSEQ_MOMENTS:-2}
RANDOM=17
cd "$work" || exit 1

# Random proteins, and relatives of the queries among them, so that there is something to report.
awk -v n=2000 "$random_awk"'BEGIN {
    start_random(3); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (q = 0; q < 8; ++q) for (i = 0; i < 150; ++i) query[q] = query[q] substr(letters, 1 + int(random() * 20), 1)
    for (s = 0; s < n; ++s) {
        length_residues = 100 + int(random() * 500); text = ""
        for (i = 0; i < length_residues; ++i) text = text substr(letters, 1 + int(random() * 20), 1)
        if (s % 40 == 0) text = substr(text, 1, 50) query[s / 40 % 8] substr(text, 51)
        print ">s" s " relative or not\n" text > "db.fa"
    }
    for (q = 0; q < 8; ++q) print ">q" q "\n" query[q] > "q.fa"
    for (s = 0; s < n; s += 3) print "s" s > "names"
}'
# Another database of the same size: the same lengths and names, other residues.
awk '/^>/ { print; next } { gsub("A", "z"); gsub("C", "A"); gsub("z", "C"); print }' db.fa >other.fa
for codec in packed zstd; do
    runs 0 dbconv db.fa -o "$codec.wsdb" --codec "$codec" --quiet
    runs 0 dbconv other.fa -o "$codec.other" --codec "$codec" --quiet
done

change_cut() { truncate -s $(($(stat -c %s "$1") * (RANDOM % 100) / 100)) "$1"; }
change_overwritten() { dd if="$2.other" of="$1" conv=notrunc status=none; }
change_garbled() { head -c "$(stat -c %s "$1")" /dev/zero | tr '\0' '\252' | dd of="$1" conv=notrunc status=none; }
change_grown() { head -c 20000 /dev/zero >>"$1"; }
change_replaced() { cp "$2.other" "$1.new" && mv "$1.new" "$1"; }

# Output goes to the file `report`. Everything else that a program prints is kept for fail().
declare -A programs_of=(
    [sw]='search sw -q q.fa -d db.wsdb --outfmt 6 -o report --threads 2 --quiet'
    [hmm]='search hmm -q q.fa -d db.wsdb --tblout report -o /dev/null --threads 2 --quiet'
    [blastp]='search blastp -q q.fa -d db.wsdb --outfmt 6 -o report --threads 2 --quiet'
    [fasta]='inspect fasta db.wsdb -o report'
    [fetch]='inspect fetch db.wsdb --list names -o report'
    [validate]='inspect validate db.wsdb --threads 2'
)
# Tables of hmm end with the date and the command line.
content() { [ ! -e report ] || grep -v '^#' report; }

changed=0 refused=0
for name in sw hmm blastp fasta fetch validate; do
    read -ra command <<<"${programs_of[$name]}"
    for codec in packed zstd; do
        cp "$codec.wsdb" db.wsdb
        rm -f report
        start=$(date +%s%N)
        runs 0 "${command[@]}"
        took_us=$((($(date +%s%N) - start) / 1000))
        content >expected
        [ "$name" = validate ] || holds "$name reports something" test -s expected
        for change in cut overwritten garbled grown replaced; do
            for ((moment = 0; moment < moments; ++moment)); do
                cp "$codec.wsdb" db.wsdb
                rm -f report
                last_command="${command[*]} ($codec, $change)"
                "$programs/${command[0]}" "${command[@]:1}" >.out 2>.err </dev/null &
                program=$!
                # The change comes after the program has mapped the file. Before that, the file
                # under this name is just another database.
                maps=
                until [[ $maps == *db.wsdb* ]] || ! kill -0 "$program" 2>/dev/null; do
                    maps=$(cat "/proc/$program/maps" 2>/dev/null)
                done
                sleep "$(printf '0.%06d' $((took_us * (RANDOM % 1000) / 1000)))"
                "change_$change" db.wsdb "$codec"
                status=0
                wait "$program" || status=$?
                changed=$((changed + 1))
                case $status in
                0)
                    content >found
                    cmp -s expected found || fail "exit status 0 and another output"
                    ;;
                1)
                    refused=$((refused + 1))
                    grep -q 'db\.wsdb' .err .out || fail 'the message does not name the database'
                    absent report
                    ;;
                *) fail "exit status $status" ;;
                esac
            done
        done
    done
done
holds 'some changes came while the database was read' test "$refused" -gt 0
printf '%d changes, %d of them noticed\n' "$changed" "$refused"
