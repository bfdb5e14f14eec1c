#!/usr/bin/env bash
# The program warpseq runs all commands, under its own name and under theirs. The folder of drop-ins
# has the programs that its help lists.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

runs 0 warpseq --help
says 'Usage: warpseq COMMAND'
says '  hmmsearch  '
runs 0 warpseq --version
says 'warpseq '
runs 2 warpseq
warns 'no command given'
runs 2 warpseq blast
warns "unknown command 'blast'; did you mean blastp?"
# Messages about other programs of BLAST+ and HMMER, whether they are installed or not, and about
# other names.
for program in blastx blastn; do
    runs 2 warpseq $program -query q
    warns "unknown command '$program'; did you mean blastp? warpseq has no $program, and "
    warns 'in PATH is untouched by warpseq dropin; warpseq --help lists the commands'
done
mkdir originals
printf '#!/bin/sh\n' >originals/hmmlogo
chmod +x originals/hmmlogo
PATH=originals:$PATH runs 2 warpseq hmmlogo
warns "unknown command 'hmmlogo'; warpseq has no hmmlogo, and the one in PATH is untouched by warpseq dropin; "
PATH=/nowhere "$programs/warpseq" hmmlogo 2>.err
warns "unknown command 'hmmlogo'; warpseq has no hmmlogo, and one in PATH is untouched by warpseq dropin; "
runs 2 warpseq serach
warns "unknown command 'serach'; did you mean search? warpseq --help lists the commands"
runs 2 warpseq dropins
warns 'did you mean dropin? warpseq'
runs 2 warpseq something-else
warns "unknown command 'something-else'; warpseq --help lists the commands"

# A command of warpseq is the same as the program of its name.
printf '>a first\nMKVLHCAEWGT\n>b\nMKVLHCAEWGTMKVLHCAEWGT\n' >two.fasta
for program in dbconv search inspect; do
    runs 0 $program --help
    cp .out help
    runs 0 warpseq $program --help
    same help .out
    ln -s "$programs/warpseq" $program
    "./$program" --help >.out || fail "the link $program fails"
    same help .out
done
runs 0 warpseq dbconv two.fasta -o two.wsdb --quiet
runs 0 warpseq search sw -q two.fasta -d two.wsdb --quiet --outfmt 6
cp .out rows
runs 0 search sw -q two.fasta -d two.wsdb --quiet --outfmt 6
same rows .out
last_command='warpseq search nothing'
"$programs/warpseq" search nothing >.out 2>.err
[ $? = 2 ] || fail 'not a usage error'
warns "search: unknown engine 'nothing'"

# The help lists the links of the drop-in folder, and each link runs its program.
runs 0 warpseq --help
sed '1,/^Programs of others/d; /^$/,$d; s/^  *//; s/ .*//' .out | sort >listed
ls "$programs/dropin" >there
holds 'the folder holds programs' test -s there
same listed there
runs 0 warpseq hmmsearch -h
says '# hmmsearch :: '
says 'Usage: hmmsearch '
last_command='a program called otherwise'
ln -s "$programs/warpseq" another-name
./another-name --version >.out || fail 'it is not warpseq'
says 'warpseq '

# The line that warpseq dropin prints for the shell works whatever the folder is called.
runs 0 warpseq dropin --help
runs 2 warpseq dropin here
for name in "plain" "it's \"here\" \$HOME \`x\` \\ 1"; do
    mkdir -p "$name/bin/dropin"
    cp "$programs/warpseq" "$name/bin"
    ln -s ../warpseq "$name/bin/dropin/phmmer"
    last_command="$name/bin/warpseq dropin"
    found=$(eval "$("$name/bin/warpseq" dropin)" && command -v phmmer) || fail 'the line does not work'
    [ "$found" = "$work/$name/bin/dropin/phmmer" ] || fail "found $found"
done
mkdir -p a:b/bin/dropin
cp "$programs/warpseq" a:b/bin
last_command='a:b/bin/warpseq dropin'
a:b/bin/warpseq dropin >.out 2>.err && fail 'a folder that cannot be in PATH'
warns "a folder with ':'"
# Without a folder of links it makes one, and completes it, as after `pip install` of a later
# version.
rm -r plain/bin/dropin
cp -r plain bare
for last_command in 'the first bare/bin/warpseq dropin' 'the second bare/bin/warpseq dropin'; do
    found=$(eval "$(bare/bin/warpseq dropin)" && command -v phmmer) || fail 'the line does not work'
    [ "$found" = "$work/bare/libexec/warpseq/dropin/phmmer" ] || fail "found $found"
    ls bare/libexec/warpseq/dropin >there
    same listed there
    [ "$(readlink bare/libexec/warpseq/dropin/blastp)" = ../../../bin/warpseq ] || fail 'a link leads elsewhere'
    rm bare/libexec/warpseq/dropin/phmmer
    ln -sf /bin/true bare/libexec/warpseq/dropin/hmmscan
done
[ "$(readlink bare/libexec/warpseq/dropin/hmmscan)" = /bin/true ] || fail "another's link was replaced"
echo a file >plain/libexec
last_command='plain/bin/warpseq dropin'
plain/bin/warpseq dropin >.out 2>.err && fail 'there can be no folder'
warns 'plain/libexec/warpseq/dropin: the links to '
warns 'cannot be created: Not a directory'
