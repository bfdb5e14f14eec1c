"""Ctrl-C ends searches and alignments on the CPU within a tenth of a second."""
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
    "sw": "next(session.sw([('long', residues[:200000])]))",
    "blastp": "next(session.blastp([('long', residues[:200000])]))",
    "scores": "warpseq.scores([residues[:20000]] * 100, session)",
    "align": "warpseq.align(residues[:300000], residues[::-1][:300000], threads=1, device='cpu', protein=True)",
}
INTERRUPTED = """
import pathlib, sys, time, warpseq
database, fasta, profiles = sys.argv[1:]
profiles = pathlib.Path(profiles)
residues = "".join(line.strip() for line in open(fasta) if not line.startswith(">"))
long = residues[:40000]
warpseq.hmmbuild([("a", residues[:300]), ("b", residues[:300])], name="first").write(profiles)
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
    while cpu_seconds(process.pid) < begun + 0.5:
        time.sleep(0.01)
    sent, used = time.time(), cpu_seconds(process.pid)
    process.send_signal(2)
    out, errors = process.communicate(timeout=50)
    assert process.returncode == 0, errors
    caught, used_then = map(float, out.split())
    say(f"{name}: {1000 * (caught - sent):.0f} ms after the signal, {1000 * (used_then - used):.0f} ms of the process's time")
    assert used_then - used < 0.11  # the time before the signal is known to 10 ms
    assert caught - sent < 1
