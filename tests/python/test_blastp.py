"""blastp from Python: options, files per query, groups of queries, merged definition lines, warnings."""
import itertools
import xml.etree.ElementTree

import pytest
import warpseq
from warpseq import _queries


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu", threads=2) as opened:
        yield opened


@pytest.mark.parametrize("options, arguments", [
    (dict(task="blastp-fast", evalue=1e-3), ["--task", "blastp-fast", "--evalue", "0.001"]),
    (dict(task="blastp-short", seg="yes", soft_masking=True, comp_stats=0, max_hsps=1),
     ["--task", "blastp-short", "--seg", "yes", "--soft_masking", "true", "--comp-stats", "0", "--max_hsps", "1"]),
    (dict(ungapped=True, comp_stats=0, outfmt="15"), ["--ungapped", "--comp-stats", "0", "--outfmt", "15"]),
    (dict(use_sw_tback=True, culling_limit=2, searchsp=10**9, qcov_hsp_perc=40),
     ["--use_sw_tback", "--culling_limit", "2", "--searchsp", "1000000000", "--qcov_hsp_perc", "40"]),
    (dict(num_alignments=7, outfmt="6"), ["--num_alignments", "7", "--outfmt", "6"]),
    (dict(num_alignments=7, num_descriptions=9), ["--num_alignments", "7", "--num_descriptions", "9"])])
def test_options_are_those_of_the_program(programs, database, queries, session, tmp_path, options, arguments):
    session.blastp(queries, **options).write(tmp_path / "python")
    expected = programs.run("search", "blastp", "-q", queries, "-d", database, *arguments)
    assert expected.count(b"\n") > 10
    assert (tmp_path / "python").read_bytes() == expected


@pytest.mark.parametrize("format, ending", [("13", "json"), ("14", "xml")])
def test_formats_with_a_file_per_query(programs, database, queries, session, tmp_path, format, ending):
    for folder in ["program", "python"]:
        (tmp_path / folder).mkdir()
    programs.run("search", "blastp", "-q", queries, "-d", database, "--outfmt", format, "-o",
                 tmp_path / "program" / f"list.{ending}")
    session.blastp(queries).write(tmp_path / "python" / f"list.{ending}", format=format)
    files = {folder: {file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()}
             for folder in ["program", "python"]}
    assert files["program"] == files["python"] and len(files["python"]) == 11
    with open(tmp_path / "object", "wb") as out, pytest.raises(warpseq.OptionError, match="a file per query"):
        session.blastp(queries).write(out, format=format)


def test_groups_of_queries_are_those_of_one_file(monkeypatch, proteins, tmp_path):
    """Chunks end with blastp's groups of queries, one of which is cut into parts here."""
    records = [record.partition("\n") for record in proteins.read_text().split(">")[1:301]]
    sequences = [(header, lines.replace("\n", "")) for header, _, lines in records]
    (tmp_path / "database.fasta").write_text("".join(f">{name}\n{sequence}\n" for name, sequence in sequences[:150]))
    short = [(name, sequence) for name, sequence in sequences if 250 < len(sequence) <= 350][:30]
    long = "".join(sequence for _, sequence in sequences)[:12_000]
    queries = [*short[:28], ("long", long), *short[28:]]
    assert 7_800 < sum(len(sequence) for _, sequence in short[:28]) < 10_000
    file = tmp_path / "queries.fasta"
    file.write_text("".join(f">{name}\n{sequence}\n" for name, sequence in queries))
    options = dict(outfmt="5", evalue=1000, max_target_seqs=5)
    with warpseq.Session(tmp_path / "database.fasta", device="cpu") as session:
        session.blastp(file, **options).write(tmp_path / "of_file")
        monkeypatch.setattr(_queries, "MOST_SEQUENCES", 2)
        sizes = [chunk.text.count(b">") for chunk in _queries.chunks_of(queries, 10_000)]
        assert sizes == [29, 2]
        session.blastp(queries, **options).write(tmp_path / "of_memory")
    assert (tmp_path / "of_memory").read_bytes() == (tmp_path / "of_file").read_bytes()


