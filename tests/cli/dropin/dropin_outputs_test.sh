#!/usr/bin/env bash
# The drop-ins write into an output file that exists, as the originals do, so it keeps its inode,
# mode, owner, links and open readers. A run that fails leaves the file as it was, except for
# searches of HMMER that have begun to report. An output that is also an input or another output is
# refused.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
chmod 755 .
d=$programs/dropin

cat >p.fa <<'END'
>one first
MKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWYAAGKLPRTE
>two second
MKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWAAAGKLPRTD
>three third
MKVLAWCDEYGHIKLMNPQKSTVWYMKVLAWCDEFGHIRLMNPQRSTVWYAAGKLPRTE
END
cp p.fa q.fa
cat >a.sto <<'END'
# STOCKHOLM 1.0
#=GF ID fam
one   MKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWYAAGKLPRTE
two   MKVLAWCDEFGHIKLMNPQRSTVWYMKVLAWCDEFGHIKLMNPQRSTVWAAAGKLPRTD
three MKVLAWCDEYGHIKLMNPQKSTVWYMKVLAWCDEFGHIRLMNPQRSTVWYAAGKLPRTE
//
END
sed 's/ID fam/ID other/' a.sto >b.sto
"$d/hmmbuild" -o /dev/null fam.hmm a.sto && "$d/hmmbuild" -o /dev/null other.hmm b.sto || fail 'hmmbuild fails'
cat fam.hmm other.hmm >p.hmm
"$d/hmmpress" p.hmm >/dev/null || fail 'hmmpress fails'
printf 'other\nfam\n' >keys
printf 'one\ntwo\n' >ids
printf '   A  C  D  E  F  G  H  I  K  L  M  N  P  Q  R  S  T  V  W  Y\n' >m.txt
awk 'BEGIN { s = "ACDEFGHIKLMNPQRSTVWY"; for (i = 1; i <= 20; ++i) { printf "%s", substr(s, i, 1); for (j = 1; j <= 20; ++j) printf " %d", i == j ? 5 : -2; print "" } }' >>m.txt
mkdir db
"$d/makeblastdb" -in p.fa -dbtype prot -parse_seqids -out db/p >/dev/null || fail 'makeblastdb fails'
runs 0 dbconv p.fa -o p.fa.wsdb --quiet

# without_dates FILE: prints the lines that do not depend on the moment, or on whether the file was
# there.
without_dates() { grep -avE '^# (Date|CPU time|Mc/sec|Option settings)|Elapsed|^DATE ' "$1"; }

# writes_into FILE COMMAND...: runs a command without its output FILE, then with it, and compares
# the results.
writes_into() {
    local file=$1 inode
    shift
    last_command="$*"
    rm -f "$file"
    "$@" >.out 2>.err </dev/null || fail 'the command fails'
    cp "$file" expected
    # The old content is longer than the new one.
    head -c 300000 /dev/zero | tr '\0' 'x' >"$file"
    chmod 604 "$file"
    ln "$file" .hard
    mv "$file" .place
    ln -s "$PWD/.place" "$file"
    inode=$(stat -c %i .place)
    exec 7<.place
    "$@" >.out 2>.err </dev/null || fail 'the command fails where the output exists'
    [ -L "$file" ] || fail "$file: the link is gone"
    [ "$(stat -L -c '%i %h %a' "$file")" = "$inode 2 604" ] || fail "$file: another inode, link count or mode: $(stat -L -c '%i %h %a' "$file")"
    same .place .hard
    cat <&7 >.read
    exec 7<&-
    same .read .place
    same <(without_dates expected) <(without_dates .place)
    # Python's NamedTemporaryFile does this: the output is an empty file that is open already.
    rm "$file" .hard .place
    : >"$file"
    exec 7<"$file"
    "$@" >.out 2>.err </dev/null || fail 'the command fails where the output is an empty file'
    cat <&7 >.read
    exec 7<&-
    same <(without_dates expected) <(without_dates .read)
    rm "$file" .read
    outputs=$((outputs + 1))
}
outputs=0
for option in -o -A --tblout --domtblout --pfamtblout; do
    quiet=(-o /dev/null)
    [ $option != -o ] || quiet=()
    writes_into o "$d/hmmsearch" "${quiet[@]}" $option o p.hmm p.fa
    writes_into o "$d/phmmer" "${quiet[@]}" $option o q.fa p.fa
    [ $option = --pfamtblout ] || writes_into o "$d/jackhmmer" -N 2 "${quiet[@]}" $option o q.fa p.fa
    [ $option = -A ] || writes_into o "$d/hmmscan" "${quiet[@]}" $option o p.hmm q.fa
