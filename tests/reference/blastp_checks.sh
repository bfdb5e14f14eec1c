# The set-up of the reference comparisons of `search blastp`. They skip if NCBI's blastp is missing.
# The data that they search are made in $work.
. "$(dirname "$0")/../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

needs_blast

# make_databases NAME: makes the databases NAME, for blastp, and NAME.wsdb from NAME.fa.
make_databases() {
    last_command="makeblastdb -in $1.fa"
    makeblastdb -in "$1.fa" -dbtype prot -out "$1" >.out 2>.err || fail 'makeblastdb fails'
    runs 0 dbconv "$1.fa" -o "$1.wsdb" --quiet
}
awk "$random_awk$(cat "$here/blastp_data.awk")" || fail 'no data'
make_databases db
