#!/usr/bin/env bash
# The script of warpseq completion makes bash offer the right words. zsh can read its script and
# fish completes alike, if they are installed.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

runs 0 warpseq completion bash
cp .out warpseq.bash
# completes EXPECTED WORDS...: requires that bash offers EXPECTED for the last of the words.
completes() {
    local expected=$1 found
    shift
    last_command="completion of: $*"
    found=$(bash -c 'set -e; . ./warpseq.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warpseq; echo "${COMPREPLY[*]}"' bash "$@")
    [ "$found" = "$expected" ] || fail "it offers '$found', not '$expected'"
}
completes --evalue warpseq search sw --ev
completes search warpseq sea
completes 'sw hmm hmmscan hmmpress hmmfetch hmmstat hmmconvert hmmemit jackhmmer hmmalign hmmbuild blastp pair merge --help --version' warpseq search ''
completes '--cut_ga --cut_nc --cut_tc' warpseq search hmm -q x.hmm --cut
completes '--gap-open --gapopen --gap-extend --gapextend' warpseq search blastp --gap
completes --codec warpseq dbconv in.fasta --cod
completes --skip-missing warpseq inspect fetch --sk
completes '' warpseq inspect info --width
completes '' warpseq search sw fi
completes 'bash zsh fish' warpseq completion ''

# Every option of every help is offered, and no other.
for words in dbconv 'inspect info' 'inspect stats' 'inspect validate' 'inspect fetch' 'inspect fasta' 'inspect compare' 'inspect salvage' 'search sw' 'search pair' 'search merge'; do
    runs 0 warpseq $words --help
    grep -oE '^ +(-[A-Za-z], )?--[A-Za-z][A-Za-z_-]*' .out | grep -oE -- '--.*' | sort >helped
    last_command="completion of: $words --"
    bash -c '. ./warpseq.bash; COMP_WORDS=(warpseq "$@" --); COMP_CWORD=$(($# + 1)); _warpseq; printf "%s\n" "${COMPREPLY[@]}"' bash $words | sort >offered
    same helped offered
done
# The drop-ins are completed with their own dashes. Options that they refuse are not offered.
completes '--tblout --textw --tformat' warpseq hmmsearch --t
completes '--EmL --EmN' warpseq phmmer --Em
completes '--chkhmm --chkali' warpseq jackhmmer --chk
completes '--wpb --wgsc --wblosum --wnone --wgiven --wid --w_beta --w_length' warpseq hmmbuild --w
completes '-out -outfmt' warpseq blastp -query q.fa -out
completes '-dbtype' warpseq makeblastdb -dbt
completes '-entry -entry_batch' warpseq blastdbcmd -db x -en
completes '' warpseq blastp -remote
for program in hmmsearch phmmer jackhmmer; do
    runs 0 warpseq $program -h
    grep -oE '^ +--?[A-Za-z][A-Za-z0-9_]*' .out | tr -d ' ' | sort >helped
    last_command="completion of: $program -"
    bash -c '. ./warpseq.bash; COMP_WORDS=(warpseq "$@" -); COMP_CWORD=$(($# + 1)); _warpseq; printf "%s\n" "${COMPREPLY[@]}"' bash $program | sort >offered
    same helped offered
done

runs 0 warpseq completion zsh
cp .out _warpseq
if command -v zsh >/dev/null; then
    last_command='zsh -n _warpseq'
    zsh -n _warpseq || fail 'zsh cannot read it'
else
    skipped 'zsh is not installed'
fi
runs 0 warpseq completion fish
cp .out warpseq.fish
if command -v fish >/dev/null; then
    last_command='fish, search sw --ev'
    [ "$(HOME=$work fish -c 'source warpseq.fish; complete -C "warpseq search sw --ev"' | cut -f 1)" = --evalue ] || fail 'fish does not complete'
else
    skipped 'fish is not installed'
fi

runs 2 warpseq completion
warns 'name a shell'
runs 2 warpseq completion tcsh
warns "unknown shell 'tcsh'"
runs 2 warpseq completion bash more
warns 'unexpected argument'
