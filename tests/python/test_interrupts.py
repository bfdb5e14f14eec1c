"""Ctrl-C ends searches and alignments on the CPU within a tenth of a second, and every wait for a pipe."""
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

# Work that takes far longer than the test, by its name.
WORK = {
    "phmmer": "next(session.phmmer([long], max=True))",
    "jackhmmer": "next(session.jackhmmer([long], max=True))",
    "hmmsearch": "list(session.hmmsearch([profiles] * 1000, max=True))",
    "hmmscan": "list(session.hmmscan([long] * 1000, profiles, max=True))",
    "hmmscan of many profiles": "while True: list(session.hmmscan([long[:100]], many_profiles))",
    "reading of many profiles": "while True: list(warpseq.read_profiles(many_profiles))",
    "reading of many names": "while True: warpseq.Session(database, device='cpu', seqidlist=many_names).close()",
    "sw": "next(session.sw([('long', residues[:200000])]))",
    "blastp": "next(session.blastp([('long', residues[:200000])]))",
    "scores": "warpseq.scores([residues[:20000]] * 100, session)",
    "weights of a tree": "while True: warpseq.hmmbuild(rows, name='x', wgsc=True)",
    "align": "warpseq.align(residues[:300000], residues[::-1][:300000], threads=1, device='cpu', protein=True)",
}
# The processor time before the signal, which has to come while the profiles or names are read, or
# while rows are joined to a tree.
SECONDS = {"hmmscan of many profiles": 0.2, "reading of many names": 0.3, "weights of a tree": 0.7}
INTERRUPTED = """
import pathlib, sys, time, warpseq
database, fasta, profiles = sys.argv[1:]
profiles = pathlib.Path(profiles)
residues = "".join(line.strip() for line in open(fasta) if not line.startswith(">"))
long = residues[:40000]
first = warpseq.hmmbuild([("a", residues[:300]), ("b", residues[:300])], name="first")
first.write(profiles)
many_profiles = profiles.with_name("many.hmm")
if "many_profiles" in {work!r}:  # for one sequence they are read at once
    text = bytes(warpseq.hmmbuild([("a", residues[:500]), ("b", residues[:500])], name="first"))
    with open(many_profiles, "wb") as out:
        for number in range(1000):
            out.write(text.replace(b"first", b"p%d" % number, 1))
rows = [(f"r{{n}}", residues[7 * n:7 * n + 3]) for n in range(6000)]
many_names = profiles.with_name("names")
if "many_names" in {work!r}:
    names = [line[1:].split()[0] for line in open(fasta) if line.startswith(">")]
    with open(many_names, "w") as out:
        out.writelines(f"{{name}}\\n" for name in names[:1] + [f"sp|P{{n:06d}}|NAME{{n}}_HUMAN" for n in range(300000)])
with warpseq.Session(database, device="cpu", threads=1) as session:
    print("ready", flush=True)
    try:
        {work}
        print("no interrupt")
    except KeyboardInterrupt:
        print(time.time(), time.process_time())
    assert len(next(session.phmmer([residues[:300]]))) > 0
"""