done
writes_into o-1.hmm "$d/jackhmmer" -N 2 -o /dev/null --chkhmm o q.fa p.fa
writes_into o-1.sto "$d/jackhmmer" -N 2 -o /dev/null --chkali o q.fa p.fa
rm -f o-*
writes_into o "$d/hmmbuild" -o /dev/null o a.sto
writes_into o "$d/hmmbuild" -o o /dev/null a.sto
writes_into o "$d/hmmbuild" -o /dev/null -O o /dev/null a.sto
writes_into o "$d/hmmalign" -o o fam.hmm q.fa
writes_into o "$d/hmmemit" --seed 1 -N 3 -o o p.hmm
writes_into o "$d/hmmfetch" -o o p.hmm fam
writes_into o "$d/hmmfetch" -o o -f p.hmm keys
writes_into fam "$d/hmmfetch" -O p.hmm fam
cp p.hmm x.hmm
for file in h3m h3i h3f h3p; do writes_into x.hmm.$file "$d/hmmpress" -f x.hmm; done
rm -f x.hmm*
for format in 0 5 6 7 10 15 16; do writes_into o "$d/blastp" -query q.fa -subject p.fa -outfmt $format -out o; done
for format in 13 14; do
    writes_into o "$d/blastp" -query q.fa -db db/p -outfmt $format -out o
    ending=$([ $format = 13 ] && echo json || echo xml)
    writes_into o_2.$ending "$d/blastp" -query q.fa -db db/p -outfmt $format -out o
    rm -f o o_*
done
writes_into o "$d/blastdbcmd" -db db/p -entry all -out o
writes_into o "$d/blastdbcmd" -db db/p -info -out o
writes_into o "$d/blastdbcmd" -show_blastdb_search_path -out o
writes_into o "$d/blastdbcmd" -list db -out o
# makeblastdb appends to its log, as the original does.
printf 'before\n' >log
ln log log2
"$d/makeblastdb" -in p.fa -dbtype prot -out db/n -logfile log || fail 'makeblastdb fails'
holds 'the log is the same file and has what it had' test "$(stat -c %h log)" = 2 -a "$(head -1 log)" = before -a "$(wc -l <log)" -gt 5
rm -f log log2 db/n*
# warpseq's own commands replace the file.
: >o
ln o o2
runs 0 search hmm -q p.hmm -d p.fa -o o --quiet
holds 'the file is another one' test "$(stat -c %h o)" = 1 -a ! -s o2
rm o o2

# A failure before the end leaves a file as it was, whatever failed. HMMER's searches leave what
# they have reported before (tests/reference/hmmer_failures_test.sh).
printf '>good\nMKVLAW\n>bad\nMK!LAW\n' >bad.fa
head -40 p.hmm >bad.hmm
{ cat a.sto; printf '# STOCKHOLM 1.0\nx MKV\ny MK\n//\n'; } >bad.sto
{ cat fam.hmm; cat bad.hmm; } >cut.hmm
# stays FILE COMMAND...: requires that the command fails and does not touch FILE.
stays() {
    local file=$1
    shift
    last_command="$*"
    printf 'kept' >"$file"
    touch -d @1000000000 "$file"
    "$@" >.out 2>.err </dev/null && fail 'the command succeeds'
    [ "$(cat "$file")" = kept ] && [ "$(stat -c %Y "$file")" = 1000000000 ] || fail "$file was touched"
    rm "$file"
    failures=$((failures + 1))
}
# leaves FILE COMMAND...: requires that the command fails and writes into FILE, which keeps its
# inode.
leaves() {
    local file=$1
    shift
    last_command="$*"
    printf 'kept' >"$file"
    ln "$file" .hard
    "$@" >.out 2>.err </dev/null && fail 'the command succeeds'
    [ "$(cat "$file")" != kept ] && [ "$file" -ef .hard ] || fail "$file was not written into"
    rm "$file" .hard
    failures=$((failures + 1))
}
failures=0
for option in -o --tblout --domtblout -A; do
    stays o "$d/hmmsearch" $option o bad.hmm p.fa
    leaves o "$d/hmmsearch" $option o cut.hmm p.fa
    leaves o "$d/hmmsearch" $option o p.hmm bad.fa
    stays o "$d/hmmsearch" $option o p.hmm none.fa
    leaves o "$d/phmmer" $option o bad.fa p.fa
    leaves o "$d/jackhmmer" $option o q.fa bad.fa
    [ $option = -A ] || stays o "$d/hmmscan" $option o cut.hmm q.fa
    [ $option = -A ] || leaves o "$d/hmmscan" $option o p.hmm bad.fa
