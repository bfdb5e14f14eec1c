#!/usr/bin/env bash
# `search pair` against other programs: 20 proteins and 20 pieces of DNA, paired; global, local and semi-global; several gap costs. Scores
# have to be parasail's, and where EMBOSS is here those of its needle and water, and its blocks where the alignment is the same. Every
# alignment is rescored. Needs Debian's python3-parasail and mmseqs2-examples (tools/setup check installs them); skips without.
. "$(dirname "$0")/checks.sh"
judge=$(cd "$(dirname "$0")" && pwd)/pair_judge.py
cd "$work" || exit 1

proteins=/usr/share/doc/mmseqs2/example-data/DB.fasta.gz
[ -e "$proteins" ] || { skipped "no $proteins here"; exit 0; }
python=/usr/bin/python3
"$python" -c 'import parasail' 2>/dev/null || { skipped 'no python3-parasail here'; exit 0; }
command -v needle >/dev/null && command -v water >/dev/null || skipped 'needle and water: no EMBOSS here'
zcat "$proteins" | awk '/^>/ {++n} n <= 400' >proteins.fa
last_command='pair_judge.py'
"$python" "$judge" "$programs" proteins.fa >.out 2>.err || fail 'not what the others say'
cat .out
