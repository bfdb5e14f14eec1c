#!/usr/bin/env bash
# The same mistake has the same exit status in every program and engine: 2 for a wrong command line,
# 1 for a file that is missing or whose content is wrong. The message names what is wrong; nothing
# is written, on standard output or anywhere else.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

printf '>one\nMKVLAWCDEFGHIKLMNPQRSTVWY\n' >p.fa
printf '>a\nACGTACGTACGTACGTTGCA\n' >a.fa
: >empty
printf '\037\213\010\000cut' >cut.gz
printf '>one\nMK5L\n' >bad.fa
printf '\177ELF\000\001\002' >binary
printf '   A  R\nA  5 x\n' >bad.mat
runs 0 dbconv p.fa -o d.wsdb --quiet
head -c 5000 d.wsdb >cut.wsdb
mkdir folder
ls -A >files

# mistake STATUS WORD COMMAND...: runs a command line that has one thing wrong. The program has to
# exit with STATUS and a message that contains WORD, and must not write anything.
mistake() {
    local expected=$1 word=$2
    shift 2
    runs "$expected" "$@" -o out
    prints_nothing
    warns "$word"
    absent out
    # The same holds without an output file.
    runs "$expected" "$@"
    prints_nothing
    ls -A | cmp -s - files || fail "something was written: $(ls -A | diff - files)"
}
search_engines='sw hmm blastp'
for engine in $search_engines; do
    good="search $engine -q p.fa -d d.wsdb --quiet"
    # A wrong command line.
    mistake 2 'nonsense' $good --nonsense
    mistake 2 nonsense $good nonsense
    mistake 2 '--threads 0' $good --threads 0
    mistake 2 '--threads -1' $good --threads -1
    mistake 2 '--threads two' $good --threads two
    mistake 2 '--chunk-size' $good --chunk-size x
    mistake 2 '--chunk-size' $good --chunk-size 0
    mistake 2 '--device' $good --device nonsense
    mistake 2 '--device-memory' $good --device-memory -1
    mistake 2 'nonsense' $good --cpu-backend nonsense
    mistake 2 '--quiet' $good --quiet=perhaps
    mistake 2 'database' search $engine -q p.fa
    mistake 2 'quer' search $engine -d d.wsdb
    # Files.
    mistake 1 'missing.fa' search $engine -q missing.fa -d d.wsdb
    mistake 1 'missing.wsdb' search $engine -q p.fa -d missing.wsdb
    mistake 1 'folder' search $engine -q folder -d d.wsdb
    mistake 1 'folder' search $engine -q p.fa -d folder
    mistake 1 'empty' search $engine -q empty -d d.wsdb
    mistake 1 'empty' search $engine -q p.fa -d empty
    mistake 1 'bad.fa: line 2' search $engine -q bad.fa -d d.wsdb
    mistake 1 'binary' search $engine -q binary -d d.wsdb
    mistake 1 'cut.gz' search $engine -q cut.gz -d d.wsdb
    mistake 1 'bad.fa: line 2' search $engine -q p.fa -d bad.fa
    mistake 1 'binary' search $engine -q p.fa -d binary
    mistake 1 'cut.gz' search $engine -q p.fa -d cut.gz
    mistake 1 'missing' search $engine -q p.fa -d p.fa -d missing
    mistake 1 'cut.wsdb' search $engine -q p.fa -d cut.wsdb
    mistake 1 'd.wsdb' search $engine -q d.wsdb -d d.wsdb
    runs 1 search $engine -q p.fa -d d.wsdb -o folder/missing/out
    runs 1 search $engine -q p.fa -d d.wsdb -o folder