def test_facts_are_those_of_xml(queries, session, tmp_path):
    """The statistics and the hits' values are what blastp's XML has, and Biopython reads from it."""
    session.blastp(queries).write(tmp_path / "report.xml", format="5")
    root = xml.etree.ElementTree.parse(tmp_path / "report.xml").getroot()
    iterations = root.findall(".//Iteration")
    for hits, iteration in itertools.zip_longest(session.blastp(queries), iterations):
        def number(path):
            return float(iteration.findtext(path))

        assert f"Query_{hits.query_number}" == iteration.findtext("Iteration_query-ID")
        assert hits.search_space == number(".//Statistics_eff-space")
        assert hits.length_adjustment == number(".//Statistics_hsp-len")
        assert hits.searched_sequences == number(".//Statistics_db-num")
        assert hits.searched_residues == number(".//Statistics_db-len")
        assert (hits.k, hits.lambda_, hits.entropy) == tuple(
            number(f".//Statistics_{name}") for name in ["kappa", "lambda", "entropy"])
        assert hits.filter == root.findtext(".//Parameters_filter")
        assert hits.evalue_limit == float(root.findtext(".//Parameters_expect"))
        found = [(hit, hsp) for hit in hits for hsp in hit.hsps]
        for (hit, hsp), element in itertools.zip_longest(found, iteration.findall(".//Hsp")):
            assert hsp.bits == pytest.approx(float(element.findtext("Hsp_bit-score")), rel=1e-5)
            assert hsp.evalue == pytest.approx(float(element.findtext("Hsp_evalue")), rel=1e-5)
            assert (hsp.positives, hsp.middle) == (int(element.findtext("Hsp_positive")), element.findtext("Hsp_midline"))


def test_warnings(queries, session):
    with pytest.warns(warpseq.WarpseqWarning, match="^examining 5 or more matches is recommended"):
        next(session.blastp(queries, max_target_seqs=1))
    with pytest.warns(warpseq.WarpseqWarning, match="^1 query of up to 30 residues had no hits"):
        assert [len(hits) for hits in session.blastp(["WWWHHHCCC"], evalue=1e-9)] == [0]
    with pytest.warns(warpseq.WarpseqWarning, match="unknown columns are left out: nonsense"):
        next(session.blastp(queries, outfmt="6 qseqid nonsense"))
    with pytest.raises(warpseq.OptionError, match="unknown column 'nonsense'"):
        next(session.blastp(queries)).write("/dev/null", format="6 qseqid nonsense")


@pytest.fixture(scope="module")
def merged(programs, proteins, tmp_path_factory):
    """A database with a sequence of two definition lines and with taxonomy IDs, and a query that finds it."""
    folder = tmp_path_factory.mktemp("merged")
    records = ["".join(record) for record in proteins.read_text().split(">")[1:101]]
    sequence = records[0].partition("\n")[2]
    fasta = folder / "merged.fasta"
    fasta.write_text(">sp|P12345|ONE_HUMAN one\x01sp|P12346|TWO_MOUSE two\n" + sequence +
                     "".join(">" + record for record in records[1:99]) + ">sp|P12347|THREE_MOUSE three\n" +
                    records[99].partition("\n")[2])
    (folder / "taxids").write_text("P12345 9606\nP12346 10090\nP12347 10090\n")
    (folder / "names.dmp").write_text(
        "".join(f"{taxid}\t|\t{name}\t|\t\t|\t{kind}\t|\n" for taxid, name, kind in [
            (1, "root", "scientific name"), (9606, "Homo sapiens", "scientific name"), (9606, "human", "genbank common name"),
            (10090, "Mus musculus", "scientific name")]))
    (folder / "nodes.dmp").write_text(
        "".join(f"{taxid}\t|\t1\t|\t{rank}\t|\t\t|\t0\t|\n" for taxid, rank in [
            (1, "no rank"), (9606, "species"), (10090, "species")]))
    (folder / "query.fasta").write_text(">query\n" + sequence)
    return folder


def test_merged_definition_lines(programs, merged, tmp_path):
    """Taxonomy IDs choose definition lines of merged sequences, for reports and for objects."""
    programs.run("dbconv", merged / "merged.fasta", "-o", merged / "merged.wsdb", "--taxid-map", merged / "taxids",
                 "--taxonomy", merged)
    for restricted in [{}, {"taxids": [10090]}, {"negative_taxids": 10090}]:
        option = [part for name, value in restricted.items()
                  for part in ("--" + name.replace("_", "-"), "10090")]
        columns = "6 sseqid sallseqid stitle salltitles staxids sscinames scomnames"
        expected = programs.run("search", "blastp", "-q", merged / "query.fasta", "-d", merged / "merged.wsdb", *option,
                                "--outfmt", columns)
        with warpseq.Session(merged / "merged.wsdb", device="cpu", **restricted) as session:
            hits = next(session.blastp(merged / "query.fasta"))
            hits.write(tmp_path / "report", format=columns)
            assert (tmp_path / "report").read_bytes() == expected
            taxids = {"": [9606, 10090], "taxids": [10090], "negative_taxids": [9606]}[next(iter(restricted), "")]
            assert hits[0].taxids == taxids
            row = expected.decode().splitlines()[0].split("\t")
            names = {9606: "Homo sapiens", 10090: "Mus musculus"}
            assert hits[0].scientific_names == [names[taxid] for taxid in taxids] == row[5].split(";")
            names = {9606: "human", 10090: "Mus musculus"}  # a taxon without a common name has its other one
            assert hits[0].common_names == [names[taxid] for taxid in taxids] == row[6].split(";")
