"""Databases as collections of sequences agree with the programs' output, whatever they are made from."""
import io
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import pytest
import warpseq


def records_of(fasta):
    """The records of FASTA text with one line per sequence."""
    records = []
    for entry in fasta.decode().split(">")[1:]:
        header, _, sequence = entry.partition("\n")
        name, _, description = header.partition(" ")
        records.append(warpseq.Record(name, description, sequence.replace("\n", "")))
    return records


@pytest.fixture(scope="module")
def records(programs, database):
    """All records of the database, as `inspect fasta` writes them."""
    return records_of(programs.run("inspect", "fasta", database, "--width", 0))


@pytest.fixture(scope="module")
def updated_set(programs, proteins, tmp_path_factory):
    """A set of two volumes from which three sequences were removed."""
    folder = tmp_path_factory.mktemp("set")
    entries = proteins.read_text().split(">")[1:]
    (folder / "a.fasta").write_text("".join(">" + each for each in entries[:900]))
    (folder / "b.fasta").write_text("".join(">" + each for each in entries[900:1500]))
    removed = [entries[number].split()[0] for number in (0, 400, 1499)]
    (folder / "removed").write_text("\n".join(removed))
    for command in (["--append", "all.wsdbs", "a.fasta"], ["--append", "all.wsdbs", "b.fasta"],
                    ["all.wsdbs", "--remove", "removed"]):
        programs.run("dbconv", *command, cwd=folder)
    return folder / "all.wsdbs", removed


def test_iteration_is_in_input_order(database, records):
    db = warpseq.Database(database)
    assert len(db) == len(records) == 2000
    assert db.residues == sum(map(len, records))
    assert list(db) == records
    assert len({len(record) for record in records[:10]}) > 1


def test_sources_hold_the_same(programs, database, proteins, records, tmp_path):
    programs.run("dbconv", database, "-o", tmp_path / "z.wsdb", "--codec", "zstd")
    for source in (proteins, tmp_path / "z.wsdb", [(r.name, r.sequence) for r in records]):
        db = warpseq.Database(source)
        assert [(r.name, r.sequence) for r in db] == [(r.name, r.sequence) for r in records]
        assert db[records[77].name].sequence == records[77].sequence


def test_look_up_by_identifier_and_accession(programs, tmp_path):
    (tmp_path / "h.fasta").write_text(">sp|P68871|HBB_HUMAN Hemoglobin beta\nMVHLTPEEKSAVTALWGKVNVDEVGG\n"
                                      ">sp|P69905|HBA_HUMAN\nMVLSPADKTNVKAAWGKVGAHAGEYG\n>P69905 a copy\nACDEFGHIKL\n")
    db = warpseq.Database(tmp_path / "h.fasta")
    for name in ("P68871", "HBB_HUMAN", "sp|P68871|HBB_HUMAN"):
        assert name in db
        assert db[name].description == "Hemoglobin beta"
    assert db["P69905"].sequence == "ACDEFGHIKL"  # a whole identifier comes before an accession
    assert db.get("P12345") is None and db.get("P12345", 7) == 7
    assert 5 not in db
    programs.run("dbconv", tmp_path / "h.fasta", "-o", tmp_path / "h.wsdb")
    fetched = programs.run("inspect", "fetch", tmp_path / "h.wsdb", "P68871:10-20")
    assert records_of(fetched) == [warpseq.Record("sp|P68871|HBB_HUMAN:10-20", "Hemoglobin beta",
                                                  db["P68871"][9:20].sequence)]
    assert db["P68871"][9:20].name == "sp|P68871|HBB_HUMAN:10-20"
    assert db["P68871"][-3:].sequence == "VGG" and db["P68871"][0] == "M" and db["P68871"][::-1].sequence[:3] == "GGV"
    with pytest.raises(KeyError) as missing:
        warpseq.Database(tmp_path / "h.wsdb")["P1"]
    assert missing.value.args[0] in programs.refused("inspect", "fetch", tmp_path / "h.wsdb", "P1")


def test_sets_leave_out_what_was_removed(programs, updated_set):
    file, removed = updated_set
    expected = records_of(programs.run("inspect", "fasta", file, "--width", 0))
    db = warpseq.Database(file)
    assert list(db) == expected and len(db) == 1497
    for name in removed:
        assert name not in db
    assert db[expected[-1].name] == expected[-1]
    assert db.residues == sum(map(len, expected))


