# The comparisons of `search blastp` share this: they skip without NCBI's blastp, and search data in
# $work.
. "$(dirname "$0")/../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

needs_blast

# make_databases NAME: of NAME.fa, one called NAME for blastp, and NAME.wsdb.
make_databases() {
    last_command="makeblastdb -in $1.fa"
    makeblastdb -in "$1.fa" -dbtype prot -out "$1" >.out 2>.err || fail 'makeblastdb fails'
    runs 0 dbconv "$1.fa" -o "$1.wsdb" --quiet
}
awk -f "$here/blastp_data.awk" || fail 'no data'
make_databases db