done
good='search pair a.fa a.fa --quiet'
mistake 2 'nonsense' $good --nonsense
mistake 2 nonsense $good nonsense
mistake 2 '--threads 0' $good --threads 0
mistake 2 '--threads -1' $good --threads -1
mistake 2 '--device' $good --device nonsense
mistake 2 '--device-memory' $good --device-memory -1
mistake 2 'nonsense' $good --cpu-backend nonsense
mistake 2 '--quiet' $good --quiet=perhaps
mistake 2 'two FASTA files' search pair a.fa
mistake 1 'missing.fa' search pair missing.fa a.fa
mistake 1 'missing.fa' search pair a.fa missing.fa
mistake 1 'folder' search pair a.fa folder
mistake 1 'empty' search pair empty a.fa
mistake 1 'bad.fa: line 2' search pair p.fa bad.fa
mistake 1 'binary' search pair a.fa binary
mistake 1 'cut.gz' search pair cut.gz a.fa
runs 1 search pair a.fa a.fa -o folder/missing/out
runs 1 search pair a.fa a.fa -o folder

# Options that several engines have under different names.
for command in 'sw -q p.fa -d d.wsdb --outfmt' 'hmm -q p.fa -d d.wsdb --outfmt' 'blastp -q p.fa -d d.wsdb --outfmt' 'pair a.fa a.fa --outfmt'; do
    mistake 2 nonsense search $command nonsense
    mistake 2 99 search $command 99
done
for command in 'sw -q p.fa -d d.wsdb --matrix' 'blastp -q p.fa -d d.wsdb --matrix' 'pair p.fa p.fa --matrix' 'hmm -q p.fa -d d.wsdb --mx'; do
    mistake 2 nonsense search $command nonsense
done
for command in 'sw -q p.fa -d d.wsdb --evalue inf --matrix' 'pair p.fa p.fa --matrix' 'hmm -q p.fa -d d.wsdb --mxfile'; do
    mistake 1 'bad.mat' search $command bad.mat
    mistake 1 'empty' search $command empty
    mistake 1 'folder' search $command folder
done
for option in 'sw -q p.fa -d d.wsdb --gap-open' 'sw -q p.fa -d d.wsdb --gap-extend' 'pair p.fa p.fa --gap-open' 'pair p.fa p.fa --gap-extend' \
    'blastp -q p.fa -d d.wsdb --gapopen' 'blastp -q p.fa -d d.wsdb --gapextend' 'sw -q p.fa -d d.wsdb --max-hits' 'blastp -q p.fa -d d.wsdb --max_target_seqs' \
    'blastp -q p.fa -d d.wsdb --word_size' 'sw -q p.fa -d d.wsdb --evalue' 'blastp -q p.fa -d d.wsdb --evalue' 'hmm -q p.fa -d d.wsdb -E' \
    'hmm -q p.fa -d d.wsdb --F1' 'hmm -q p.fa -d d.wsdb --seed' 'hmm -q p.fa -d d.wsdb --textw' 'hmm -q p.fa -d d.wsdb --popen' 'pair a.fa a.fa --match' \
    'pair a.fa a.fa --mismatch' 'pair a.fa a.fa --memory' 'sw -q p.fa -d d.wsdb --comp-stats' 'blastp -q p.fa -d d.wsdb --comp_based_stats'; do
    mistake 2 "${option##* }" search $option nonsense
    mistake 2 "${option##* }" search $option 1x
    mistake 2 "${option##* }" search $option ''
    case $option in *--F1 | *--match | *--mismatch) ;; *) mistake 2 "${option##* }" search $option -1 ;; esac
done
# Costs and matrices that do not go together.
mistake 2 'known open/extend costs' search sw -q p.fa -d d.wsdb --gap-open 3 --gap-extend 3
mistake 2 'supported values' search blastp -q p.fa -d d.wsdb --gapopen 3 --gapextend 3
mistake 2 'a match has to score more' search pair a.fa a.fa --match 1 --mismatch 2
mistake 2 'exclude each other' search hmm -q p.fa -d d.wsdb -E 1 -T 1
mistake 2 'exclude each other' search pair a.fa a.fa --local --global

