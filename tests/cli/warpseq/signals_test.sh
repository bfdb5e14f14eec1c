#!/usr/bin/env bash
# SIGINT, SIGTERM, SIGHUP and SIGPIPE end every program at once, whatever it is doing. Nothing is
# left behind, a message goes to standard error (none for SIGPIPE), and the exit status is 130, 143,
# 129 or 141.
. "$(dirname "$0")/../../support/checks.sh"
faulty_files=${WARPSEQ_FAULTY_FILES-}
if [ -z "$faulty_files" ]; then
    echo 'signals where a file system has no files without a name: skipped, as calls of static programs cannot be made to fail'
fi
export WARPSEQ_NO_UNNAMED=1 # only the library faulty_files reads this
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
cd "$work" || exit 1

# Work that takes long on any machine, so that each program is interrupted in the middle of it.
awk "$random_awk"'BEGIN { start_random(3); s = "ACDEFGHIKLMNPQRSTVWY"; for (n = 1; n <= 400; ++n) { printf ">r%d\n", n;
             for (i = 0; i < 400; ++i) printf "%s", substr(s, 1 + int(random() * 20), 1); print "" } }' >random.fa
for ((i = 0; i < 40; ++i)); do cat random.fa; done >many.fa
for ((i = 0; i < 10; ++i)); do cat many.fa; done >more.fa
awk "$random_awk"'BEGIN { start_random(4); s = "ACGT"; for (n = 0; n < 2; ++n) { f = n == 0 ? "long0.fa" : "long1.fa"; printf ">long%d\n", n >f;
             for (i = 0; i < 100000; ++i) printf "%s", substr(s, 1 + int(random() * 4), 1) >f; print "" >f } }'
head -8 random.fa >few.fa
printf '>q\nMKVLAWCDEFGHIKLMNPQRSTVWY\n' >q.fa
runs 0 dbconv many.fa -o d.wsdb --quiet
runs 0 dbconv q.fa -o small.wsdb --quiet
mkfifo never
exec 8<>never  # it has a writer, which writes nothing
ls -A >files
worst_ms=0

# interrupted SIGNAL STATUS PROGRAM ARGUMENTS...: starts a program, waits a moment and sends the
# signal. The program has to exit with STATUS and leave nothing behind.
interrupted() {
    local signal=$1 expected=$2 status=0 begin end took_ms
    shift 2
    last_command="$* (and then $signal)"
    # The shell starts jobs in the background with SIGINT ignored, so the default is restored.
    env --default-signal=INT,HUP,PIPE ${preload:+LD_PRELOAD="$preload"} "$programs/$1" "${@:2}" >.out 2>.err 8<&- &
    local pid=$!
    # The loop waits for the program's handlers. Before it has these, a signal ends it without a
    # message.
    until [ "$(cat /proc/$pid/comm)" = "$1" ] && (((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$pid/status) & 0x4000) != 0)); do
        kill -0 $pid 2>/dev/null || fail 'it ended before it was interrupted'
        sleep 0.01
    done
    sleep 0.$((1 + RANDOM % 2))
    begin=${EPOCHREALTIME//./}
    kill -s "$signal" $pid 2>/dev/null || fail 'it ended before it was interrupted'
    wait $pid 2>/dev/null || status=$?
    end=${EPOCHREALTIME//./}
    took_ms=$(((end - begin) / 1000))
    [ $took_ms -le $worst_ms ] || worst_ms=$took_ms
    [ $status -eq "$expected" ] || fail "exit status $status, expected $expected"
    # The program itself takes at most 100 ms. Other work on this machine makes it longer.
    [ $took_ms -le 2000 ] || fail "it ended $took_ms ms after the signal"
    if [ "$signal" = PIPE ]; then
        [ ! -s .err ] || fail 'SIGPIPE is not silent'
    else
        grep -q ': interrupted' .err || fail 'it says nothing'
    fi
    ls -A | cmp -s - files || fail "something is left behind: $(ls -A | diff - files)"
}
RANDOM=17
for signal in INT TERM HUP PIPE; do
    case $signal in INT) status=130 ;; TERM) status=143 ;; HUP) status=129 ;; PIPE) status=141 ;; esac
    for preload in '' ${faulty_files:+"$faulty_files"}; do
        interrupted $signal $status dbconv more.fa more.fa more.fa more.fa more.fa more.fa -o x.wsdb --memory 64M --threads 2 --quiet
        interrupted $signal $status search sw -q random.fa -d d.wsdb --quiet --threads 2 --cpu-backend reference -o x
        interrupted $signal $status search hmm -q random.fa -d d.wsdb --quiet --threads 2 --max -o x --tblout y --domtblout z
        interrupted $signal $status search pair long0.fa long1.fa --quiet --threads 2 --cpu-backend reference -o x --dotplot y
    done
    preload=
    interrupted $signal $status search blastp -q many.fa -d d.wsdb --quiet --threads 2 -o x
    # These programs wait for input that does not come, or for a reader that takes nothing.
    interrupted $signal $status search sw -q never -d d.wsdb --quiet -o x
    interrupted $signal $status search hmm -q never -d d.wsdb --quiet -o x
    interrupted $signal $status search blastp -q never -d d.wsdb --quiet -o x
    interrupted $signal $status search pair never long0.fa --quiet -o x
    interrupted $signal $status dbconv never -o x.wsdb
    interrupted $signal $status inspect fetch d.wsdb --list never -o x
    interrupted $signal $status inspect fasta d.wsdb -o never