def cpu_seconds(process):
    """The time that the threads of a process have run."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_work_soon(database, proteins, tmp_path, name, say):
    """The search ends within 100 ms of the process's time, and not much later on a busy machine. The session is still of
    use."""
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(work=WORK[name]), database, proteins,
                                tmp_path / "first.hmm"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    begun = cpu_seconds(process.pid)
    while cpu_seconds(process.pid) < begun + SECONDS.get(name, 0.5):
        time.sleep(0.01)
    sent, used = time.time(), cpu_seconds(process.pid)
    process.send_signal(2)
    out, errors = process.communicate(timeout=50)
    assert process.returncode == 0, errors
    caught, used_then = map(float, out.split())
    say(f"{name}: {1000 * (caught - sent):.0f} ms after the signal, {1000 * (used_then - used):.0f} ms of the process's time")
    assert used_then - used < 0.11  # the time before the signal is known to 10 ms
    assert caught - sent < 1


# What reads or writes a pipe, by its name.
WAITING = {
    "queries of phmmer": "list(session.phmmer(pipe))",
    "queries of jackhmmer": "list(session.jackhmmer(pipe))",
    "queries of hmmsearch": "list(session.hmmsearch(pipe))",
    "queries of hmmscan": "list(session.hmmscan(pipe, profiles))",
    "profiles of hmmscan": "list(session.hmmscan(few, pipe))",
    "queries of sw": "list(session.sw(pipe))",
    "queries of blastp": "list(session.blastp(pipe))",
    "matrix of phmmer": "next(session.phmmer(few, mxfile=pipe))",
    "matrix of sw": "next(session.sw(few, matrix=pipe))",
    "matrix of scores": "warpseq.scores(few, session, matrix=pipe)",
    "matrix of align": "warpseq.align(few[0], few[0], matrix=pipe)",
    "targets": "warpseq.Session(pipe, device='cpu')",
    "list of sequences": "warpseq.Session(database, device='cpu', seqidlist=pipe)",
    "list of taxa": "warpseq.Session(database, device='cpu', taxidlist=pipe)",
    "input of convert": "warpseq.convert(pipe, folder / 'converted.wsdb')",
    "taxa of convert": "warpseq.convert(fasta, folder / 'converted.wsdb', taxid_map=pipe)",
    "database": "warpseq.Database(pipe)",
    "profiles": "list(warpseq.read_profiles(pipe))",
    "alignments of hmmbuild": "warpseq.hmmbuild(pipe)",
    "matrix of hmmbuild": "warpseq.hmmbuild([('a', few[0])], name='x', singlemx=True, mxfile=pipe)",
    "sequences of hmmalign": "warpseq.hmmalign(first, pipe)",
    "profile of hmmalign": "warpseq.hmmalign(pipe, few)",
    "output of a search": "session.phmmer(few).write(pipe)",
    "output of a profile": "first.write(pipe)",
}
# The same where the other end of the pipe is open and silent.
SILENT = ["queries of phmmer", "queries of sw", "profiles of hmmscan", "targets", "input of convert", "list of sequences",
          "profiles"]
INTERRUPTED_WAIT = """
import json, os, pathlib, signal, sys, threading, time, warpseq
database, fasta, folder, works = sys.argv[1:]
folder = pathlib.Path(folder)
pipe, profiles = str(folder / "pipe"), folder / "first.hmm"
few = ["MKVLAWCDEFGHIKLMNPQRSTVWY" * 3] * 2
first = warpseq.hmmbuild([("a", few[0]), ("b", few[1])], name="first")
first.write(profiles)


def interrupt():
    global sent
    time.sleep(0.05)
    sent = time.time()
    os.kill(os.getpid(), signal.SIGINT)


with warpseq.Session(database, device="cpu", threads=1) as session:
    for name, work, is_silent in json.loads(works):
        print(name, end=": ", flush=True)
        end = os.open(pipe, os.O_RDWR) if is_silent else None
        thread = threading.Thread(target=interrupt)
        has_ended = False
        try:
            thread.start()
            exec(compile(work, name, "exec"))  # a text would make Python end itself by SIGINT in the end
            has_ended = True
            time.sleep(10)
        except KeyboardInterrupt:
            print("it does not wait" if has_ended else time.time() - sent, flush=True)
        thread.join()
        if is_silent:
            os.close(end)
    assert not list(folder.glob("converted*"))
    assert len(next(session.phmmer(few[:1]))) == 0
"""


def test_ctrl_c_ends_every_wait_for_a_pipe(database, proteins, tmp_path, say):
    """A FIFO without a writer, or with a silent one, is waited for until Ctrl-C, whatever it is read for."""
    os.mkfifo(tmp_path / "pipe")
    works = [(name, work, False) for name, work in WAITING.items()]
    works += [(name + ", silent", WAITING[name], True) for name in SILENT]
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED_WAIT, database, proteins, tmp_path, json.dumps(works)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, errors = process.communicate(timeout=50)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it does not end: {process.communicate()[0]}")
    assert process.returncode == 0, out + errors
    assert out.count("\n") == len(works) and "it does not wait" not in out, out
    seconds = {name: float(took) for name, took in (line.rsplit(": ", 1) for line in out.splitlines())}
    slowest = max(seconds, key=seconds.get)
    say(f"{slowest}: {1000 * seconds[slowest]:.0f} ms after the signal, and others less")
    assert seconds[slowest] < 1