done
# Outputs that are whole stay out if another one cannot be written.
for table in --tblout --domtblout -A; do
    stays o "$d/hmmsearch" -o o $table /dev/full p.hmm p.fa
    stays o "$d/phmmer" -o o $table /dev/full q.fa p.fa
done
stays o "$d/hmmbuild" o bad.sto
stays o "$d/hmmbuild" -o o new.hmm bad.sto
stays o "$d/hmmalign" -o o fam.hmm bad.fa
stays o "$d/hmmalign" -o o bad.hmm q.fa
stays o "$d/hmmfetch" -o o p.hmm nothing
stays o "$d/hmmfetch" -o o -f p.hmm none
stays o "$d/hmmfetch" -o o cut.hmm nothing
stays o "$d/hmmemit" -o o bad.hmm
cp cut.hmm x.hmm
for file in h3m h3i h3f h3p; do stays x.hmm.$file "$d/hmmpress" -f x.hmm; done
cp p.hmm x.hmm
for file in h3m h3i h3f h3p; do stays x.hmm.$file "$d/hmmpress" x.hmm; done
rm -f x.hmm*
stays o "$d/blastp" -query none.fa -subject p.fa -out o
stays o "$d/blastp" -query q.fa -db db/none -out o
stays o "$d/blastp" -query q.fa -subject p.fa -evalue 0 -out o
stays o "$d/blastdbcmd" -db db/none -entry all -out o
stays o "$d/blastdbcmd" -db db/p -entry_batch none -out o

# A kill while input is still to come leaves the file as it was, too.
mkfifo slow
for signal in KILL TERM; do
    for command in "hmmsearch -o o --tblout o2 p.hmm slow" "phmmer -o o -A o2 q.fa slow" "blastp -query q.fa -subject slow -out o"; do
        last_command="$command, ended by SIG$signal"
        printf 'kept' >o
        printf 'kept' >o2
        # shellcheck disable=SC2086
        "$d/"$command >.out 2>.err &
        exec 8>slow
        head -2 p.fa >&8
        kill -$signal $!
        wait $! 2>/dev/null
        exec 8>&-
        [ "$(cat o o2)" = keptkept ] || fail 'an output was touched'
        rm o o2
        failures=$((failures + 1))
    done
done
rm slow
holds 'nothing is left' test -z "$(find . -name '.*part*')"

# The file may be written to, but its folder may not. For root, the folder's mode counts only
# without root's privilege.
mkdir closed
: >closed/o
chmod 555 closed
without_privilege=()
[ "$(id -u)" != 0 ] || without_privilege=(setpriv --bounding-set=-dac_override,-dac_read_search)
if "${without_privilege[@]}" test ! -w closed 2>/dev/null; then
    last_command='hmmsearch -o closed/o p.hmm p.fa'
    "${without_privilege[@]}" "$d/hmmsearch" -o closed/o --tblout o p.hmm p.fa >.out 2>.err || fail 'a file in a closed folder is not written'
    holds 'it has the report' grep -qx '\[ok\]' closed/o
    "${without_privilege[@]}" "$d/hmmsearch" -o closed/new p.hmm p.fa >.out 2>.err && fail 'a file appears in a closed folder'
    rm -f o
    # hmmpress leaves out its own file (.wspressed) there.
    mkdir shut
    cp p.hmm p.hmm.h3? shut/
    for file in h3m h3i h3f h3p; do printf 'old' >shut/p.hmm.$file; done
    chmod 555 shut
    last_command='hmmpress -f shut/p.hmm'
    "${without_privilege[@]}" "$d/hmmpress" -f shut/p.hmm >.out 2>.err || fail 'pressed files in a closed folder are not written'
    for file in h3m h3f h3p; do same p.hmm.$file shut/p.hmm.$file; done
    absent shut/p.hmm.wspressed
    chmod 755 shut
    rm -r shut