done
rm never
exec 8<&-
ls -A >files

# A program that was started with the signal ignored goes on to its end.
for signal in INT TERM HUP; do
    last_command="search sw with $signal ignored"
    env --ignore-signal=$signal "$programs/search" sw -q few.fa -d d.wsdb --quiet --threads 2 -o x >.out 2>.err &
    pid=$!
    sleep 0.1
    kill -s $signal $pid 2>/dev/null
    wait $pid || fail "it ended with status $?"
    holds 'the report is there' test -s x
    rm x
done

# The reader of a pipe ends early. The program ends silently, whether SIGPIPE was ignored or not,
# and leaves no file.
for ignored in '' '--ignore-signal=PIPE'; do
    for preload in '' ${faulty_files:+"$faulty_files"}; do
        for command in 'search sw -q random.fa -d small.wsdb --quiet' 'inspect fasta d.wsdb' \
            'search hmm -q few.fa -d small.wsdb --quiet --tblout table' 'search pair random.fa q.fa --all-pairs --quiet' 'inspect stats d.wsdb'; do
            last_command="$command | head -1 $ignored"
            # shellcheck disable=SC2086
            { env $ignored ${preload:+LD_PRELOAD="$preload"} "$programs/"$command 2>.err; echo $? >.status; } | head -1 >.out
            case $(cat .status) in 0 | 141) ;; *) fail "exit status $(cat .status)" ;; esac
            case $command in 'inspect stats'* | *few.fa*) ;; *) [ "$(cat .status)" = 141 ] || fail 'it wrote everything' ;; esac
            [ "$(wc -l <.out)" = 1 ] || fail 'the first line did not come'
            [ ! -s .err ] || fail 'SIGPIPE is not silent'
            rm -f table
            ls -A | grep -v '^\.status$' | cmp -s - files || fail "something is left behind: $(ls -A | diff - files)"
        done
    done
done

# A file that grows beyond the limit is an error with a message.
(
    ulimit -f 8
    "$programs/inspect" fasta d.wsdb -o x >.out 2>.err
    [ $? -eq 1 ]
) || fail 'the limit on the size of files is not an error'
warns 'limit on the size of files'
absent x

# The progress line is cleared when a search on a terminal is interrupted.
if command -v script >/dev/null; then
    last_command='search sw on a terminal, interrupted'
    cat >run.sh <<'END'
echo $$ >pid
exec env --default-signal=INT search sw -q random.fa -d d.wsdb --threads 2 --chunk-size 64K -o x
END
    PATH="$programs:$PATH" timeout 60 script -qefc 'sh run.sh' .typed </dev/null >/dev/null &
    outer=$!
    for ((i = 0; i < 300; ++i)); do
        grep -aq 'Searching' .typed 2>/dev/null && break
        sleep 0.1
    done
    kill -s INT "$(cat pid)"
    wait $outer
    LC_ALL=C tr '\r' '\n' <.typed | grep -a 'interrupted' | grep -q "$(printf '^\033\[Ksearch sw: interrupted')" || fail 'the progress line was not cleared'
    absent x
else
    skipped 'the progress line: there is no program script here'
fi
echo "passed: at most $worst_ms ms from a signal to the end"
