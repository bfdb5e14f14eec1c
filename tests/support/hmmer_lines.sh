# The set-up of tests that run command lines with HMMER's programs and with the drop-ins, and
# compare everything that these write. It includes checks.sh. A test makes its input files in
# $work/inputs.
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

# finds_dropins PROGRAM...: requires that the drop-ins are found if their folder is first in PATH.
finds_dropins() {
    local program
    for program in "$@"; do
        [ "$(PATH=$programs/dropin:$PATH command -v "$program")" = "$programs/dropin/$program" ] || fail "no drop-in $program"
    done
}

# strip FILE: prints a file without the lines that may differ.
strip() { sed -E '/^# (HMMER |Copyright |Freely )/d; /^# (Version|Current dir|Date):/d; /^# (CPU time|Mc\/sec):/d; /^DATE /d; s/^HMMER3\/f .*/HMMER3\/f/' "$1"; }

# count_output: called after each comparison. A test may define it, to count what was compared.
count_output() { :; }

compared=0
# both LINE: runs a command line with HMMER's programs and with the drop-ins, each time in a folder
# of its own. All files and the exit statuses must be the same. With several threads, blanks are
# squeezed, because the widths of HMMER's columns vary then.
both() {
    local who file path
    last_command=$1
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        rm -rf $who
        mkdir $who
        (cd $who && ln -s ../inputs/* . && PATH=$path bash -c "$1" >standard-output 2>standard-error; echo $? >exit-status)
        cp $who/standard-output .out
        cp $who/standard-error .err
        for file in $who/*; do
            [ -L "$file" ] && continue
            strip "$file" >stripped
            case $1 in
                *--cpu[\ =][01]* | *HMMER_NCPU=[01]*) mv stripped "$file" ;;
                *) tr -s ' -' <stripped >"$file" ;;
            esac
        done
    done
    diff -r theirs ours >.out || fail 'the output is not that of HMMER'
    compared=$((compared + 1))
    count_output
}

# In shorter tests, silently() runs one of this many lines.
one_of=1
# silently LINE: requires that both run the line without an error and without messages.
silently() {
    [ "$one_of" -eq 1 ] || sampled "$one_of" || return 0
    both "$1"
    [ "$(cat ours/exit-status)" = 0 ] || fail 'an error'
    [ ! -s ours/standard-error ] || fail 'standard error is not empty'
}