def test_duplicated_names_and_odd_records(shared):
    db = warpseq.Database(shared / "data/edge/dup.fa")
    names = [record.name for record in db]
    twice = next(name for name in names if names.count(name) > 1)
    assert db.find(twice) == [record for record in db if record.name == twice]
    assert db[twice] == db.find(twice)[0]
    empty = warpseq.Database([("with blanks in it", "ACD"), ("none", "")])
    assert [(r.name, r.description, r.sequence) for r in empty] == [("with", "blanks in it", "ACD"), ("none", "", "")]


def test_names_that_are_not_utf8(tmp_path):
    (tmp_path / "latin.fasta").write_bytes(b">caf\xe9 na\xefve\nACDEFGHIKL\n>b\xff\nLKIHGFEDCA\n")
    db = warpseq.Database(tmp_path / "latin.fasta")
    first, second = db
    assert first.name.encode(errors="surrogateescape") == b"caf\xe9"
    assert db[first.name] == first and db[second.name].sequence == "LKIHGFEDCA"
    assert list(warpseq.Database([first, second])) == [first, second]


def test_errors_are_the_programs(shared, tmp_path):
    with pytest.raises(warpseq.InvalidInputError, match="empty.fa"):
        warpseq.Database(shared / "data/edge/empty.fa")
    with pytest.raises(warpseq.FileError, match="nowhere"):
        warpseq.Database(tmp_path / "nowhere")
    with pytest.raises(TypeError):
        warpseq.Database([tmp_path / "a", "ACDEF"])
    with pytest.raises(TypeError, match="memory"):
        warpseq.inspect(warpseq.Database(["ACDEF"]))
    with pytest.raises(warpseq.InvalidInputError, match="^sequences"):
        warpseq.Database([("a", "AC1EF")])


def test_a_database_that_changed_is_an_error(database, records, tmp_path):
    file = tmp_path / "copy.wsdb"
    content = database.read_bytes()
    file.write_bytes(content)
    db = warpseq.Database(file)
    assert db[records[5].name] == records[5]
    with open(file, "r+b") as out:
        out.seek(8192)
        out.write(bytes(len(content) - 8192))
    with pytest.raises((warpseq.FileError, warpseq.InvalidInputError), match="copy.wsdb"):
        list(db)
    replaced = tmp_path / "replaced.wsdb"
    replaced.write_bytes(content)
    db = warpseq.Database(replaced)
    replaced.unlink()
    assert list(db) == records  # the file that was opened is still there


def test_threads_share_a_database(database, records):
    db = warpseq.Database(database)
    failures = []

    def look_up(first):
        try:
            for record in records[first::40]:
                assert db[record.name] == record
            assert sum(map(len, db)) == db.residues
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=look_up, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_pickling_opens_the_files_again(database, records):
    db = pickle.loads(pickle.dumps(warpseq.Database(database)))
    assert db[records[3].name] == records[3]
    with pytest.raises(TypeError, match="memory"):
        pickle.dumps(warpseq.Database(["ACDEF"]))


def test_sessions_take_databases(database, records, tmp_path):
    query = [(records[8].name, records[8].sequence)]
    reports = {}
    for source in (database, [(r.name + " " + r.description, r.sequence) for r in records]):
        db = warpseq.Database(source)
        with warpseq.Session(db, device="cpu") as session:
            for format in ("0", "7"):
                session.phmmer(query).write(tmp_path / "report", format=format)
                reports[format, db.names[0]] = (tmp_path / "report").read_text()
    for format in ("0", "7"):
        assert records[8].name in reports[format, "sequences"]
        assert "/proc/" not in reports[format, "sequences"]
        of_file = reports[format, str(database)].replace(str(database), "sequences").replace(database.name, "sequences")
        assert lines_of(of_file) == lines_of(reports[format, "sequences"])


def lines_of(text):
    """The lines of a report without blanks at their ends: names in memory have none there."""
    return [line.rstrip() for line in text.splitlines()]


def test_a_session_uses_what_a_database_was_converted_to(programs, proteins, database, queries, tmp_path, records):
    fasta = tmp_path / "p.fasta"
    fasta.write_bytes(proteins.read_bytes())
    with warpseq.Session(fasta, device="cpu", threads=1) as session:
        expected = [session_report(session, engine, queries) for engine in ("phmmer", "sw", "blastp")]
    db = warpseq.Database(fasta)
    fasta.write_text(">other\nMKV\n")  # a second conversion would find this
    with warpseq.Session(db, device="cpu", threads=1) as session, warpseq.Session(db, device="cpu", threads=1) as second:
        del db  # the sessions do not depend on it
        for each in (session, second):
            assert [session_report(each, engine, queries) for engine in ("phmmer", "sw", "blastp")] == expected


