#!/usr/bin/env bash
# Compares the XML and JSON of `search blastp` (formats 5 and 13 to 16) with those of NCBI's blastp,
# value by value and through Biopython.
#
# Queries and proteins are those of blastp_report_test.sh, and a few with names that need escaping.
# The test needs Debian's ncbi-blast+ (2.12.0) and python3-biopython (tools/setup check installs
# them), and skips without them.
. "$(dirname "$0")/blastp_checks.sh"

python=/usr/bin/python3
"$python" -c 'import Bio.Blast.NCBIXML' 2>/dev/null || skip_test 'no python3-biopython here'

{
    printf '>amp <a> & "b" '"'c'"' > x &lt;\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n'
    printf '>tab\there\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n>bell\ahere \177\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n'
    printf '>TPA:\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n'
    printf '>TPA: a name of more than thirty-five letters, cut in messages\nOOOOOOOOOOOOOOOOOOOOOMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n'
    printf '>pyrrolysine\nOOOOOOOO\n'
} >names.fa
# Proteins come first, because makeblastdb guesses the kind of a file from its first bytes.
{ head -n 20 db.fa; cat names.fa; } >more.fa
echo '>and this is the long name of an empty one <&>' >>names.fa
make_databases more

# compare QUERIES OPTIONS...: compares both programs' reports.
compare() {
    last_command="blastp_formats.py $*"
    "$python" "$here/blastp_formats.py" "$programs" "$@" >.out 2>.err || fail 'not what blastp says'
    printf '%s: %s\n' "$*" "$(cat .out)"
}
compare queries.fa
compare queries.fa -comp_based_stats 0
compare queries.fa -seg yes
compare queries.fa -comp_based_stats 1 -max_target_seqs 5 -max_hsps 1 -matrix PAM70 -evalue 0.0012345
compare queries.fa -comp_based_stats 3 -lcase_masking -soft_masking true -seg yes -num_alignments 7 -dbsize 4000000000
compare queries.fa -comp_based_stats 0 -matrix PAM30 -gapopen 10 -gapextend 1 -seg '10 1.8 2.1' -searchsp 1234567890123456789 -evalue 1e12
compare queries.fa -evalue 1e-200
compare queries.fa -matrix IDENTITY -comp_based_stats 0
compare odd.fa -seg yes -lcase_masking
compare odd.fa -comp_based_stats 0 -task blastp-short -soft_masking true -lcase_masking -evalue 1000
compare invalid.fa
compare names.fa -db more
compare names.fa -db 'db more' -comp_based_stats 0
