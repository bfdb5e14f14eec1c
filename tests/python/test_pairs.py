"""Alignments of pairs and scores from Python are those of `warpseq search pair` and `warpseq search sw`."""
import concurrent.futures
import json
import pickle
import random
import re
import shutil
import subprocess
import warnings
import xml.etree.ElementTree as ElementTree

import pytest
import warpseq

numpy = pytest.importorskip("numpy", reason="skipped: scores() needs numpy, which this Python does not have")

MODES = {"global": ["--global"], "local": ["--local"], "semiglobal": ["--semiglobal"], "all-local": ["--all-local"]}


def records_of(file):
    """The names and sequences of a FASTA file."""
    records = []
    for line in open(file):
        if line.startswith(">"):
            records.append([line[1:].split()[0], ""])
        else:
            records[-1][1] += line.strip()
    return [tuple(record) for record in records]


def write(file, records):
    file.write_text("".join(f">{name}\n{sequence}\n" for name, sequence in records))
    return file


@pytest.fixture(scope="module")
def records(proteins):
    return records_of(proteins)


@pytest.fixture(scope="module")
def pairs(records):
    """Pairs of real proteins of many lengths; every third one of relatives, the mutated halves of one protein."""
    draw = random.Random(7)
    found = []
    for number in range(45):
        a, b = draw.sample([record for record in records if 40 < len(record[1]) < 700], 2)
        if number % 3 == 0:
            b = (b[0], "".join(letter if draw.random() < 0.7 else draw.choice("ACDEFGHIKLMNPQRSTVWY") for letter in a[1][20:]))
        found.append((a, b))
    return found


def by_program(programs, tmp_path, pairs, *options):
    """The alignments of pairs in the JSON of `search pair`."""
    queries = write(tmp_path / "queries.fa", [(f"q{number}", pair[0][1]) for number, pair in enumerate(pairs)])
    targets = write(tmp_path / "targets.fa", [(f"t{number}", pair[1][1]) for number, pair in enumerate(pairs)])
    listed = tmp_path / "pairs.txt"
    listed.write_text("".join(f"q{number}\tt{number}\n" for number in range(len(pairs))))
    return json.loads(programs.run("search", "pair", queries, targets, "--pairs", listed, "--outfmt", "json", *options))["pairs"]


PLACES = ("query_from", "query_to", "target_from", "target_to", "columns", "identities", "positives", "gaps",
          "gap_openings", "cigar")


def facts(alignment):
    """What the program's JSON says about an alignment."""
    return {name: getattr(alignment, name) for name in PLACES} if len(alignment) else None


def expected_facts(alignment):
    return alignment and {name: alignment[name] for name in PLACES}


@pytest.mark.parametrize("mode", MODES)
def test_alignments_are_the_programs(programs, tmp_path, pairs, mode):
    options = ["--max-alignments", "4"] if mode == "all-local" else []
    for (a, b), expected in zip(pairs, by_program(programs, tmp_path, pairs, "--protein", *MODES[mode], *options)):
        if mode == "all-local":
            found = warpseq.align(a[1], b[1], mode, max_alignments=4)
            assert [(each.score, facts(each)) for each in found] == \
                [(each["score"], expected_facts(each)) for each in expected["alignments"]]
            assert [each.number for each in found] == list(range(1, len(found) + 1))
            continue
        found = warpseq.align(a[1], b[1], mode)
        assert found.score == expected["score"]
        assert facts(found) == expected_facts(expected["alignment"])
        assert found.bits == expected.get("bits") and found.evalue == expected.get("evalue")
        assert (found.query_length, found.target_length) == (len(a[1]), len(b[1]))


@pytest.mark.parametrize("options", [
    {"matrix": "BLOSUM45", "gap_open": 10, "gap_extend": 3}, {"mode": "semiglobal", "free_ends": "query-begin,target-end"},
    {"mode": "local", "matrix": "PAM250"}, {"mode": "local", "score_only": True}, {"gap_open": 0, "gap_extend": 2}])
def test_options_are_those_of_the_program(programs, tmp_path, pairs, options):
    words = [f"--{options.get('mode', 'global')}"]
    for name, value in options.items():
        if name != "mode":
            words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    for (a, b), expected in zip(pairs[:8], by_program(programs, tmp_path, pairs[:8], "--protein", *words)):
        found = warpseq.align(a[1], b[1], protein=True, **options)
        assert (found.score, facts(found)) == (expected["score"], expected_facts(expected.get("alignment")))


