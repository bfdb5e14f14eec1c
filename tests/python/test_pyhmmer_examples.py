"""The tasks of pyhmmer's documented examples, done with both packages, give the same tables.

Each test has the task twice, as a user of each package writes it.
"""
import importlib.resources
import io
import math
import pathlib
import re
import sys

import pytest
import warpseq

pyhmmer = pytest.importorskip("pyhmmer", reason="skipped: pyhmmer is not installed")
from pyhmmer import easel, plan7  # noqa: E402

TUTORIAL = pathlib.Path("/usr/share/doc/hmmer/examples/tutorial")  # Debian's hmmer-examples
AMINO = easel.Alphabet.amino()


def same(theirs, ours):
    """Checks that two tables are equal: texts and whole numbers exactly, others to six digits."""
    assert len(ours) == len(theirs) > 0
    for their_row, our_row in zip(theirs, ours):
        assert [pytest.approx(value, rel=1e-6) if isinstance(value, float) else value for value in their_row] == list(our_row)


def block_of(file):
    with easel.SequenceFile(file, digital=True, alphabet=AMINO) as sequences:
        return sequences.read_block()


def hmms_of(file):
    with plan7.HMMFile(file) as read:
        return list(read)


def rows_of(table):
    """Returns the rows of a table of HMMER as lists of words."""
    return [line.split() for line in table.getvalue().decode().splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def tutorial():
    if not TUTORIAL.is_dir():
        pytest.skip(f"skipped: no {TUTORIAL} (Debian's hmmer-examples)")
    return TUTORIAL


@pytest.fixture(scope="module")
def globins(tutorial):
    """45 globins: for pyhmmer, and in a session."""
    with warpseq.Session(tutorial / "globins45.fa", device="cpu", threads=2) as session:
        yield block_of(tutorial / "globins45.fa"), session


@pytest.fixture(scope="module")
def two_thousand(proteins, database):
    """2,000 proteins: for pyhmmer, and in a session."""
    with warpseq.Session(database, device="cpu", threads=2) as session:
        yield block_of(proteins), session


def without_origin(profile):
    """Returns the text of a profile without the lines about the program that made it."""
    return re.sub(rb"(?m)^(HMMER3/f|DATE|COM) .*\n", b"", profile)


def test_a_profile_of_an_alignment(tutorial, globins, tmp_path):
    """An alignment becomes a profile, which is saved and searched with. The domains go to a table."""
    sequences, session = globins
    with easel.MSAFile(tutorial / "globins4.sto", digital=True, alphabet=AMINO) as file:
        msa = file.read()
    msa.name = "globins4"
    background = plan7.Background(AMINO)
    hmm, _, _ = plan7.Builder(AMINO).build_msa(msa, background)
    with open(tmp_path / "theirs.hmm", "wb") as file:
        hmm.write(file)
    found = plan7.Pipeline(AMINO, background=background).search_hmm(hmms_of(tmp_path / "theirs.hmm")[0], sequences)
    table = io.BytesIO()
    found.write(table, format="domains")

    profile = warpseq.hmmbuild(tutorial / "globins4.sto")
    profile.write(tmp_path / "ours.hmm")
    hits = next(session.hmmsearch(profile))
    hits.write(tmp_path / "ours.domtbl", format="domtblout")

    assert (profile.name, profile.consensus, profile.sequences) == ("globins4", hmm.consensus, hmm.nseq)
    assert profile.effective_sequences == pytest.approx(hmm.nseq_effective, rel=1e-6)
    assert without_origin((tmp_path / "ours.hmm").read_bytes()) == without_origin((tmp_path / "theirs.hmm").read_bytes())
    theirs, ours = rows_of(table), rows_of(io.BytesIO((tmp_path / "ours.domtbl").read_bytes()))
    assert ours == theirs and len(ours) == 45
    for hit, our_hit in zip(found, hits):
        alignment, our_alignment = hit.domains[0].alignment, our_hit.domains[0].alignment
        for line in ("hmm_sequence", "identity_sequence", "target_sequence", "posterior_probabilities"):
            assert getattr(our_alignment, line) == getattr(alignment, line) in str(alignment)
        assert our_alignment.target_sequence[:60] in str(our_alignment)


def test_an_alignment_in_memory():
    """Rows that a program has made become a profile. It needs a name."""
    rows = [("a", "MKLV-WACDEFGHIK"), ("b", "MRLVPWSCDEYGHIR"), ("c", "MKIV-WACEEFGHLK")]
    msa = easel.TextMSA(name="small", sequences=[easel.TextSequence(name=name, sequence=row) for name, row in rows])
    hmm, _, _ = plan7.Builder(AMINO).build_msa(msa.digitize(AMINO), plan7.Background(AMINO))
    profile = warpseq.hmmbuild(rows, "small")
    theirs = io.BytesIO()
    hmm.write(theirs)
    assert without_origin(bytes(profile)) == without_origin(theirs.getvalue())
    msa.name = None
    with pytest.raises(ValueError, match="name"):
        plan7.Builder(AMINO).build_msa(msa.digitize(AMINO), plan7.Background(AMINO))
    with pytest.raises(ValueError, match="name"):
        warpseq.hmmbuild(rows)


@pytest.mark.parametrize("bits", [60, 100, 150])
def test_a_search_in_rounds(tutorial, globins, tmp_path, bits):
    """A search goes on until it converges. The last profile is saved with cutoffs that its hits suggest."""
    sequences, session = globins
    query = block_of(tutorial / "HBB_HUMAN")[0]
    search = plan7.Pipeline(AMINO, incT=bits, incdomT=bits).iterate_seq(query, sequences)
    rounds = []
    while not search.converged:
        rounds.append(next(search))
    last = rounds[-1].hits
    hmm = rounds[-1].hmm.copy()
    hmm.cutoffs.trusted = [math.floor(min(hit.score for hit in last if hit.included))] * 2
    hmm.cutoffs.noise = [math.ceil(max((hit.score for hit in last if not hit.included), default=0))] * 2
    hmm.name, hmm.description = "globins", None
    with open(tmp_path / "theirs.hmm", "wb") as file:
        hmm.write(file)

    hits = next(session.jackhmmer(tutorial / "HBB_HUMAN", incT=bits, incdomT=bits, N=20))
    profile = hits.profile.replace(
        name="globins", description="", trusted=[math.floor(min(hit.score for hit in hits if hit.included))] * 2,
        noise=[math.ceil(max((hit.score for hit in hits if not hit.included), default=0))] * 2)
    profile.write(tmp_path / "ours.hmm")

    assert hits.converged and len(rounds) > 2
    same([(each.iteration, len(each.hits), len(each.hits.included), each.converged, each.hmm.name, len(each.msa.sequences))
          for each in rounds],
         [(each.round, len(each), len(each.included), each.converged, each.profile.name, len(each.to_msa()))
          for each in hits.rounds])
    for each, ours in zip(rounds, hits.rounds):
        same([(hit.name, hit.score, hit.evalue, hit.included, hit.new) for hit in each.hits],
             [(hit.name, hit.score, hit.evalue, hit.included, hit.new) for hit in ours])
        assert [(name, row) for name, row in ours.to_msa().rows] == \
            list(zip(each.msa.names, each.msa.textize().alignment))
    assert without_origin((tmp_path / "ours.hmm").read_bytes()) == without_origin((tmp_path / "theirs.hmm").read_bytes())
    theirs = next(pyhmmer.hmmsearch(hmms_of(tmp_path / "theirs.hmm"), sequences, bit_cutoffs="trusted"))
    same([(hit.name, hit.score) for hit in theirs if hit.reported],
         [(hit.name, hit.score) for hit in next(session.hmmsearch(tmp_path / "ours.hmm", cut_tc=True))])


def test_choosing_hits_between_rounds(tutorial, globins):
    """A program decides which hits of a round the next profile is built from: here those of fish are left out."""
    sequences, session = globins
    query = block_of(tutorial / "HBB_HUMAN")[0]

    def is_chosen(name):
        return not name.endswith(("CARAU", "CYPCA", "ONCMY", "LATCH", "HETPO", "SALIR", "THUTH", "CHATR"))

    def printed(hit, included):
        """Returns a row of the example's table. A built profile is searched with as a file holds it, with five decimals."""
        return hit.name, f"{hit.score:5.1f}", included

    def choose(hits):
        for hit in hits:
            if hit.included and not is_chosen(hit.name):
                hit.dropped = True

    search = plan7.Pipeline(AMINO, incT=100, incdomT=100).iterate_seq(query, sequences, select_hits=choose)
    rounds = []
    while not search.converged:
        result = next(search)
        rounds.append([printed(hit, hit.included) for hit in result.hits])

    # The same by hand. Profiles have a node for each residue of the query, which is the first row.
    letters = next(iter(warpseq.Database(tutorial / "HBB_HUMAN"))).sequence
    hits = next(session.jackhmmer(tutorial / "HBB_HUMAN", incT=100, incdomT=100, N=1))
    ours, chosen = [], set()
    while True:
        ours.append([printed(hit, hit.included and is_chosen(hit.name)) for hit in hits])
        before, chosen = chosen, {hit.name for hit in hits.included if is_chosen(hit.name)}
        if chosen <= before:
            break
        msa = hits.to_msa()
        nodes = iter(letters)
        first = "".join(next(nodes) if mark == "x" else "-" for mark in msa.annotation["RF"])
        members = [(name, row.upper().replace(".", "-")) for name, row in msa.rows
                   if "/" in name and is_chosen(name.partition("/")[0])]
        rows = "".join(f"{name} {row}\n" for name, row in [("HBB_HUMAN", first), *members])
        profile = warpseq.hmmbuild(f"# STOCKHOLM 1.0\n{rows}#=GC RF {msa.annotation['RF']}\n//\n", "chosen", hand=True)
        hits = next(session.hmmsearch(profile, incT=100, incdomT=100))
    assert len(ours) == len(rounds) > 2
    assert any(float(score) > 100 and not included for _, score, included in ours[-1])
    for theirs, mine in zip(rounds, ours):
        same(theirs, mine)


def cutoffs_of(names):
    """Returns made-up cutoffs, as a table beside the profiles would have them."""
    return {name: 20.0 + 7.25 * (number % 9) for number, name in enumerate(sorted(names))}


def test_the_best_family_of_each_protein(two_thousand, profiles):
    """Profiles get the cutoffs of a table. Each protein gets the family with the highest score, unless two are equal."""
    sequences, session = two_thousand
    hmms = hmms_of(profiles)
    cutoffs = cutoffs_of(hmm.name for hmm in hmms)
    for hmm in hmms:
        hmm.cutoffs.trusted = cutoffs[hmm.name], cutoffs[hmm.name]
    theirs = [(hit.name, hits.query.name, hit.score) for hits in pyhmmer.hmmsearch(hmms, sequences, bit_cutoffs="trusted", cpus=2)
              for hit in hits if hit.included]

    ours = [profile.replace(trusted=(cutoffs[profile.name],) * 2) for profile in warpseq.read_profiles(profiles)]
    ours = [(hit.name, hits.query_name, hit.score) for hits in session.hmmsearch(ours, cut_tc=True) for hit in hits.included]

    def best(results):
        families = {}
        for protein, family, score in results:
            families.setdefault(protein, []).append((score, family))
        for scored in families.values():
            scored.sort(reverse=True)
        return sorted((protein, *scored[0]) for protein, scored in families.items()
                      if len(scored) == 1 or scored[0][0] > scored[1][0])

    same(theirs, ours)
    same(best(theirs), best(ours))
    assert len(best(ours)) > 50


@pytest.mark.parametrize("format", [[], ["--hmmer2"]], ids=["hmmer3", "hmmer2"])
def test_residues_of_an_active_site(tutorial, two_thousand, programs, tmp_path, format):
    """Kinases are active if the alignment has the right residues at some nodes of the profile."""
    sequences, session = two_thousand
    programs.run("search", "hmmconvert", "-d", tutorial / "Pkinase.hmm", "-o", tmp_path / "kinase.hmm", *format)
    hmm = hmms_of(tmp_path / "kinase.hmm")[0]
    first = hmm.consensus.lower().index("hrdlk") + 1
    nodes = {node: letter for node, letter in zip(range(first, first + 3), "HRD")}
    metal = {node: letter for node, letter in zip(range(hmm.consensus.lower().index("dfg") + 1, hmm.M), "DFG")}

    def residues(alignment):
        """The target's residue at each node, with '-' in deletes."""
        node = alignment.hmm_from
        found = {}
        for letter, residue in zip(alignment.hmm_sequence, alignment.target_sequence):
            if letter != ".":
                found[node] = residue
                node += 1
        return found

    def table(hits):
        for hit in hits:
            for domain in hit.domains:
                at = residues(domain.alignment)
                sites = ["".join(at.get(node, "?") for node in site) for site in (nodes, metal)]
                verdict = "too short" if "?" in sites[0] + sites[1] else "active" if sites == ["HRD", "DFG"] else "other"
                yield hit.name, hit.score, domain.alignment.target_from, domain.alignment.target_to, *sites, verdict

    theirs = list(table(plan7.Pipeline(AMINO).search_hmm(hmm, sequences)))
    ours = list(table(next(session.hmmsearch(tmp_path / "kinase.hmm"))))
    same(theirs, ours)
    assert {verdict for *_, verdict in ours} == {"active", "other", "too short"}


def test_search_and_scan(proteins, profiles, tmp_path):
    """A search that counts the profiles as the targets gives what a scan with pressed profiles gives, grouped by sequence."""
    hmms = hmms_of(profiles)
    pyhmmer.hmmpress(hmms, tmp_path / "theirs")
    some = easel.DigitalSequenceBlock(AMINO, block_of(proteins)[:150])
    with plan7.HMMFile(tmp_path / "theirs") as file:
        scanned = sorted((hits.query.name, hit.name, hit.score, hit.evalue)
                         for hits in pyhmmer.hmmscan(some, file.optimized_profiles(), cpus=2) for hit in hits)

    pressed = tmp_path / "ours"
    pressed.write_bytes(profiles.read_bytes())
    assert warpseq.hmmpress(pressed) == len(hmms) == 30
    chosen = list(warpseq.Database(proteins))[:150]
    with warpseq.Session(device="cpu") as session:
        by_scan = {hits.query_name: [(hit.name, hit.score, hit.evalue) for hit in hits]
                   for hits in session.hmmscan(chosen, pressed)}
    same(scanned, sorted((name, *row) for name, rows in by_scan.items() for row in rows))

    by_search = {record.name: [] for record in chosen}
    with warpseq.Session(warpseq.Database(chosen), device="cpu") as session:
        for hits in session.hmmsearch(profiles, Z=30):
            for hit in hits:
                by_search[hit.name].append((hits.query_name, hit.score, hit.evalue))
    same(scanned, sorted((name, *row) for name, rows in by_search.items() for row in rows))


def test_several_files_of_profiles(tutorial, two_thousand):
    """Files of profiles are searched with one after the other. Only one of them is open at a time."""
    sequences, session = two_thousand
    files = [tutorial / "fn3.hmm", tutorial / "Pkinase.hmm", tutorial / "globins4.hmm"]
    theirs = list(pyhmmer.hmmsearch((hmm for file in files for hmm in hmms_of(file)), sequences, cpus=2))
    ours = list(session.hmmsearch(files))
    same([(hits.query.name, len(hits.reported), sum(len(hit.domains.included) for hit in hits)) for hits in theirs],
         [(hits.query_name, len(hits), sum(len(hit.included_domains) for hit in hits)) for hits in ours])


def test_profiles_inside_a_package(tutorial, tmp_path, monkeypatch, two_thousand):
    """A package that holds a profile says which sequences of a list have its domain."""
    package = tmp_path / "kinase_finder"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kinase.hmm").write_bytes((tutorial / "Pkinase.hmm").read_bytes())
    monkeypatch.syspath_prepend(tmp_path)
    sequences = [sequence.textize().sequence for sequence in two_thousand[0]][::7]
    resource = importlib.resources.files("kinase_finder") / "kinase.hmm"

    def theirs(sequences):
        block = easel.DigitalSequenceBlock(AMINO, [easel.TextSequence(name=str(number), sequence=sequence).digitize(AMINO)
                                                   for number, sequence in enumerate(sequences)])
        with resource.open("rb") as source, plan7.HMMFile(source) as hmms:
            return {int(hit.name) for hits in pyhmmer.hmmsearch(hmms, block, E=1e-5, cpus=1) for hit in hits.included}

    def ours(sequences):
        database = warpseq.Database((str(number), sequence) for number, sequence in enumerate(sequences))
        with resource.open("rb") as source, warpseq.Session(database, device="cpu") as session:
            return {int(hit.name) for hits in session.hmmsearch(warpseq.read_profiles(source), E=1e-5) for hit in hits.included}

    assert ours(sequences) == theirs(sequences) and len(ours(sequences)) > 3
    sys.modules.pop("kinase_finder", None)


def test_filters_by_evalue_and_coverage(two_thousand, profiles):
    """Domains with a low E-value that cover most of the profile, in a table of pandas."""
    pandas = pytest.importorskip("pandas", reason="skipped: pandas is not installed")
    sequences, session = two_thousand
    theirs = [(hits.query.name, hit.name, domain.i_evalue, (domain.alignment.hmm_to - domain.alignment.hmm_from + 1) / hits.query.M)
              for hits in pyhmmer.hmmsearch(hmms_of(profiles), sequences, cpus=2) for hit in hits.reported
              for domain in hit.domains.reported]
    theirs = [row for row in theirs if row[2] < 1e-5 and row[3] >= 0.8]

    frame = pandas.concat([hits.to_pandas() for hits in session.hmmsearch(profiles)], ignore_index=True)
    frame["coverage"] = (frame.hmm_to - frame.hmm_from + 1) / frame.query_length
    kept = frame[(frame.i_evalue < 1e-5) & (frame.coverage >= 0.8)]
    same(theirs, list(kept[["query_name", "target_name", "i_evalue", "coverage"]].itertuples(index=False)))
    assert len(kept) < len(frame)


def test_members_of_a_family_are_aligned(tutorial, globins):
    """Sequences that were found are aligned to the profile as a whole, and their domains as the search found them."""
    sequences, session = globins
    hmm = hmms_of(tutorial / "globins4.hmm")[0]
    found = plan7.Pipeline(AMINO).search_hmm(hmm, sequences)
    hits = next(session.hmmsearch(tutorial / "globins4.hmm"))
    msa, ours = found.to_msa(AMINO), hits.to_msa()
    same(list(zip(msa.names, msa.alignment)), ours.rows)
    names = {hit.name for hit in hits[:10]}
    whole = pyhmmer.hmmalign(hmm, easel.DigitalSequenceBlock(AMINO, [each for each in sequences if each.name in names]), trim=True)
    ours = warpseq.hmmalign(tutorial / "globins4.hmm",
                            [each for each in warpseq.Database(tutorial / "globins45.fa") if each.name in names], trim=True)
    same(list(zip(whole.names, whole.alignment)), ours.rows)
