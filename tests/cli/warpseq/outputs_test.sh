#!/usr/bin/env bash
# No output of any program replaces a file that the run reads, or another output. Pipes, FIFOs and
# standard streams are written as data comes. A finished file keeps the permissions of the one
# before. Control characters are not shown on terminals.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

printf '>one first\nMKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWY\n>two second\nMKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWA\n' >p.fa
cp p.fa q.fa
printf '>a\nACGTACGTACGTACGTTGCA\n' >a.fa
printf '>b\nACGTACGTACGAACGTTGCA\n' >b.fa
printf 'a b\n' >pairs.txt
printf '   A  C  G  T\nA  5 -4 -4 -4\nC -4  5 -4 -4\nG -4 -4  5 -4\nT -4 -4 -4  5\n' >bases.txt
awk 'BEGIN { s = "ARNDCQEGHILKMFPSTWYV"; printf " "; for (i = 1; i <= 20; ++i) printf "  %s", substr(s, i, 1); print "";
    for (i = 1; i <= 20; ++i) { printf "%s", substr(s, i, 1); for (j = 1; j <= 20; ++j) printf " %d", i == j ? 5 : -2; print "" } }' >m.txt
printf 'one\n' >list.txt
runs 0 dbconv p.fa -o d.wsdb --quiet
ln -s d.wsdb link.wsdb
ln d.wsdb hard.wsdb
md5sum ./*.fa ./*.txt d.wsdb >sums
intact() { md5sum -c --quiet sums >.sums 2>&1 || fail "an input was changed: $(cat .sums)"; }

# refused OPTION OPTION COMMAND...: requires exit status 2, a message that names both options, and
# that nothing is changed or written.
refused() {
    local first=$1 second=$2
    shift 2
    runs 2 "$@"
    prints_nothing
    warns "$first and $second name the same file"
    intact
}
for out in d.wsdb link.wsdb hard.wsdb ./d.wsdb "$PWD/d.wsdb"; do
    refused -o -d search sw -q q.fa -d d.wsdb -o "$out"
    refused -o -d search sw -q q.fa -d link.wsdb -o "$out"
    refused -o -d search blastp --query q.fa --db d.wsdb --out "$out"
    refused -o -d search hmm -q q.fa -d d.wsdb -o "$out"
    for option in -A --tblout --domtblout --pfamtblout; do
        refused $option -d search hmm -q q.fa -d d.wsdb $option "$out"
    done
    refused -o 'the database' inspect fasta d.wsdb --force -o "$out"
    refused -o 'the database' inspect fetch link.wsdb one --force -o "$out"
done
refused -o -q search sw -q q.fa -d d.wsdb -o q.fa
refused -o -q search hmm -q q.fa -d d.wsdb -o q.fa
refused -o -q search blastp -q q.fa -d d.wsdb -o q.fa
refused -o --matrix search sw -q q.fa -d d.wsdb --matrix m.txt --evalue inf -o m.txt
refused -o --mxfile search hmm -q q.fa -d d.wsdb --mxfile m.txt -o m.txt
refused -o --list inspect fetch d.wsdb --list list.txt --force -o list.txt
refused -o 'an input' dbconv p.fa -o p.fa --force
refused -o 'an input' dbconv q.fa p.fa -o ./p.fa --force
refused -o 'the first file' search pair a.fa b.fa -o a.fa
refused -o 'the second file' search pair a.fa b.fa -o b.fa
refused --dotplot 'the second file' search pair a.fa b.fa --dotplot b.fa
refused --checkpoint 'the first file' search pair a.fa b.fa --checkpoint a.fa
refused -o --pairs search pair a.fa b.fa --pairs pairs.txt -o pairs.txt
refused -o --matrix search pair a.fa b.fa --matrix bases.txt -o bases.txt

# Two outputs in one place, whether the file exists or not.
ln -s new dangling
for out in new ./new "$PWD/new" dangling; do
    refused -o --tblout search hmm -q q.fa -d d.wsdb -o new --tblout "$out"
    refused --tblout --domtblout search hmm -q q.fa -d d.wsdb --tblout new --domtblout "$out"
    refused -o --dotplot search pair a.fa b.fa -o new --dotplot "$out"
    refused -o --checkpoint search pair a.fa b.fa -o new --checkpoint "$out"
    refused --checkpoint --dotplot search pair a.fa b.fa --checkpoint new --dotplot "$out"
    absent new
done
runs 0 search hmm -q q.fa -d d.wsdb --quiet -o /dev/null --tblout /dev/null --domtblout /dev/null -A /dev/null
runs 0 search pair a.fa b.fa --quiet -o /dev/null --dotplot /dev/null

# Formats 13 and 14 write further files. If one of these is a link to an input, this is found before
# the search.
ln -s q.fa many_3.json
ln -s d.wsdb many_1.xml
refused -o -q search blastp -q q.fa -d d.wsdb --outfmt 13 -o many.json
refused -o -q search blastp -q q.fa -d d.wsdb --outfmt 13 -o many
refused -o -d search blastp -q q.fa -d d.wsdb --outfmt 14 -o many.xml
rm many_*
runs 2 search blastp -q q.fa -d d.wsdb --outfmt 13 -o /dev/stdout
runs 0 search blastp -q q.fa -d d.wsdb --outfmt 13 -o many.json --quiet
holds 'a file for each query' test -s many_1.json -a -s many_2.json

# shell STATUS COMMAND: runs a command line with its own redirections, which has to exit with
# STATUS.
shell() {
    local expected=$1 status=0
    last_command=$2
    PATH="$programs:$PATH" bash -c "$2" >.out 2>.err || status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected"
}
# Redirected standard streams.
shell 2 'search sw -q - -d d.wsdb -o q.fa <q.fa'
warns '-o and -q name the same file'
shell 2 'search sw -q - -d d.wsdb <q.fa >>q.fa'
warns 'the report and -q name the same file'
shell 2 'search sw -q q.fa -d d.wsdb >>d.wsdb'
shell 2 'search sw -q q.fa -d d.wsdb -o /dev/stdout >>d.wsdb'
shell 2 'search hmm -q q.fa -d d.wsdb -o /dev/null --tblout /proc/self/fd/1 >>q.fa'
shell 2 'search hmm -q q.fa -d d.wsdb -o log 2>log'
[ ! -s log ] || grep -q 'name the same file' log || fail 'the log is lost'
shell 2 'search hmm -q q.fa -d d.wsdb --tblout all >all'
warns 'the report and --tblout name the same file'
shell 2 'dbconv - -o p.fa --force <p.fa'
shell 2 'inspect fetch d.wsdb --list - -o list.txt --force <list.txt'
shell 2 'while read -r line; do search sw -q q.fa -d d.wsdb -o list.txt || exit; done <list.txt'
shell 2 'inspect fasta d.wsdb >>d.wsdb'
shell 2 'inspect fetch d.wsdb --list - >>list.txt <list.txt'
intact
# One standard input for two options.
shell 2 'search hmm -q - --mxfile - -d d.wsdb <q.fa'
shell 2 'search pair a.fa - --pairs - <b.fa'
warns 'read the same stream, standard input'

# Standard output under its other names is written through the descriptor, after what is there,
# which is never replaced. /dev/stdout and the like are links of /proc, so without it there is
# nothing to test.
runs 0 search sw -q q.fa -d d.wsdb --quiet
cp .out report.txt
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    for program in 'search sw -q q.fa -d d.wsdb --quiet' 'inspect fasta d.wsdb'; do
        shell 0 "$program"
        cp .out expected
        shell 0 "$program -o $name"
        same .out expected
        shell 0 "$program -o $name | cat"
        same .out expected
        printf 'before\n' >all.txt
        number=$(stat -c %i all.txt)
        shell 0 "$program -o $name >>all.txt"
        holds 'the file is the same one' test "$(stat -c %i all.txt)" = "$number"
        holds 'it has what was there and the report' cmp -s all.txt <(echo before; cat expected)
        shell 0 "{ echo first; $program -o $name; echo last; } >all.txt"
        holds 'it is written from where it stood' cmp -s all.txt <(echo first; cat expected; echo last)
    done
done
shell 0 'search sw -q q.fa -d d.wsdb --quiet -o /dev/fd/7 7>seven.txt'
same seven.txt report.txt
shell 1 'search sw -q q.fa -d d.wsdb -o /dev/fd/9'
shell 1 'search sw -q q.fa -d d.wsdb -o /dev/fd/7 7<pairs.txt'
warns 'open for reading only'
# The report and the tables of search hmm may share one stream, and every byte of all of them
# arrives.
shell 0 'search hmm -q q.fa -d d.wsdb -o report --tblout table --domtblout domains'
for redirect in '| cat >all.txt' '>all.txt' '>>all.txt'; do
    rm -f all.txt
    shell 0 "search hmm -q q.fa -d d.wsdb --tblout /dev/stdout --domtblout /dev/fd/1 $redirect"
    holds 'the report is there' test "$(grep -c '^Query:' all.txt)" = 2
    holds 'the end of the report is there' grep -qx '\[ok\]' all.txt
    for file in table domains; do
        while IFS= read -r line; do
            case $line in '# Option settings:'* | '# Date:'*) continue ;; esac
            grep -qxF -- "$line" all.txt || fail "the table's line is lost: $line"
        done <$file
    done
done
# The name - is standard output, for every output. No file of that name appears.
for command in 'search sw -q q.fa -d d.wsdb --quiet' 'search blastp -q q.fa -d d.wsdb --quiet' 'search pair a.fa b.fa --quiet' 'inspect fasta d.wsdb' \
    'inspect fetch d.wsdb one'; do
    shell 0 "$command >expected"
    for out in - /dev/stdout /dev/fd/1; do
        shell 0 "$command -o $out | cat >through; exit \${PIPESTATUS[0]}"
        same through expected
    done
    shell 0 "$command -o /dev/stderr 2>through"
    same through expected
done
for option in -A --tblout --domtblout --pfamtblout; do
    shell 0 "search hmm -q q.fa -d d.wsdb --quiet -o /dev/null $option expected"
    shell 0 "search hmm -q q.fa -d d.wsdb --quiet -o /dev/null $option - | cat >through; exit \${PIPESTATUS[0]}"
    cmp -s <(grep -v '^# Option' expected) <(grep -v '^# Option' through) || fail "$option - is not standard output"
done
shell 0 'search pair a.fa b.fa --quiet -o /dev/null --dotplot expected.svg'
shell 0 'search pair a.fa b.fa --quiet -o /dev/null --dotplot - | cat >through; exit ${PIPESTATUS[0]}'
same through expected.svg
shell 1 'dbconv p.fa -o - | cat; exit ${PIPESTATUS[0]}'
warns '/dev/stdout: cannot hold a database'
holds 'no file is called -' test ! -e ./-
rm expected expected.svg through

# A dot plot within a report is a mistake, though nothing would be lost.
shell 2 'search pair a.fa b.fa --dotplot /dev/stdout | cat; exit ${PIPESTATUS[0]}'

# Pipes and FIFOs.
shell 0 'search sw -q q.fa -d d.wsdb --quiet -o >(gzip >report.gz); wait; for i in 1 2 3 4 5 6 7 8 9; do gzip -t report.gz 2>/dev/null && break; sleep 0.1; done'
holds 'process substitution gets the report' cmp -s report.txt <(gzip -dc report.gz)
mkfifo fifo
for program in 'search sw -q q.fa -d d.wsdb --quiet' 'inspect fasta d.wsdb' 'search pair a.fa b.fa --quiet' 'search blastp -q q.fa -d d.wsdb --quiet'; do
    shell 0 "$program -o expected"
    cat fifo >from-fifo &
    shell 0 "$program -o fifo"
    wait $!
    same from-fifo expected
    holds 'the FIFO is still one' test -p fifo
    rm expected
done
cat fifo >from-fifo &
shell 0 'search hmm -q q.fa -d d.wsdb --quiet -o /dev/null --tblout fifo'
wait $!
holds 'a table through a FIFO' grep -q '^# \[ok\]' from-fifo
# A database is not written from beginning to end, so an output that is a stream is refused before
# the work starts.
cat fifo >from-fifo &
shell 1 'dbconv p.fa -o fifo'
warns 'fifo: cannot hold a database'
wait $!
shell 1 'dbconv p.fa -o /dev/stdout | cat; exit ${PIPESTATUS[0]}'
shell 1 'dbconv p.fa -o /dev/stdout --force >>all.txt'
shell 0 'dbconv p.fa -o /dev/null --quiet'
# A search reads FASTA from a FIFO that is given as a database. A file that is not FASTA ends it at
# once. inspect reads no FIFO.
for engine in sw hmm blastp; do
    cat p.fa >fifo &
    shell 0 "search $engine -q q.fa --quiet -d fifo"
    for database in . /dev/null /dev/zero d.wsdb/ missing/d.wsdb; do
        shell 1 "timeout 10 search $engine -q q.fa -d $database"
        warns "$database"
    done
    cat d.wsdb >fifo &
    shell 1 "timeout 10 search $engine -q q.fa -d fifo"
    warns 'fifo: is a database that is compressed or comes through a stream'
done
for command in 'inspect info' 'inspect stats' 'inspect validate' 'inspect fasta' 'inspect fetch'; do
    for database in fifo . /dev/null /dev/zero; do
        [ "$command" != 'inspect fetch' ] || database="$database one"
        shell 1 "timeout 10 $command $database"
        warns 'regular file'
    done
done
shell 1 'timeout 10 search pair a.fa b.fa --checkpoint fifo'
warns 'fifo'
for command in 'search sw -d d.wsdb --quiet -q' 'search hmm -d d.wsdb --quiet -q' 'search blastp -d d.wsdb --quiet -q' 'inspect fetch d.wsdb --list'; do
    input=q.fa
    [ "${command%--list}" = "$command" ] || input=list.txt
    shell 0 "$command $input"
    grep -v '^# ' .out >expected
    cat $input >fifo &
    shell 0 "$command fifo"
    wait $!
    holds "$command reads a FIFO" cmp -s expected <(grep -v '^# ' .out)
done

# Writing to /dev/full is an error everywhere, and the message says what is wrong.
for command in 'dbconv --help' 'dbconv --version' 'dbconv p.fa -o full.wsdb --force' 'inspect --help' 'inspect --version' 'inspect info --help' \
    'inspect info d.wsdb' 'inspect info d.wsdb --json' 'inspect stats d.wsdb' 'inspect validate d.wsdb' 'inspect fasta d.wsdb' 'inspect fetch d.wsdb one' \
    'search --help' 'search --version' 'search sw --help' 'search sw --version' 'search hmm --help' 'search hmm --version' 'search blastp --help' \
    'search blastp --version' 'search pair --help' 'search pair --version' 'search sw -q q.fa -d d.wsdb' 'search hmm -q q.fa -d d.wsdb' \
    'search blastp -q q.fa -d d.wsdb' 'search pair a.fa b.fa'; do
    shell 1 "$command >/dev/full"
    warns 'standard output: cannot write: No space left on device'
    shell 1 "$command >&-"
    warns 'standard output: cannot write'
done
for command in 'search sw -q q.fa -d d.wsdb' 'search hmm -q q.fa -d d.wsdb' 'search blastp -q q.fa -d d.wsdb' 'search pair a.fa b.fa' 'inspect fasta d.wsdb' \
    'dbconv p.fa'; do
    shell 1 "$command -o /dev/full"
    warns '/dev/full: cannot write: No space left on device'
done
# If standard streams are closed, no file of the run takes their place.
shell 0 'dbconv p.fa -o closed.wsdb --quiet >&- 2>&- <&-'
runs 0 inspect validate closed.wsdb --quiet
printf '>x\nM\n>x\nM\n' >twice.fa
shell 0 'dbconv twice.fa -o closed.wsdb --force 2>&-'
runs 0 inspect validate closed.wsdb --quiet
shell 1 'search sw -q - -d d.wsdb <&-'

# A finished file has the permissions of the file before. A new one has those that the mask leaves.
umask 027
for command in 'search sw -q q.fa -d d.wsdb --quiet' 'inspect fasta d.wsdb --force' 'dbconv p.fa --quiet --force'; do
    for mode in 600 640 644 444 755; do
        echo old >kept
        chmod $mode kept
        shell 0 "$command -o kept"
        holds "$command keeps mode $mode" test "$(stat -c %a kept)" = $mode
        rm -f kept
    done
    shell 0 "$command -o kept"
    holds "$command makes a file of mode 640" test "$(stat -c %a kept)" = 640
    rm -f kept
done
umask 022
# Names as long as the file system allows.
long=$(printf 'n%.0s' $(seq 255))
for command in 'search sw -q q.fa -d d.wsdb --quiet' 'search hmm -q q.fa -d d.wsdb --quiet' 'inspect fasta d.wsdb --force' 'dbconv p.fa --quiet --force' \
    'search blastp -q q.fa -d d.wsdb --quiet' 'search pair a.fa b.fa --quiet'; do
    shell 0 "$command -o $long"
    shell 0 "$command -o $long"
    holds 'it is there' test -s $long
    rm $long
    shell 1 "$command -o ${long}n"
    warns 'File name too long'
done
# An output that cannot be written is reported before the search begins, even before the query is
# there.
mkfifo never
exec 8<>never
for command in 'search sw -d d.wsdb -q' 'search hmm -d d.wsdb -q' 'search blastp -d d.wsdb -q' 'search pair a.fa' 'dbconv'; do
    shell 1 "timeout 10 $command never -o missing/out"
    warns 'missing/out: cannot create'
done
exec 8<&-

# Control characters in names are not shown on a terminal. Files and pipes get the bytes. Messages
# never have control characters.
esc=$(printf '\033')
printf '>bad\033[31m\b\302\233x\342\200\256y\2331 hostile\033]0;t\007 name\nMKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWY\n' >hostile.fa
runs 0 dbconv hostile.fa -o hostile.wsdb --quiet
hostile=$(printf '\033|\010|\302\233|\342\200\256|\233|\007')
if command -v script >/dev/null; then
    sw='search sw --quiet -q hostile.fa -d hostile.wsdb'  # quiet: no progress, which moves the cursor
    for command in "$sw" "$sw --outfmt 6" "$sw --outfmt json" "$sw -o /dev/tty" "$sw -o /dev/stdout" 'search blastp --quiet -q hostile.fa -d hostile.wsdb' \
        'search hmm --quiet -q hostile.fa -d hostile.wsdb' 'search pair --quiet hostile.fa q.fa' 'inspect fasta hostile.wsdb' 'inspect info hostile.wsdb'; do
        last_command="$command (on a terminal)"
        PATH="$programs:$PATH" script -qec "$command" .typed </dev/null >/dev/null 2>.err || fail "exit status $?"
        LC_ALL=C grep -aqE "$hostile" .typed && fail 'a terminal got control characters'
        case $command in *info* | *json*) ;; *) LC_ALL=C grep -aq 'bad[?#]\[31m' .typed || fail 'the name is not shown' ;; esac
    done
    for command in 'search sw -q hostile.fa -d hostile.wsdb --quiet' 'inspect fasta hostile.wsdb'; do
        shell 0 "$command | cat"
        LC_ALL=C grep -aq "bad${esc}\[31m" .out || fail 'a pipe did not get the bytes'
    done
else
    skipped 'terminals: there is no program script here'
fi
bad=$(printf 'no\033[31m\302\233\342\200\256such')
for command in "search sw -q '$bad' -d d.wsdb" "search sw -q q.fa -d '$bad'" "search sw '$bad'" "search '$bad'" "search sw -q q.fa -d d.wsdb --matrix '$bad'" \
    "search sw '--$bad'" "search hmm -q '$bad' -d d.wsdb" "search hmm -q q.fa -d d.wsdb -E '$bad'" "search blastp -q q.fa -d d.wsdb --outfmt '$bad'" \
    "search blastp -q '$bad' -d d.wsdb" "search pair '$bad' a.fa" "search pair a.fa b.fa --outfmt '$bad'" "inspect '$bad'" "inspect info '$bad'" \
    "inspect fetch d.wsdb '$bad'" "inspect fetch d.wsdb --list '$bad'" "dbconv '$bad' -o x.wsdb" "dbconv p.fa -o '$bad/x'" "dbconv p.fa -o x --codec '$bad'" \
    "search sw -q q.fa -d d.wsdb --device '$bad'" "search sw -q q.fa -d d.wsdb --threads '$bad'" "search pair a.fa b.fa --pairs hostile.fa" \
    "search pair hostile.fa a.fa --dna"; do
    status=0
    last_command=$command
    PATH="$programs:$PATH" bash -c "$command" >.out 2>.err || status=$?
    [ $status -ne 0 ] || fail 'it should not work'
    LC_ALL=C grep -aqE "$hostile" .err && fail 'a message has control characters'
done
runs 0 search blastp -q q.fa -d d.wsdb --outfmt "6 qseqid $bad"
warns 'no?[31m'
LC_ALL=C grep -aqE "$hostile" .err && fail 'a warning has control characters'
holds 'nothing is left behind' test -z "$(find . -name '*.part-*')"
echo passed
