"""Conversions from Python give dbconv's bytes, and end cleanly."""
import gzip
import os
import signal
import subprocess
import sys
import time

import pytest
import warpseq


def test_bytes_are_dbconvs(programs, proteins, tmp_path):
    os.link(proteins, tmp_path / "in.fasta")
    for number, (options, arguments) in enumerate([
            ({}, []),
            ({"codec": "zstd", "title": "a title", "max_length": 300}, ["--codec", "zstd", "--title", "a title", "--max-length", 300]),
            ({"unique": True, "memory": "512M"}, ["--unique", "--memory", "512M"])]):
        programs.run("dbconv", "in.fasta", "-o", f"program{number}.wsdb", *arguments, cwd=tmp_path)
        done = warpseq.convert(tmp_path / "in.fasta", tmp_path / f"python{number}.wsdb", **options)
        made = (tmp_path / f"python{number}.wsdb").read_bytes()
        assert made == (tmp_path / f"program{number}.wsdb").read_bytes()
        assert done.files == (str(tmp_path / f"python{number}.wsdb"),)
        db = warpseq.Database(done.files[0])
        assert (done.sequences, done.residues, done.file_bytes) == (len(db), db.residues, len(made))
        assert done.longest_residues == max(map(len, db))


def test_parts_and_sets(proteins, tmp_path):
    parts = warpseq.convert([proteins], tmp_path / "p.wsdb", parts=2)
    assert [os.path.basename(file) for file in parts.files] == ["p.part1of2.wsdb", "p.part2of2.wsdb"]
    assert parts.sequences == 2000 and len(parts.content_digests) == 2
    first = warpseq.convert([proteins], append=tmp_path / "s.wsdbs")
    assert first.sequences == first.converted_sequences == 2000
    with pytest.warns(warpseq.WarpseqWarning, match="an identifier that the set had before"):
        second = warpseq.convert([parts.files[0]], append=tmp_path / "s.wsdbs")
    assert second.sequences == 2000 + second.converted_sequences == len(warpseq.Database(tmp_path / "s.wsdbs"))


def test_errors_and_warnings_are_dbconvs(shared, proteins, tmp_path):
    edge = shared / "data/edge"
    with pytest.raises(warpseq.InvalidInputError, match="empty"):
        warpseq.convert(edge / "empty.fa", tmp_path / "o.wsdb")
    with pytest.raises(warpseq.OptionError, match="no option 'nonsense'"):
        warpseq.convert(proteins, tmp_path / "o.wsdb", nonsense=1)
    with pytest.raises(warpseq.OptionError, match="no output"):
        warpseq.convert(proteins)
    with pytest.raises(warpseq.OptionError):
        warpseq.convert(proteins, proteins, force=True)
    with pytest.warns(warpseq.WarpseqWarning, match="an identifier that an earlier one has"):
        warpseq.convert(edge / "dup.fa", tmp_path / "dup.wsdb")
    with pytest.warns(warpseq.WarpseqWarning, match="left out"):
        done = warpseq.convert([edge / "digits.fa", proteins], tmp_path / "d.wsdb", skip_invalid=True)
    assert done.skipped_invalid > 0
    with pytest.raises(warpseq.FileError, match="exists"):
        warpseq.convert(proteins, tmp_path / "dup.wsdb")
    assert not (tmp_path / "o.wsdb").exists()


@pytest.fixture(scope="module")
def many(proteins, tmp_path_factory):
    """A gzip file of 80,000 proteins, whose conversion takes some tenths of a second."""
    file = tmp_path_factory.mktemp("many") / "many.fasta.gz"
    with gzip.open(file, "wb", 1) as out:
        for _ in range(40):
            out.write(proteins.read_bytes())
    return file


def test_progress_is_told_and_can_stop(many, tmp_path):
    calls, times = [], []

    def progress(label, done, total):
        calls.append((label, done, total))
        times.append(time.monotonic())

    with pytest.warns(warpseq.WarpseqWarning, match="78,000 sequences"):
        warpseq.convert(many, tmp_path / "a.wsdb", threads=1, progress=progress)
    assert calls and all(done <= total for _, done, total in calls)
    assert {label for label, _, _ in calls} <= {"reading", "writing"}
    assert all(later - earlier > 0.09 for earlier, later in zip(times, times[1:-1]))

    def refuse(label, done, total):
        raise ZeroDivisionError(label)

    with pytest.raises(ZeroDivisionError):
        warpseq.convert(many, tmp_path / "b.wsdb", threads=1, progress=refuse)
    assert os.listdir(tmp_path) == ["a.wsdb"]


def test_interrupt_leaves_no_output(many, tmp_path):
    script = (f"import sys, warpseq\n"
              f"warpseq.convert(sys.argv[1], sys.argv[2], threads=1, unique=True,\n"
              f"                progress=lambda *_: print('working', flush=True))\n")
    running = subprocess.Popen([sys.executable, "-c", script, many, tmp_path / "c.wsdb"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "working\n"
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert os.listdir(tmp_path) == []