def test_a_stream_is_converted_once(proteins, queries, tmp_path):
    fifo = tmp_path / "stream"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(proteins.read_bytes()))
    writer.start()
    db = warpseq.Database(fifo)
    writer.join()
    with warpseq.Session(db, device="cpu", threads=1) as session:  # a second conversion would wait for a writer
        assert sum(len(hits) for hits in session.sw(queries)) > 10
    assert len(db) == 2000


def test_a_session_knows_the_blast_database_that_was_converted(programs, proteins, queries, tmp_path):
    programs.run("makeblastdb", "-in", proteins, "-dbtype", "prot", "-parse_seqids", "-title", "a title", "-out", tmp_path / "b")
    (tmp_path / "b.wsdb").unlink()  # a copy, which would be read in place of a conversion
    with warpseq.Session(tmp_path / "b", device="cpu", threads=1) as session:
        expected = [session_report(session, "blastp", queries, format) for format in ("0", "5")]
    db = warpseq.Database(tmp_path / "b")
    for file in tmp_path.glob("b.*"):
        file.write_text("")
    with warpseq.Session(db, device="cpu", threads=1) as session:
        assert [session_report(session, "blastp", queries, format) for format in ("0", "5")] == expected
    assert b"a title" in expected[0]


def test_converted_databases_leave_no_descriptor_open(proteins):
    def count():
        return len(os.listdir("/proc/self/fd"))

    before = count()
    db = warpseq.Database(proteins)
    warpseq.Session(db, device="cpu", threads=1).close()
    del db
    assert count() == before


def test_a_session_keeps_no_descriptor_of_what_it_has_converted(database, proteins):
    def opened_by(make):
        before = len(os.listdir("/proc/self/fd"))
        with make():
            return len(os.listdir("/proc/self/fd")) - before

    db = warpseq.Database(proteins)
    mapped = opened_by(lambda: warpseq.Session(database, device="cpu", threads=1))
    assert opened_by(lambda: warpseq.Session(proteins, device="cpu", threads=1)) == mapped
    assert opened_by(lambda: warpseq.Session(db, device="cpu", threads=1)) == mapped


WITHOUT_STREAMS = """
import os, sys
import warpseq
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.dup2(out, 50)
os.close(out)
records = [(f"s{number}", "MKTAYIAKQRQISFVKSHFSRQ" * (number + 1)) for number in range(20)]
files = [warpseq.Database(records)]
files.append(warpseq.Session(files[0], device="cpu", threads=1))
for stream in range(3):
    try:
        os.write(stream, b"a message of another library" * 100)
    except OSError:
        pass
assert [record.sequence for record in files[0]] == [sequence for _, sequence in records]
assert next(files[1].phmmer([records[3]]))
os.write(50, b"done")
"""


def test_closed_standard_streams_do_not_become_files_of_the_package(tmp_path):
    """Other code goes on writing to the numbers of the streams."""
    (tmp_path / "script.py").write_text(WITHOUT_STREAMS)
    subprocess.run(["sh", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "sh", sys.executable, tmp_path / "script.py", tmp_path / "out"])
    assert (tmp_path / "out").read_bytes() == b"done"


def test_messages_call_sequences_in_memory_by_their_name():
    with pytest.warns(warpseq.WarpseqWarning) as warned:
        warpseq.Database([("a", "ACGTACGTAAACCCGGGT" * 10)])
    assert [str(each.message)[:11] for each in warned] == ["sequences: "]
    db = warpseq.Database([("a", "MKTAYIAKQRQISFVKSHFSRQ" * 10)])
    for file in pathlib.Path("/proc/self/fd").iterdir():  # damages the database that was made of the sequences
        if file.is_symlink() and os.readlink(file).startswith("/memfd:warpseq"):
            with open(file, "r+b") as damaged:
                content = damaged.read()
                damaged.seek(0)
                damaged.write(content[:4096] + bytes(byte ^ 1 for byte in content[4096:]))
    for use in [lambda: list(db), lambda: db["a"], lambda: "a" in db,
                lambda: next(warpseq.Session(db, device="cpu", threads=1).sw(["MKTAYIAKQRQISFVKSHFSRQ" * 10]))]:
        with pytest.raises((warpseq.InvalidInputError, warpseq.FileError)) as refused:
            use()
        assert "sequences: " in str(refused.value) and "/proc/" not in str(refused.value)


def session_report(session, engine, queries, format="0"):
    out = io.BytesIO()
    getattr(session, engine)(queries).write(out, format=format)
    return out.getvalue()