@pytest.mark.parametrize("format", ["0", "6", "7", "10", "paf", "sam", "json", "6 qseqid sseqid btop evalue qseq"])
@pytest.mark.parametrize("mode", ["local", "all-local"])
def test_reports_are_the_programs(programs, tmp_path, pairs, mode, format):
    a, b = pairs[0]
    queries, targets = write(tmp_path / "a.fa", [a]), write(tmp_path / "b.fa", [b])
    expected = programs.run("search", "pair", queries, targets, *MODES[mode], "--outfmt", format, "--quiet").decode()
    found = warpseq.align(a, b, mode)
    assert warpseq.pair_report(found, format) == expected
    if mode == "local":
        assert found.report(format) == expected
        assert format != "0" or str(found) in expected and str(found).count("\n") > 20
    plot = tmp_path / "plot.svg"
    programs.run("search", "pair", queries, targets, *MODES[mode], "--dotplot", plot, "--quiet")
    assert warpseq.dot_plot(found) == plot.read_text()
    ElementTree.fromstring(plot.read_text())


def test_drawn_lines_add_up(pairs):
    for a, b in pairs[::3]:
        found = warpseq.align(a, b, "semiglobal")
        assert len(found.aligned_query) == len(found.aligned_target) == len(found.middle_line) == len(found) > 0
        assert found.aligned_query.replace("-", "") == a[1][found.query_from - 1:found.query_to]
        assert found.aligned_target.replace("-", "") == b[1][found.target_from - 1:found.target_to]
        assert found.middle_line.count("|") == found.identities
        assert found.middle_line.count("|") + found.middle_line.count(":") == found.positives
        assert found.middle_line.count(" ") == found.gaps
        assert (found.query_name, found.target_name, found.mode) == (a[0], b[0], "semi-global")


def test_nucleotides_and_strands(programs, tmp_path):
    draw = random.Random(3)
    query = "".join(draw.choice("ACGT") for _ in range(300))
    turned = query[200:60:-1].translate(str.maketrans("ACGT", "TGCA"))
    pair = [(("q0", query), ("t0", "ACCTTG" + turned + "GGTACA"))]
    for mode in ("local", "all-local"):
        expected = by_program(programs, tmp_path, pair, "--strand", "both", *MODES[mode])[0]
        with pytest.warns(warpseq.WarpseqWarning, match="taken for nucleotides"):
            found = warpseq.align(query, pair[0][1][1], mode, strand="both")
        found, expected = ([found], [{**expected, **expected["alignment"]}]) if mode == "local" else (found, expected["alignments"])
        assert [(each.strand, each.score, facts(each)) for each in found] == \
            [(each["strand"], each["score"], expected_facts(each)) for each in expected]
        assert found[0].strand == "minus" and found[0].alphabet == "nucleotide" and found[0].evalue is None
        assert found[0].query_to == 201 and found[0].aligned_query == turned
        assert str(pickle.loads(pickle.dumps(found[0]))) == str(found[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warpseq.align(query, query, dna=True).score == 600


def test_part_of_a_list_is_reported_as_if_there_were_no_other(pairs):
    found = warpseq.align("MKVLAAGIVGLLWRQERTYMKVLAAGIVGLLWRQERTY", "MKVLAAGIVGLLWRQERTY", "all-local")
    assert len(found) > 3
    for part in ([found[0]], [found[2]], found[1:3], found[-1:], found):
        report = json.loads(warpseq.pair_report(part, "json"))["pairs"]
        assert len(report) == 1
        assert [each["query_from"] for each in report[0]["alignments"]] == [each.query_from for each in part]
        assert f"# {len(part)} hits found" in warpseq.pair_report(part, "7")
        flags = [int(line.split("\t")[1]) for line in warpseq.pair_report(part, "sam").splitlines() if line[0] != "@"]
        assert flags == [0] + [2048] * (len(part) - 1)


def test_pickles_hold_all_and_show_damage(pairs):
    for mode in MODES:
        found = warpseq.align(*pairs[1], mode)
        for each in found if mode == "all-local" else [found]:
            stored = pickle.dumps(each)
            again = pickle.loads(stored)
            assert (str(again), again.report("json"), again.dot_plot(), again.number, repr(again), again.evalue) == \
                (str(each), each.report("json"), each.dot_plot(), each.number, repr(each), each.evalue)
    damaged = bytearray(stored)
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(warpseq.InvalidInputError, match="the stored alignment"):
        pickle.loads(bytes(damaged))


def test_threads_share_an_aligner(pairs):
    expected = [str(warpseq.align(a, b)) for a, b in pairs]
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda pair: str(warpseq.align(*pair)), pairs * 5)) == expected * 5