else
    skipped 'this user writes into closed folders'
fi

# An output that is also an input or another output is refused.
# refused COMMAND...: requires that the command fails with the reason. The exit status is that of
# the original for mistakes, so it is not fixed here.
md5sum ./*.fa ./*.hmm* ./*.sto ./*.wsdb ./*.txt keys ids db/* >sums
find . -not -name '.out' -not -name '.err' | sort >names
intact() { md5sum -c --quiet sums >.sums 2>&1 || fail "a file was changed: $(cat .sums)"; rm .sums; }
refused() {
    last_command="$*"
    "$@" >.out 2>.err </dev/null && fail 'the command is accepted'
    cat .out .err | grep -q 'name the same file' || fail 'the message does not give the reason'
    refusals=$((refusals + 1))
    # The inputs are checked in every 20th call, because each check takes longer than the programs.
    [ $((refusals % 20)) != 0 ] || intact
}
refusals=0
# names_of FILE: puts into `names` the file's own name, and for some files also a symbolic link and
# a hard link to it.
names_of() {
    names=("$1")
    sampled 5 || return 0
    ln -sf "$PWD/$1" soft
    ln -f "$1" "$(dirname "$1")/.hard"
    names+=(soft "$(dirname "$1")/.hard")
}
profiles=(p.hmm p.hmm.h3m p.hmm.h3i p.hmm.h3f p.hmm.h3p p.hmm.wspressed)
for option in -o -A --tblout --domtblout --pfamtblout; do
    for input in "${profiles[@]}" p.fa p.fa.wsdb; do
        sampled 2 || continue
        names_of "$input"
        for name in "${names[@]}"; do
            refused "$d/hmmsearch" $option "$name" p.hmm p.fa
            [ $option = -A ] || [ "$input" = p.fa.wsdb ] || refused "$d/hmmscan" $option "$name" p.hmm p.fa
        done
    done
    for input in q.fa m.txt p.fa p.fa.wsdb; do
        sampled 2 || continue
        names_of "$input"
        for name in "${names[@]}"; do
            refused "$d/phmmer" $option "$name" --mxfile m.txt q.fa p.fa
            [ $option = --pfamtblout ] || refused "$d/jackhmmer" $option "$name" --mxfile m.txt q.fa p.fa
        done
    done
    for other in -o -A --tblout --domtblout --pfamtblout; do
        [ $option != $other ] && sampled 2 || continue
        refused "$d/hmmsearch" $option new $other new p.hmm p.fa
        refused "$d/phmmer" $option new $other ./new q.fa p.fa
        [ $option = -A ] || [ $other = -A ] || refused "$d/hmmscan" $option new $other new p.hmm q.fa
        [ $option = --pfamtblout ] || [ $other = --pfamtblout ] || refused "$d/jackhmmer" $option new $other new q.fa p.fa
    done
done
# Checkpoints, including those of late rounds.
for name in c-1.hmm c-3.hmm c-777.hmm; do
    ln -s p.fa $name
    refused "$d/jackhmmer" -N 1000 --chkhmm c q.fa p.fa
    refused "$d/jackhmmer" -N 1000 --chkhmm c q.fa $name
    rm $name
    [ $name = c-777.hmm ] || refused "$d/jackhmmer" -N 5 --chkhmm c --tblout $name q.fa p.fa
done
ln -s p.fa c-2.sto
refused "$d/jackhmmer" --chkali c q.fa p.fa
rm c-2.sto
refused "$d/jackhmmer" --chkali c -o c-2.sto q.fa p.fa
# hmmbuild, hmmalign, hmmfetch, hmmpress.
for input in a.sto m.txt; do
    names_of "$input"
    for name in "${names[@]}"; do
        refused "$d/hmmbuild" --mxfile m.txt --singlemx "$name" a.sto
        refused "$d/hmmbuild" --mxfile m.txt --singlemx -o "$name" new a.sto
        refused "$d/hmmbuild" --mxfile m.txt --singlemx -O "$name" new a.sto
    done
done
refused "$d/hmmbuild" -o new new a.sto
refused "$d/hmmbuild" -O new new a.sto
refused "$d/hmmbuild" -o new2 -O new2 new a.sto
cp fam.hmm alone.hmm
"$d/hmmpress" alone.hmm >/dev/null || fail 'hmmpress fails'
md5sum alone.hmm* >>sums
for input in alone.hmm alone.hmm.h3m alone.hmm.h3i alone.hmm.h3f alone.hmm.h3p alone.hmm.wspressed q.fa a.sto; do
    names_of "$input"
    for name in "${names[@]}"; do refused "$d/hmmalign" --mapali a.sto -o "$name" alone.hmm q.fa; done
done
"$d/hmmfetch" --index other.hmm >/dev/null || fail 'hmmfetch --index fails'
md5sum other.hmm.ssi >>sums
for input in "${profiles[@]}" keys; do
    names_of "$input"
    for name in "${names[@]}"; do
        [ "$input" = keys ] || refused "$d/hmmfetch" -o "$name" p.hmm fam
        refused "$d/hmmfetch" -f -o "$name" p.hmm keys
    done
done
refused "$d/hmmfetch" -o other.hmm.ssi other.hmm other
refused "$d/hmmemit" -o other.hmm.ssi other.hmm
refused "$d/hmmemit" -o p.hmm p.hmm
cp p.hmm fam
md5sum fam >>sums
refused "$d/hmmfetch" -O fam fam
ln -s p.hmm other
refused "$d/hmmfetch" -O p.hmm other
intact
rm other fam
sed -i '/ fam$/d' sums
for file in h3m h3i h3f h3p wspressed; do
    cp fam.hmm x.hmm
    for link in 'ln -s' ln; do
        rm -f x.hmm.*
        $link x.hmm x.hmm.$file
        refused "$d/hmmpress" -f x.hmm
        same x.hmm fam.hmm
    done
    rm -f x.hmm.*
    ln -s x.hmm.h3m x.hmm.h3i
    refused "$d/hmmpress" -f x.hmm
done
rm -f x.hmm*
# BLAST.
for input in q.fa ids db/*; do
    sampled 2 || continue
    names_of "$input"
    for name in "${names[@]}"; do
        refused "$d/blastp" -query q.fa -db db/p -seqidlist ids -out "$name"
        case $input in db/* | ids) refused "$d/blastdbcmd" -db db/p -entry_batch ids -out "$name" ;; esac
        case $input in db/*) refused "$d/blastdbcmd" -db db/p -info -out "$name" ;; esac
        case $input in db/* | ids) refused "$d/blastdbcmd" -db db/p -entry_batch ids -logfile "$name" ;; esac
    done
done
names_of p.fa
for name in "${names[@]}"; do refused "$d/blastp" -query q.fa -subject p.fa -out "$name"; done
printf 'one 9606\n' >map.txt
md5sum map.txt >>sums
for input in p.fa map.txt; do
    names_of "$input"
    for name in "${names[@]}"; do refused "$d/makeblastdb" -in p.fa -dbtype prot -parse_seqids -taxid_map map.txt -out new -logfile "$name"; done
done
ln -s ../p.fa db/x.wsdb
refused "$d/makeblastdb" -in p.fa -dbtype prot -out db/x
intact
rm -f db/x.wsdb soft .hard db/.hard map.txt alone.hmm* other.hmm.ssi
find . -not -name '.out' -not -name '.err' | sort >names2
grep -vxE '\./(names2?|sums)' names2 >.names2
grep -vxE '\./(names2?|sums)' names >.names
same .names .names2
printf 'outputs: %d written into, %d left by failures, %d refused\n' $outputs $failures $refusals
[ $outputs -gt 40 ] && [ $failures -gt 40 ] && [ $refusals -gt 100 ] || fail 'too few outputs were tested'
