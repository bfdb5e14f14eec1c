# Writes the data of the comparisons of `search blastp` to the current folder: db.fa, queries.fa,
# odd.fa, invalid.fa and long.fa. It is run with the functions of $random_awk
# (tests/support/checks.sh), so that the data is the same in every run.

# The database has a protein, pieces of it with inserts, other letters and other neighbours, and
# proteins that are not related to it.
BEGIN {
    start_random(20)
    split("alpha|beta-gamma|long,er|(x)|( y|z )|[Homo|sapiens]|a,b|a ,b|c;|; d|prot.|~|x-y-z|averyveryverylongwordwithoutanybreak|&amp;|,,|..|&#65;|&eacute;|TPA:|. [|\t|( )", words, "|")
    acids = "ACDEFGHIKLMNPQRSTVWY"
    protein = letters(330)
    for (i = 0; i < 60; ++i) {
        begin = int(random() * 200)
        print ">" title("s" i) >"db.fa"
        print letters(random() * 20) changed(substr(protein, begin + 1, 20 + random() * 130), i) letters(random() * 20) \
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
    for (text = ""; length(text) < count;) text = text letters(random() * 400) changed(substr(protein, 1 + int(random() * 200), 130), random() * 100)
    return substr(text, 1, count)
}
function letters(count, text) { text = ""; for (; count >= 1; --count) text = text substr(acids, 1 + int(random() * 20), 1); return text }
function changed(from, rate, text, k, x) {
    text = ""
    for (k = 1; k <= length(from); ++k) {
        x = random() * 400
        text = text (x < 3 * rate % 100 ? letters(1) : x > 398.6 ? letters(1 + random() * 130) substr(from, k, 1) : x > 396 ? "" : \
            x > 394 ? substr("BZXUOJ*", 1 + int(random() * 7), 1) : substr(from, k, 1))
    }
    return text
}
function title(name, count) {
    for (count = int(random() * 16); count > 0; --count) name = name (random() < 0.8 ? " " : random() < 0.5 ? "  " : "") words[1 + int(random() * 24)]
    sub(/[ \t]*$/, "", name)
    return name
}
