"""All that Biopython's SearchIO reads in reports is in the objects, under the names that docs/python.md lists.

An attribute that Biopython has and the functions or the tables do not name fails, so that no attribute is forgotten.
"""
import io
import pathlib
import re
import subprocess
import warnings

import pytest
import warpseq

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
LISTED = set(re.findall(r"\w+", DOCUMENT.read_text().partition("| Biopython, all formats |")[2]))
SearchIO = pytest.importorskip("Bio.SearchIO", reason="skipped: Biopython is not installed")

# Strands and frames of nucleotides, and other views of what is compared: its parts, and sequences
# as objects.
LEFT_OUT = {"frames", "hit_frame", "hit_strand", "query_frame", "query_strand", "strand", "aln", "attributes", "dbxrefs",
            "fields", "fragment", "fragments", "hit_features", "hit_inter_ranges", "hit_inter_spans", "hit_keys", "hits",
            "hsps", "is_fragmented", "items", "output_index", "query_features", "query_inter_ranges", "query_inter_spans"}


def attributes(of):
    """Returns the attributes of an object of Biopython that a report has set."""
    found = {}
    for name in dir(of):
        if name.startswith("_") or name in LEFT_OUT or (isinstance(of, SearchIO.HSP) and name.endswith("_all")):
            continue
        value = getattr(of, name, None)
        value = str(value.seq) if hasattr(value, "seq") else value
        if not (callable(value) or value in (None, {}, (None, None)) or str(value).strip("['").startswith("<unknown")):
            found[name] = value
    return found


def check(of, expected):
    """Checks that each attribute of the object is as expected. Returns the attributes that it has."""
    found = attributes(of)
    missing = found.keys() - expected.keys()
    assert not missing, f"{type(of).__name__}: {sorted(missing)}"
    assert found.keys() <= LISTED, f"docs/python.md does not list {sorted(found.keys() - LISTED)}"
    assert found == {name: expected[name] for name in found}
    return set(found)