def test_sequences_of_all_kinds(pairs):
    class Record:  # as Biopython's SeqRecord
        id, description, seq = "r1", "r1 a protein", pairs[0][0][1]

    text = pairs[0][0][1]
    expected = warpseq.align(text, text)
    for kind in (text.encode(), bytearray(text.encode()), ("r1", text), Record(), text.lower(), text[:50] + "\n" + text[50:]):
        found = warpseq.align(kind, text)
        assert (found.score, found.cigar, found.aligned_query) == (expected.score, expected.cigar, expected.aligned_query)
    assert warpseq.align(Record(), text).query_name == "r1" and expected.query_name == "query"
    with pytest.warns(warpseq.WarpseqWarning, match=r"target: 2 gap characters"):
        assert warpseq.align(text, "-" + text + ".").score == expected.score


def test_messages_are_the_programs(programs, tmp_path):
    def message(letters, *options):
        write(tmp_path / "target", [("target", letters)])
        write(tmp_path / "query", [("query", "MKVLAWSR")])
        with pytest.raises(AssertionError) as refused:
            programs.run("search", "pair", tmp_path / "query", tmp_path / "target", *options)
        return str(refused.value).replace(f"{tmp_path}/", "")

    for letters in ("", "MKV!LA", "MK\u00c4V", "ACGTACGTACGT"):
        with pytest.raises(warpseq.InvalidInputError) as error:
            warpseq.align("MKVLAWSR", letters)
        assert str(error.value) in message(letters)
    for options in ({"gap_open": -1}, {"matrix": "NONE"}, {"mode": "local", "free_ends": "query-begin"}, {"strand": "minus"}):
        with pytest.raises(warpseq.OptionError) as error:
            warpseq.align("MKVLAWSR", "MKV", **options)
        words = [word for name, value in options.items() if name != "mode" for word in (f"--{name.replace('_', '-')}", str(value))]
        assert str(error.value) in message("MKV", f"--{options.get('mode', 'global')}", *words)
    for options in ({"mode": "sideways"}, {"nonsense": 1}, {"pairs": "file"}, {"dotplot": "file"}, {"threads": 0}):
        with pytest.raises(warpseq.OptionError):
            warpseq.align("MKV", "MKV", **options)
    with pytest.raises(warpseq.InvalidInputError, match="more than one sequence"):
        warpseq.align("MKV\n>b\nMKV", "MKV")
    assert len(warpseq.align("W", "P", "local")) == 0 and warpseq.align("W", "W").cigar == "1="


def test_a_titin(programs, tmp_path, shared, records):
    titin = max(records_of(shared / "data/proteins-tiny.fasta"), key=lambda record: len(record[1]))
    assert len(titin[1]) == 35213
    pair = [(records[0], titin)]
    for mode in ("global", "semiglobal", "local"):
        expected = by_program(programs, tmp_path, pair, "--protein", *MODES[mode])[0]
        found = warpseq.align(*pair[0], mode, threads=2, device="cpu")
        assert (found.score, facts(found)) == (expected["score"], expected_facts(expected["alignment"]))
    own = warpseq.scores(titin, [titin, records[0], titin[1][:20000]])
    assert own[0] > 150_000 and own[1] == found.score and own[2] > 65_535


def test_scores_are_those_of_a_search(programs, tmp_path, records, proteins, database):
    queries = records[:3] + [("long", records[3][1] * 8)]
    file = write(tmp_path / "queries.fa", queries)
    for options, words in (({}, []), ({"matrix": "PAM70", "gap_open": 9, "gap_extend": 1}, ["--matrix", "PAM70", "--gap-open", "9", "--gap-extend", "1"])):
        rows = programs.run("search", "sw", "-q", file, "-d", database, "--outfmt", "6 qseqid sseqid score", "--evalue", "inf",
                            "--max-hits", "0", *words).decode().split("\n")
        expected = numpy.zeros((4, len(records)), numpy.int32)
        place = {name: number for number, (name, _) in enumerate(records)}
        for row in filter(None, rows):
            query, target, score = row.split("\t")
            expected[[name for name, _ in queries].index(query), place[target]] = int(score)
        assert expected.max() > 255
        in_memory = warpseq.scores(queries, [sequence for _, sequence in records], **options, threads=2, device="cpu")
        assert in_memory.dtype == numpy.int32 and in_memory.shape == (4, 2000)
        assert (in_memory == expected).all()
    with warpseq.Session(proteins, device="cpu") as session:
        for targets in (str(database), proteins, session):
            assert (warpseq.scores(queries, targets, device="cpu", **options) == expected).all()
        assert (warpseq.scores(queries[1], session, **options) == expected[1]).all()


