#!/usr/bin/env bash
# What `search blastp` prints against NCBI's own blastp, byte for byte: pairwise text, and tables of every field. Titles are odd
# ones, queries have masked, rare and no letters, alignments gaps longer than a line. Other queries are those of which nothing
# can come, and long ones, which blastp cuts. Needs Debian's ncbi-blast+ (2.12.0); skips without.
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

for needed in blastp makeblastdb; do
    command -v $needed >/dev/null || { skipped "no $needed here"; exit 0; }
done
[ "$(blastp -version | sed -n 's/^blastp: \([0-9.]*\)+*$/\1/p')" = 2.12.0 ] || { skipped 'another blastp than 2.12.0'; exit 0; }

# A protein, pieces of it with inserts, other letters and other neighbours, and proteins that have nothing to do with it.
awk 'BEGIN {
    srand(20)
    split("alpha|beta-gamma|long,er|(x)|( y|z )|[Homo|sapiens]|a,b|a ,b|c;|; d|prot.|~|x-y-z|averyveryverylongwordwithoutanybreak|&amp;|,,|..|&#65;|&eacute;|TPA:|. [|\t|( )", words, "|")
    acids = "ACDEFGHIKLMNPQRSTVWY"
    protein = letters(330)
    for (i = 0; i < 60; ++i) {
        begin = int(rand() * 200)
        print ">" title("s" i) >"db.fa"
        print letters(rand() * 20) changed(substr(protein, begin + 1, 20 + rand() * 130), i) letters(rand() * 20) \
            (i % 4 ? "" : changed(substr(protein, begin + 30, 40), i)) >"db.fa"
    }
    for (i = 0; i < 6; ++i) {
        print ">" title("q" i) >"queries.fa"
        part = changed(substr(protein, 1 + i * 40, 60 + i * 40), 1)
        print substr(part, 1, 10) tolower(substr(part, 11, 9)) substr(part, 20) >"queries.fa"
    }
    printf ">allx nothing else\nXXXXXXXXXX\n>empty\n>rare\nOOUUJJBBZZ*%s\n>short\nMK\n", substr(protein, 1, 50) >"queries.fa"

    # Proteins of one and two residues, of X and of W, and with each rare letter.
    printf ">one\nM\n>two\nMK\n>word\nWWW\n>x\n%s\n>w\n%s\n", repeated("X", 40), repeated("W", 40) >"db.fa"
    for (i = 1; i <= 6; ++i) print ">with" i "\n" substr(protein, 101, 29) substr("OUJBZ*", i, 1) substr(protein, 131, 30) >"db.fa"

    # Shorter than a word, of one letter, of rare letters, masked by SEG or lower case wholly or in part.
    printf ">one\nM\n>two\nMK\n>word\nWWW\n>four\nWWWW\n>ws\n%s\n", repeated("W", 40) >"odd.fa"
    for (i = 1; i <= 6; ++i) {
        print ">only" i "\n" repeated(substr("OUJBZ*", i, 1), 8) >"odd.fa"
        print ">with" i "\n" substr(protein, 91, 39) substr("OUJBZ*", i, 1) substr(protein, 131, 30) >"odd.fa"
    }
    printf ">lower\n%s\n>half\n%s%s\n", tolower(substr(protein, 1, 90)), tolower(substr(protein, 91, 45)), substr(protein, 136, 45) >"odd.fa"
    printf ">seg\n%s\n>tail\n%s%s\n", repeated("QQP", 60), substr(protein, 1, 60), repeated("Q", 40) >"odd.fa"
    # None of a group can be searched with: reports differ.
    printf ">first\n>xx\nXXXXXXXX\n>last\n" >"invalid.fa"

    # A group of 19,969 residues or so is cut, with an overlap of 100, from 9,935 of all its letters on: in a short query.
    print ">lead\n" filled(9880) >"long.fa"
    print ">border\n" substr(protein, 101, 90) >"long.fa"
    long = filled(9900)
    print ">whole\n" substr(long, 1, 300) tolower(substr(long, 301, 200)) substr(long, 501) repeated("QQP", 99) >"long.fa"
    print ">after\n" changed(protein, 20) >"long.fa"
    # Cut into three parts: 35,000 residues, its borders within relatives.
    print ">longest\n" filled(35000) >"long.fa"
}
function repeated(letter, count, text) { for (text = ""; length(text) < count;) text = text letter; return text }
function filled(count, text) {
    for (text = ""; length(text) < count;) text = text letters(rand() * 400) changed(substr(protein, 1 + int(rand() * 200), 130), rand() * 100)
    return substr(text, 1, count)
}
function letters(count, text) { text = ""; for (; count >= 1; --count) text = text substr(acids, 1 + int(rand() * 20), 1); return text }
function changed(from, rate, text, k, x) {
    text = ""
    for (k = 1; k <= length(from); ++k) {
        x = rand() * 400
        text = text (x < 3 * rate % 100 ? letters(1) : x > 398.6 ? letters(1 + rand() * 130) substr(from, k, 1) : x > 396 ? "" : \
            x > 394 ? substr("BZXUOJ*", 1 + int(rand() * 7), 1) : substr(from, k, 1))
    }
    return text
}
function title(name, count) {
    for (count = int(rand() * 16); count > 0; --count) name = name (rand() < 0.8 ? " " : rand() < 0.5 ? "  " : "") words[1 + int(rand() * 24)]
    sub(/[ \t]*$/, "", name)
    return name
}'
makeblastdb -in db.fa -dbtype prot -out db >/dev/null || fail 'makeblastdb fails'
runs 0 dbconv db.fa -o db.wsdb --quiet