def parsed(search, format, as_format, **options):
    """Returns what Biopython reads in the report of a search."""
    out = io.BytesIO()
    search.write(out, format=format)
    text = out.getvalue().decode()
    # Biopython knows the program by the first line, which the drop-ins write as HMMER does.
    text = text.replace("# search hmm ::", "# phmmer ::" if "search sequence(s)" in text[:100] else "# hmmsearch ::", 1)
    text = text.replace("# search hmmscan ::", "# hmmscan ::", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return list(SearchIO.parse(io.StringIO(text), as_format, **options))


def place(prefix, first, last, **more):
    """Returns the attributes about one side of an alignment."""
    return {prefix + "_start": first - 1, prefix + "_end": last, prefix + "_span": last - first + 1,
            prefix + "_range": (first - 1, last),
            **{f"{prefix}_{name}": value for name, value in more.items()}}


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu", threads=2) as session:
        yield session


# ---- HMMER's formats

def two(value):
    return float(f"{value:.2g}")


def one(value):
    return float(f"{value:.1f}")


def described(thing, default):
    """Returns a description as Biopython reads it."""
    return thing.strip() if thing else default


def end_type(first, last, length):
    return ("[" if first == 1 else ".") + ("]" if last == length else ".")


def of_hmm_query(hits):
    return {"id": hits.query_name, "accession": hits.query_accession or "-", "description": described(hits.query_description, ""),
            "seq_len": hits.query_length, "program": hits.engine, "target": hits.databases}


def of_hmm_hit(hit, is_text):
    description = described(hit.description, "" if is_text else "-")
    return {"id": hit.name, "accession": hit.accession or "-", "id_all": [hit.name],
            "description": description, "description_all": [description],
            "query_id": hit.hits.query_name, "query_description": described(hit.hits.query_description, ""),
            "seq_len": hit.length, "evalue": two(hit.evalue), "bitscore": one(hit.score), "bias": one(hit.bias),
            "is_included": hit.included, "domain_exp_num": one(hit.expected_domains),
            "domain_obs_num": len(hit.reported_domains if is_text else hit.domains),
            "region_num": hit.regions, "cluster_num": hit.clustered_regions, "overlap_num": hit.overlapping_envelopes,
            "env_num": hit.envelopes, "domain_reported_num": len(hit.reported_domains),
            "domain_included_num": len(hit.included_domains)}


def of_domain(domain, number, is_text):
    hit, alignment = domain.hit, domain.alignment
    hits = hit.hits
    model = {"first": alignment.hmm_from, "last": alignment.hmm_to,
             "endtype": end_type(alignment.hmm_from, alignment.hmm_to, alignment.hmm_length)}
    target = {"first": alignment.target_from, "last": alignment.target_to,
              "endtype": end_type(alignment.target_from, alignment.target_to, alignment.target_length)}
    scans = hits.engine == "hmmscan"
    lines = {"PP": alignment.posterior_probabilities, "similarity": alignment.identity_sequence, "CS": alignment.structure,
             "RF": alignment.reference}
    description = described(hit.description, "" if is_text else "-")
    return {"domain_index": number, "evalue": two(domain.i_evalue), "evalue_cond": two(domain.c_evalue),
            "bitscore": one(domain.score), "bias": one(domain.bias), "is_included": domain.included,
            "acc_avg": float(f"{domain.accuracy:.2f}"), "env_start": domain.env_from - 1, "env_end": domain.env_to,
            "env_endtype": end_type(domain.env_from, domain.env_to, alignment.target_length), "molecule_type": "protein",
            **place("hit", **(model if scans else target), id=hit.name, description=description),
            **place("query", **(target if scans else model), id=hits.query_name,
                    description=described(hits.query_description, "")),
            "hit": alignment.hmm_sequence if scans else alignment.target_sequence,
            "query": alignment.target_sequence if scans else alignment.hmm_sequence,
            "aln_span": len(alignment), "aln_annotation": {name: line for name, line in lines.items() if line}}


def check_hmm_hits(queries, results, domains_of, is_text=False):
    """Compares the queries, hits and domains that Biopython has read. Returns the attributes that were compared."""
    compared = [set(), set(), set(), set()]
    assert [query.id for query in queries] == [hits.query_name for hits in results]
    for query, hits in zip(queries, results):
        compared[0] |= check(query, of_hmm_query(hits))
        assert len(query) == len(hits) > 0
        for hit, ours in zip(query, hits):
            compared[1] |= check(hit, of_hmm_hit(ours, is_text))
            domains = domains_of(ours)
            assert len(hit) == len(domains)
            for number, (hsp, domain) in enumerate(zip(hit, domains), 1):
                compared[2] |= check(hsp, of_domain(domain, number, is_text))
                compared[3] |= check(hsp[0], of_domain(domain, number, is_text))
    return compared


@pytest.fixture(scope="module")
def hmm_searches(session, queries, profiles):
    """Functions that start a search, by the name of the engine."""
    some = list(warpseq.read_profiles(profiles))[:8]
    consensus = [(profile.name + "_consensus", profile.consensus) for profile in some]
    return {"hmmsearch": lambda **options: session.hmmsearch(some, **options),
            "phmmer": lambda **options: session.phmmer(queries, **options),
            "jackhmmer": lambda **options: session.jackhmmer(queries, N=2, **options),
            "hmmscan": lambda **options: session.hmmscan(consensus, profiles, **options)}


ENGINES = ["hmmsearch", "phmmer", "jackhmmer", "hmmscan"]


@pytest.mark.filterwarnings("ignore:'None' exist")  # Biopython says so where a table has no places
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_of_targets(hmm_searches, engine):
    results = [hits for hits in hmm_searches[engine]() if len(hits)]
    queries = parsed(hmm_searches[engine](), "tblout", "hmmer3-tab")
    assert [query.id for query in queries] == [hits.query_name for hits in results]
    for query, hits in zip(queries, results):
        check(query, of_hmm_query(hits))
        for hit, ours in zip(query, hits):
            assert len(check(hit, of_hmm_hit(ours, False))) >= 14
            # The table has scores of the best domain, and not its place.
            assert check(hit[0], of_domain(ours.best_domain, 1, False)) >= {"evalue", "bitscore", "bias"}
    assert sum(map(len, queries)) >= 8


@pytest.mark.parametrize("engine", ENGINES)
def test_tables_of_domains(hmm_searches, engine):
    results = [hits for hits in hmm_searches[engine]() if len(hits)]
    queries = parsed(hmm_searches[engine](), "domtblout", "hmmscan3-domtab" if engine == "hmmscan" else "hmmsearch3-domtab")
    compared = check_hmm_hits(queries, results, lambda hit: hit.reported_domains)
    assert {"seq_len", "accession"} <= compared[0] and {"seq_len", "bias"} <= compared[1]
    assert {"evalue_cond", "env_start", "acc_avg", "hit_start", "query_range"} <= compared[2]


@pytest.mark.parametrize("engine", ["hmmsearch", "phmmer", "hmmscan"])
def test_reports(hmm_searches, engine):
    # Without a limit to the width, descriptions are whole.
    results = list(hmm_searches[engine](notextw=True))
    queries = parsed(hmm_searches[engine](notextw=True), "0", "hmmer3-text")
    assert [(query.id, len(query)) for query in queries] == [(hits.query_name, len(hits)) for hits in results]
    found = [pair for pair in zip(queries, results) if len(pair[1])]
    compared = check_hmm_hits(*zip(*found), lambda hit: hit.reported_domains, is_text=True)
    assert {"program", "target", "seq_len"} <= compared[0] and {"is_included", "domain_exp_num"} <= compared[1]
    assert {"hit_endtype", "env_endtype", "is_included", "aln_annotation", "query", "hit"} <= compared[2]


# ---- BLAST's formats

COLUMNS = "qseqid qacc qaccver qlen qgi sseqid sallseqid sacc saccver sallacc sgi sallgi slen staxids sscinames scomnames " \
    "sblastnames sskingdoms stitle salltitles qcovs bitscore score evalue nident pident positive ppos mismatch gaps " \
    "gapopen btop qcovhsp length qstart qend sstart send qframe sframe frames qseq sseq sstrand"


@pytest.fixture(scope="module")
def taxa(proteins, tmp_path_factory):
    """A session with a database in which every other sequence has a taxonomy ID, and taxa have names."""
    folder = tmp_path_factory.mktemp("taxa")
    names = [record.name for record in warpseq.Database(proteins)]
    (folder / "taxids").write_text("".join(f"{name}\t{9606 if number % 4 else 10090}\n" for number, name in enumerate(names)
                                           if number % 2))
    (folder / "names.dmp").write_text("".join(
        f"{taxid}\t|\t{name}\t|\t\t|\t{kind}\t|\n" for taxid, name, kind in [
            (1, "root", "scientific name"), (9606, "Homo sapiens", "scientific name"), (9606, "human", "genbank common name"),
            (10090, "Mus musculus", "scientific name")]))
    (folder / "nodes.dmp").write_text("".join(
        f"{taxid}\t|\t1\t|\t{rank}\t|\t\t|\t0\t|\n" for taxid, rank in [(1, "no rank"), (9606, "species"), (10090, "species")]))
    with pytest.warns(warpseq.WarpseqWarning, match="1,000 definition lines are of no known taxon"):
        warpseq.convert(proteins, folder / "taxa.wsdb", taxid_map=[folder / "taxids"], taxonomy=folder)
    with warpseq.Session(folder / "taxa.wsdb", device="cpu", threads=2) as session:
        yield session


def as_table_has(evalue):
    """Returns an E-value with the digits of a table."""
    if evalue < 1e-180:
        return 0.0
    return float(f"{evalue:.2e}" if evalue < 0.0009 else f"{evalue:.{3 if evalue < 0.1 else 2 if evalue < 1 else 1}f}")


def of_query(hits, is_xml):
    return {"id": hits.query_name, "description": hits.query_description or "", "accession": hits.query_accession,
            "accession_version": hits.query_accession_version, "gi": hits.query_gi or "0", "seq_len": hits.query_length,
            "program": hits.engine, "target": hits.databases, "version": warpseq.__version__ if is_xml else "(warpseq", "reference": hits.reference,
            "blast_id": f"Query_{hits.query_number}", "param_evalue_threshold": hits.evalue_limit, "param_filter": hits.filter,
            "param_gap_open": hits.gap_open, "param_gap_extend": hits.gap_extend, "param_matrix": hits.matrix,
            "stat_db_num": hits.searched_sequences, "stat_db_len": hits.searched_residues,
            "stat_eff_space": hits.search_space, "stat_hsp_len": hits.length_adjustment, "stat_kappa": hits.k,
            "stat_lambda": hits.lambda_, "stat_entropy": hits.entropy}


def of_hit(hit, is_xml):
    titles = [" ".join(part for part in pair if part) for pair in zip(hit.all_names, hit.all_descriptions)]
    return {"id": hit.name, "id_all": hit.all_names, "accession": str(hit.position) if is_xml else hit.accession, "accession_version": hit.accession_version,
            "accession_all": hit.all_accessions, "gi": hit.gi or "0", "gi_all": ";".join(gi or "0" for gi in hit.all_gis),
            "description": hit.description or "", "description_all": hit.all_descriptions, "blast_id": f"gnl|BL_ORD_ID|{hit.position}",
            "title": titles[0], "title_all": titles, "seq_len": hit.length, "query_id": hit.hits.query_name,
            "query_description": hit.hits.query_description or "",
            "tax_ids": [str(taxid) for taxid in hit.taxids] or ["0"], "sci_names": hit.scientific_names or ["N/A"],
            "com_names": hit.common_names or ["N/A"], "blast_names": hit.blast_names or ["N/A"],
            "super_kingdoms": hit.super_kingdoms or ["N/A"], "query_coverage": pytest.approx(hit.query_coverage, abs=1)}


def of_hsp(hsp, is_xml):
    hit = hsp.hit
    rounded = float(f"{hsp.bits:.1f}") if hsp.bits < 99.9 else int(hsp.bits)
    return {"evalue": pytest.approx(hsp.evalue, rel=1e-5) if is_xml else as_table_has(hsp.evalue),
            "bitscore": pytest.approx(hsp.bits, rel=1e-5) if is_xml else rounded, "bitscore_raw": hsp.raw_score, "ident_num": hsp.identities,
            "ident_pct": pytest.approx(hsp.identity_percent, abs=0.000501), "pos_num": hsp.positives, "pos_pct": pytest.approx(hsp.positive_percent, abs=0.00501),
            "mismatch_num": hsp.mismatches, "gap_num": hsp.gaps, "gapopen_num": hsp.gap_openings, "btop": hsp.btop,
            "query_coverage": pytest.approx(hsp.query_coverage, abs=1), "aln_span": hsp.length,
            "query": hsp.aligned_query, "hit": hsp.aligned_target, "aln_annotation": {"similarity": hsp.middle} if is_xml else {},
            "molecule_type": "protein",
            **place("query", hsp.query_from, hsp.query_to, id=hit.hits.query_name, description=hit.hits.query_description),
            **place("hit", hsp.target_from, hsp.target_to, id=hit.name, description=hit.description)}


def check_hits(queries, results, is_xml=False):
    """Compares the queries, hits and alignments that Biopython has read. Returns the attributes that were compared."""
    compared = [set(), set(), set(), set()]
    assert [(query.id, len(query)) for query in queries] == [(hits.query_name, len(hits)) for hits in results]
    assert sum(map(len, results)) > 20
    for query, hits in zip(queries, results):
        compared[0] |= check(query, of_query(hits, is_xml))
        for hit, ours in zip(query, hits):
            compared[1] |= check(hit, of_hit(ours, is_xml))
            assert len(hit) == len(ours.hsps)
            for hsp, our_hsp in zip(hit, ours.hsps):
                compared[2] |= check(hsp, of_hsp(our_hsp, is_xml))
                compared[3] |= check(hsp[0], of_hsp(our_hsp, is_xml))
    return compared


@pytest.mark.parametrize("engine", ["sw", "blastp"])
def test_standard_columns(session, queries, engine):
    search = getattr(session, engine)
    compared = check_hits(parsed(search(queries), "6", "blast-tab"), [hits for hits in search(queries) if len(hits)])
    assert {"ident_pct", "mismatch_num", "gapopen_num", "evalue", "bitscore", "aln_span", "query_start", "hit_end"} <= compared[2]


def test_columns_with_comments(taxa, queries):
    # Biopython knows coverages under other names than those that blastp writes.
    columns = " ".join(column for column in COLUMNS.split() if not column.startswith("qcov"))
    compared = check_hits(parsed(taxa.blastp(queries), "7 " + columns, "blast-tab", comments=True), list(taxa.blastp(queries)))
    assert {"program", "version", "target", "description", "seq_len", "gi"} <= compared[0]
    compared = check_hits(parsed(taxa.blastp(queries), "7", "blast-tab", comments=True), list(taxa.blastp(queries)))
    assert {"program", "version", "target", "description"} <= compared[0]


def test_all_columns(taxa, queries):
    read = parsed(taxa.blastp(queries), "6 " + COLUMNS, "blast-tab", fields=COLUMNS)
    compared = check_hits(read, [hits for hits in taxa.blastp(queries) if len(hits)])
    assert {"accession", "accession_version", "seq_len", "gi"} <= compared[0]
    assert {"tax_ids", "sci_names", "com_names", "title_all", "gi_all", "query_coverage", "accession_version"} <= compared[1]
    assert {"btop", "pos_pct", "bitscore_raw", "hit", "query", "query_coverage"} <= compared[2]


def test_xml(session, queries):
    read = parsed(session.blastp(queries), "5", "blast-xml")
    compared = check_hits(read, list(session.blastp(queries)), is_xml=True)
    assert {"param_filter", "param_matrix", "reference", "stat_hsp_len", "stat_entropy", "blast_id"} <= compared[0]
    assert {"description", "blast_id", "seq_len"} <= compared[1] and {"gap_num", "aln_annotation"} <= compared[2]


@pytest.fixture(scope="module")
def parsed_names(programs, proteins, tmp_path_factory):
    """A session with a BLAST database whose identifiers are parsed, and whose first sequence has two of them."""
    folder = tmp_path_factory.mktemp("parsed")
    first, *others = warpseq.Database(proteins)
    fasta = "".join(f">{record.name} {record.description}\n{record.sequence}\n" for record in others[:300])
    (folder / "names.fasta").write_text(f">sp|P12345.2|ONE_HUMAN one\x01sp|P12346|TWO_MOUSE two\n{first.sequence}\n{fasta}")
    subprocess.run([programs.folder / "dropin" / "makeblastdb", "-in", folder / "names.fasta", "-dbtype", "prot",
                    "-parse_seqids", "-out", folder / "names"], check=True, stdout=subprocess.DEVNULL)
    with warpseq.Session(folder / "names", device="cpu", threads=2) as session:
        yield session, first.sequence


@pytest.mark.parametrize("format, read", [("5", ["blast-xml"]), ("6 " + COLUMNS, ["blast-tab", COLUMNS])], ids=["xml", "columns"])
def test_parsed_names(parsed_names, format, read):
    session, sequence = parsed_names
    query = parsed(session.blastp([("query", sequence)]), format, read[0], **({"fields": read[1]} if read[1:] else {}))[0]
    hits = next(session.blastp([("query", sequence)]))
    assert query[0].id_all == hits[0].all_names == ["sp|P12345.2|ONE_HUMAN", "sp|P12346|TWO_MOUSE"]
    for hit, ours in zip(query, hits):
        expected = of_hit(ours, False)
        expected["title"], expected["title_all"] = ours.description, ours.all_descriptions
        if read[1:]:
            assert len(check(hit, expected)) >= 15
        else:
            expected["blast_id"] = ours.name
            assert check(hit, expected) >= {"accession", "blast_id", "id_all", "description_all"}
