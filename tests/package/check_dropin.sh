# Checks that `warpseq dropin` puts the drop-in folder of the installation below $1 first in PATH.
# The folder must have the programs that the help lists, and no others.
set -eu
warpseq=$1/bin/warpseq
eval "$("$warpseq" dropin)"
listed=$("$warpseq" --help | sed '1,/^Programs of others/d; /^$/,$d; s/^  *//; s/ .*//' | sort)
there=$(ls "$1/libexec/warpseq/dropin")
[ -n "$there" ]
[ "$listed" = "$there" ]
for program in $there; do
    [ "$(command -v "$program")" = "$1/libexec/warpseq/dropin/$program" ]
    [ "$(readlink -f "$(command -v "$program")")" = "$(readlink -f "$warpseq")" ]
done
hmmsearch -h | grep -q '^# hmmsearch :: '
