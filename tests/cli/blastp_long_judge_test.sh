#!/usr/bin/env bash
# A few of blastp_long_judge.py's random long queries against NCBI's blastp, row by row. Needs python3, Debian's ncbi-blast+ (2.12.0) and
# mmseqs2-examples (tools/setup check installs them); skips without.
. "$(dirname "$0")/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
proteins=/usr/share/doc/mmseqs2/example-data/DB.fasta.gz
[ -e "$proteins" ] || { skipped "no $proteins here"; exit 77; }
for needed in python3 blastp makeblastdb; do
    command -v $needed >/dev/null || { skipped "no $needed here"; exit 77; }
done
cd "$work" || exit 1
python3 "$here/blastp_long_judge.py" --bin "$programs" --families "$proteins" --proteins "$proteins" --queries 4 --sequences 60