# The names of programs and databases, references and dates are not compared.
normalized() {
    sed -e 's/^# BLASTP .*/# BLASTP/' -e '/^BLASTP /,/^Database:/{/^Database:/!d}' -e 's/^\( *Database:\|# Database:\) .*/\1/' \
        -e 's/^    Posted date: .*/    Posted date:/' "$1"
}
# judge OPTIONS...: named as in blastp, with one dash.
judge() {
    local option ours=()
    for option in "$@"; do
        case $option in -[a-z]*) ours+=("-$option") ;; *) ours+=("$option") ;; esac
    done
    blastp -query "$queries" -db db -comp_based_stats "$composition" "$@" >their.txt 2>/dev/null || fail "blastp $* fails"
    runs 0 search blastp -q "$queries" -d db.wsdb --comp_based_stats "$composition" --quiet -o our.txt "${ours[@]}"
    [ -s their.txt ] || fail "blastp $* finds nothing: that proves nothing"
    normalized their.txt >their.lines
    normalized our.txt >our.lines
    same their.lines our.lines
    printf '%s, composition %s, %s: %d lines, all the same\n' "$queries" "$composition" "$*" "$(wc -l <our.lines)"
    rm our.txt
}

composition=0
queries=queries.fa
fields='qseqid qgi qacc qaccver qlen sseqid sallseqid sgi sallgi sacc saccver sallacc slen qstart qend sstart send qseq sseq evalue bitscore
    score length pident nident mismatch positive gapopen gaps ppos frames qframe sframe btop staxid ssciname scomname sblastname sskingdom
    staxids sscinames scomnames sblastnames sskingdoms stitle salltitles sstrand qcovs qcovhsp qcovus'
fields=$(printf '%s ' $fields)

judge -outfmt 0
judge -outfmt 0 -evalue 1000 -line_length 9
judge -outfmt 0 -lcase_masking -line_length 100
judge -outfmt 0 -lcase_masking -soft_masking true -seg yes
judge -outfmt 0 -num_descriptions 7 -num_alignments 3
judge -outfmt 0 -num_descriptions 0 -num_alignments 9 -max_hsps 1
judge -outfmt 0 -max_target_seqs 5 -matrix PAM70
judge -outfmt "6 $fields" -evalue 1000
judge -outfmt "7 $fields" -lcase_masking
judge -outfmt "10 $fields"
judge -outfmt 6
judge -outfmt 7
judge -outfmt 10
judge -outfmt '7 std -evalue qcovs score score'
judge -outfmt '10 delim=@@ std stitle'
judge -outfmt 6 -num_alignments 6

queries=odd.fa
for masks in '-seg no' '-seg yes' '-lcase_masking' '-seg yes -lcase_masking -soft_masking true'; do
    judge -outfmt 0 $masks
    judge -outfmt 7 -evalue 1000 $masks
    judge -outfmt 6 -task blastp-short $masks
done
judge -outfmt 7 -window_size 0 -evalue 1000
judge -outfmt 7 -task blastp-fast -searchsp 100000
queries=invalid.fa
judge -outfmt 0
judge -outfmt 7
queries=long.fa
judge -outfmt '6 std score btop'
judge -outfmt '6 std score btop' -seg yes -lcase_masking -evalue 1e-3
judge -outfmt '6 std score btop' -seg yes -lcase_masking -soft_masking true -max_target_seqs 5
judge -outfmt 0 -max_hsps 2 -evalue 1e-5

for composition in 1 2 3; do
    queries=queries.fa
    judge -outfmt 0
    judge -outfmt 0 -evalue 1000 -lcase_masking
    judge -outfmt "6 $fields" -matrix PAM70 -max_target_seqs 5
    queries=odd.fa
    judge -outfmt 0 -seg yes -lcase_masking
    judge -outfmt 7 -evalue 1000
    queries=long.fa
    judge -outfmt '6 std score btop'
done
