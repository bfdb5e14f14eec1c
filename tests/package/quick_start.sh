#!/bin/sh
# Runs the first commands of a user, with the warpseq that is first in PATH, and shows each command.
# Stops at the first command that fails or prints other output than expected.
#
# The script makes the folder $1 and works there. $2 is a profile
# (tests/golden/hmm/every-field-3f.hmm). The script needs only the programs of a small system.
set -eu
profile=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
mkdir "$1"
cd "$1"

cat > proteins.fasta <<'END'
>HBA_HUMAN Hemoglobin subunit alpha
MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR
>HBB_HUMAN Hemoglobin subunit beta
MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH
>MYG_HUMAN Myoglobin
MGLSDGEWQLVLNVWGKVEADIPGHGQEVLIRLFKGHPETLEKFDKFKHLKSEDEMKASEDLKKHGATVLTALGGILKKKGHHEAEIKPLAQSHATKHKIPVKYLEFISECIIQVLQSKHPGDFGADAQGAMNKALELFRKDMASNYKELGFQG
>UBQ_HUMAN Ubiquitin
MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG
>like_profile Made to match the profile
MKTMKAAHCAEWGTAAGTLSDRVKLEEQ
END
cp "$profile" profile.hmm
sed -n 1,2p proteins.fasta > query.fasta

# run COMMAND...: shows the command, runs it, and shows its output, which is kept in `printed`.
run() {
    echo "\$ $*"
    "$@" > printed 2>&1 || { status=$?; cat printed; echo "FAILED: exit status $status"; exit 1; }
    cat printed
}
# prints PATTERN: requires that the last command printed a line that matches.
prints() { grep -qE -- "$1" printed || { echo "FAILED: it printed no line like: $1"; exit 1; }; }

run warpseq --version
prints '^warpseq [0-9]+\.[0-9]+\.[0-9]+$'
run warpseq --cite
prints 'doi:10\.1371/journal\.pcbi\.1002195$'
run warpseq dbconv proteins.fasta -o proteins.wsdb
run warpseq inspect validate proteins.wsdb
run warpseq search sw -q query.fasta -d proteins.wsdb --device cpu --outfmt "6 qseqid sseqid pident length bitscore"
prints '^HBA_HUMAN	HBA_HUMAN	100\.0+	142	'
prints '^HBA_HUMAN	HBB_HUMAN	4'
run warpseq search sw -q query.fasta -d proteins.wsdb --outfmt "6 sseqid"    # the default device
prints '^HBB_HUMAN$'

echo '$ eval "$(warpseq dropin)"'
eval "$(warpseq dropin)"
case $(command -v hmmsearch) in
    */libexec/warpseq/dropin/hmmsearch) ;;
    *) echo "FAILED: hmmsearch is $(command -v hmmsearch)"; exit 1 ;;
esac
run hmmsearch --noali --tblout hits.tbl profile.hmm proteins.fasta
prints '^# hmmsearch :: search profile'
prints '^ .* like_profile '
run phmmer --noali query.fasta proteins.fasta
prints 'MYG_HUMAN'
run makeblastdb -in proteins.fasta -dbtype prot -out blastdb
run blastp -query query.fasta -db blastdb -outfmt 6
prints '^HBA_HUMAN	HBB_HUMAN	'
run blastp -query query.fasta -subject proteins.fasta -outfmt 7
prints '^# Fields: query acc'
echo "quick start: everything did what it should"