def test_scores_of_odd_sequences(records):
    targets = ["", "W", records[0][1].lower(), ("name", records[1][1]), b"MKV", "M K\nV"]
    one = warpseq.scores(records[0][1], targets)
    assert one.shape == (6,) and one.dtype == numpy.int32
    assert list(one) == [warpseq.align(records[0][1], target, "local").score if target else 0 for target in targets]
    assert list(warpseq.scores("", targets)) == [0] * 6
    assert warpseq.scores([], targets).shape == (0, 6) and warpseq.scores("MKV", []).shape == (0,)
    with pytest.raises(warpseq.InvalidInputError, match=r"targets\[2\]: line 2"):
        warpseq.scores("MKV", ["MKV", "MK", "MK!"])
    with pytest.raises(warpseq.OptionError, match="matrix"):
        warpseq.scores("MKV", ["MKV"], matrix="NONE")
    with pytest.raises(TypeError):
        warpseq.scores(7, ["MKV"], gap_opening=3)


@pytest.fixture(scope="module")
def plain_sequences(many_proteins):
    """Real proteins of the 20 amino acids: for other letters the programs' matrices differ."""
    return [sequence for _, sequence in records_of(many_proteins) if sequence and not set(sequence) - set("ACDEFGHIKLMNPQRSTVWY")]


def test_scores_are_parasails(plain_sequences):
    parasail = pytest.importorskip("parasail", reason="skipped: parasail is not installed, so there is nothing to compare with")
    sequences = plain_sequences[:2000]
    profile = parasail.profile_create_sat(sequences[5], parasail.blosum62)
    expected = [parasail.sw_striped_profile_sat(profile, target, 12, 1).score for target in sequences]
    assert list(warpseq.scores(sequences[5], sequences)) == expected


def test_random_pairs_score_as_parasails(plain_sequences, thorough, say):
    """Scores of whole real proteins, most of which are no relatives, are parasail's in each mode."""
    parasail = pytest.importorskip("parasail", reason="skipped: parasail is not installed, so there is nothing to compare with")
    assert len(plain_sequences) > 1500
    draw = random.Random(11)
    count = 10_000 if thorough else 300
    for _ in range(count):
        a, b = draw.sample(plain_sequences, 2)
        assert warpseq.align(a, b, protein=True).score == parasail.nw_striped_sat(a, b, 12, 1, parasail.blosum62).score
        local = parasail.sw_striped_sat(a, b, 12, 1, parasail.blosum62).score
        assert warpseq.align(a, b, "local", protein=True).score == warpseq.scores(a, [b], threads=1)[0] == local
        # A semi-global alignment of parasail's has a pair of residues, even if that scores below 0.
        semi_global = parasail.sg_striped_sat(a, b, 12, 1, parasail.blosum62).score
        assert warpseq.align(a, b, "semiglobal", protein=True).score == max(0, semi_global)
    say(f"{count} pairs in three modes")


EMBOSS = {"global": ["needle", "-endweight", "-endopen", "12", "-endextend", "1"], "local": ["water"], "semiglobal": ["needle"]}


@pytest.mark.parametrize("mode", EMBOSS)
def test_scores_are_those_of_emboss(plain_sequences, thorough, tmp_path, mode, say):
    program, *options = EMBOSS[mode]
    if not shutil.which(program):
        pytest.skip(f"skipped: no {program} here (Debian's emboss has it)")
    draw = random.Random(12)
    sequences = [sequence for sequence in plain_sequences if 40 <= len(sequence) <= 1000]
    compared = 0
    for _ in range(50 if thorough else 5):
        query, *targets = draw.sample(sequences, 11)
        # Some of the targets are relatives.
        targets[:4] = ["".join(letter if draw.random() < 0.8 else draw.choice("ACDEFGHIKLMNPQRSTVWY") for letter in query[at:])
                       for at in (0, 5, 10, 30)]
        files = write(tmp_path / "a.fa", [("a", query)]), write(tmp_path / "b.fa", list(zip("bcdefghijk", targets)))
        report = subprocess.run([program, *files, "-outfile", "stdout", "-auto", "-gapopen", "12", "-gapextend", "1",
                                 "-datafile", "EBLOSUM62", "-sprotein1", "-sprotein2", *options],
                                capture_output=True, text=True, check=True).stdout
        theirs = [float(score) for score in re.findall(r"^# Score: (\S+)", report, re.M)]
        ours = [warpseq.align(query, target, mode, protein=True).score for target in targets]
        # needle aligns a pair of residues, even if that scores below 0.
        assert ours == [max(0, score) if mode == "semiglobal" else score for score in theirs]
        compared += len(ours)
    say(f"{program}, {mode}: {compared} scores")
