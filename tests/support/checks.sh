# Functions that the command line tests share. A test script gets the folder of the programs as $1.
# It makes its files in $work, runs programs through `runs`, and checks the output of the last one.
# The first check that fails ends the test.
set -u
programs=$(cd "$1" && pwd) || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-cli-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset TMPDIR
last_command=

fail() {
    printf 'FAILED: %s\n  command: %s\n' "$1" "$last_command" >&2
    printf -- '  --- standard output\n%s\n  --- standard error\n%s\n' "$(head -c 2000 "$work/.out")" "$(head -c 2000 "$work/.err")" >&2
    exit 1
}

# runs STATUS PROGRAM ARGUMENTS...: runs a program, which has to exit with STATUS. Its output is
# kept for the checks below.
runs() {
    local expected=$1 status=0
    shift
    last_command="$*"
    "$programs/$1" "${@:2}" >"$work/.out" 2>"$work/.err" </dev/null || status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected"
    # An error message must begin with the program's name. So a crash report is not accepted.
    if [ "$expected" -ne 0 ]; then
        grep -q "^$1" "$work/.err" || fail "the message does not begin with the program's name"
    fi
}
says() { grep -qF -- "$1" "$work/.out" || fail "standard output lacks: $1"; }
warns() { grep -qF -- "$1" "$work/.err" || fail "standard error lacks: $1"; }
silent() { [ ! -s "$work/.err" ] || fail "standard error is not empty"; }
prints_nothing() { [ ! -s "$work/.out" ] || fail "standard output is not empty"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
absent() { [ ! -e "$1" ] || fail "$1 exists"; }
# holds WHAT COMMAND...: requires that the command succeeds.
holds() { "${@:2}" || fail "does not hold: $1"; }
# Whether tests run at their full length (make check-all). Otherwise, tests that repeat a step many
# times repeat it less often.
thorough() { [ -n "${WARPSEQ_THOROUGH-}" ]; }
# sampled N: true in every call at full length, and otherwise in the first of every N calls.
sampled_calls=0
sampled() {
    sampled_calls=$((sampled_calls + 1))
    thorough || [ $((sampled_calls % $1)) -eq 1 ]
}
# skipped REASON: reports that a part of a test cannot run here. skip_test REASON skips the whole
# test, and ctest lists it as skipped.
skipped() { printf 'skipped: %s\n' "$1"; }
skip_test() { skipped "$1"; exit 77; }
# Functions for awk programs: awk "$random_awk"'BEGIN { start_random(1); print random() }'. The
# numbers are the same at every run and with every awk. Those of rand() depend on the awk: on a
# system with another one, tests that expect certain data failed, not all of them at every run.
random_awk='
function random() { random_state = (random_state * 16807) % 2147483647; return random_state / 2147483647 }
function start_random(number) { random_state = (number * 7919) % 2147483646 + 1; random(); random(); random() }
'
# Inputs of tests, from Debian's mmseqs2-examples and hmmer-examples. They may be missing.
proteins=/usr/share/doc/mmseqs2/example-data/DB.fasta.gz
tutorial=/usr/share/doc/hmmer/examples/tutorial
needs_files() {
    local file
    for file in "$@"; do [ -e "$file" ] || skip_test "no $file here"; done
}
needs_programs() {
    local program
    for program in "$@"; do command -v "$program" >/dev/null || skip_test "no $program here"; done
}
# The original programs. Their versions are fixed, because output is compared byte for byte.
needs_blast() {
    needs_programs blastp makeblastdb blastdbcmd
    [ "$(blastp -version | head -1)" = 'blastp: 2.12.0+' ] || skip_test 'another blastp than 2.12.0+'
    unset BLASTDB
}
needs_hmmer() {
    needs_programs hmmsearch phmmer
    [ "$(hmmsearch -h | sed -n 's/^# HMMER \([0-9.]*\).*/\1/p')" = 3.3.2 ] || skip_test 'another hmmsearch than 3.3.2'
}
# has_gpu QUERIES DATABASE: whether the program computes on a GPU here. The program is asked,
# because that depends on its build and on the machine.
has_gpu() {
    local status=0
    last_command="search sw -q $1 -d $2 --device cuda"
    "$programs/search" sw -q "$1" -d "$2" --device cuda --quiet >"$work/.out" 2>"$work/.err" </dev/null || status=$?
    [ "$status" -ne 0 ] || return 0
    [ "$status" -eq 1 ] && grep -qE 'GPU|CUDA' "$work/.err" || fail "exit status $status, and not for want of a GPU"
    return 1
}