# These inputs are well-formed. The program warns, and does the work.
printf '>dna\nACGTACGTAGCATCGATCAGCTAGCATCAGCATCAGC\n' >dna.fa
printf '>peptide\nWCWCHWMCW\n' >peptide.fa
answer='dna.fa: these are nucleotides; translate them first, or use blastx (1 of 1 sequence looks like nucleotides'
for engine in sw hmm jackhmmer blastp; do
    runs 0 search $engine -q dna.fa -d d.wsdb -o told.txt
    warns "$answer"
    [ "$(grep -c 'these are nucleotides' "$work/.err")" = 1 ] || fail 'the answer is given again'
    # The answer comes before the results.
    last_command="search $engine -q dna.fa -d d.wsdb"
    "$programs/search" $engine -q dna.fa -d d.wsdb >"$work/.out" 2>&1 </dev/null || fail "exit status $?"
    sed '0,/these are nucleotides/d' "$work/.out" | grep -q 'Query.*dna' || fail 'the answer comes after the results'
done
runs 0 search blastp -q peptide.fa -d d.wsdb -o told.txt
warns '1 query of up to 30 residues had no hits; --task blastp-short is made for such short queries'
runs 0 search blastp -q peptide.fa -d d.wsdb -o told.txt --task blastp-short
[ ! -s "$work/.err" ] || fail 'the warning is given again'
rm dna.fa peptide.fa told.txt
# One dash instead of two, and letters that changed places.
runs 2 search blastp -evalue 1 -q p.fa -d d.wsdb
warns '-evalue: write --evalue'
runs 2 search sw --evlaue 1 -q p.fa -d d.wsdb
warns 'did you mean --evalue?'
# Names of engines, and pair's files behind the options of other engines.
runs 2 search
warns 'no engine given; the engines are: sw, '
runs 2 search blasp -q p.fa -d d.wsdb
warns "unknown engine 'blasp'; did you mean blastp? the engines are: sw, "
runs 2 search everything
warns "unknown engine 'everything'; the engines are: sw, "
for option in -q --query --db=d.fa; do
    runs 2 search pair $option p.fa p.fa
    warns 'does not exist; the two files are named without options, as in: search pair A.fasta B.fasta'
done

# inspect and dbconv.
for command in info stats validate fasta 'fetch @ one'; do
    for file in missing.wsdb folder empty p.fa cut.wsdb; do
        case $command in *@*) line="${command/@/$file}" ;; *) line="$command $file" ;; esac
        runs 1 inspect $line
        prints_nothing
        warns $file
    done
    runs 2 inspect "${command%% *}"
    runs 2 inspect "${command%% *}" d.wsdb --nonsense
done
runs 2 inspect
runs 2 inspect nonsense
runs 2 inspect fasta d.wsdb --width -1
warns '--width -1'
runs 2 inspect fasta d.wsdb --memory nonsense
warns '--memory'
runs 2 inspect validate d.wsdb --threads nonsense
runs 1 inspect fetch d.wsdb nobody
runs 1 inspect fetch d.wsdb --list missing
warns 'missing'
runs 1 inspect fetch d.wsdb --list folder
warns 'folder'
runs 1 inspect fasta d.wsdb -o p.fa
warns 'exists already'
for file in missing.fa folder empty binary bad.fa cut.gz; do
    runs 1 dbconv $file -o out.wsdb
    warns $file
    absent out.wsdb
done
runs 2 dbconv
runs 2 dbconv p.fa
runs 2 dbconv -o out.wsdb
runs 2 dbconv p.fa -o out.wsdb --codec nonsense
runs 2 dbconv p.fa -o out.wsdb --threads -1
runs 2 dbconv p.fa -o out.wsdb --memory x
runs 2 dbconv p.fa -o out.wsdb --nonsense
runs 1 dbconv p.fa -o d.wsdb
warns 'exists already'
runs 1 dbconv p.fa -o folder --force
runs 2 search
runs 2 search nonsense
ls -A | cmp -s - files || fail "something was written: $(ls -A | diff - files)"
echo passed
