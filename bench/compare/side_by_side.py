"""Functions that the comparisons share: runs of several programs in turns, medians, a Markdown
table and the machine's name."""
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

EXAMPLES = "/usr/share/doc/mmseqs2/example-data"


def need(program, package):
    """Returns the path of a program. If it is missing, names its package and exits."""
    path = shutil.which(program)
    if path is None:
        sys.exit(f"{program} is not installed (Debian: {package}); tools/setup bench installs what comparisons need")
    return path


def built(build, program):
    """Returns the path of one of warpseq's programs. Exits if it was not built."""
    path = os.path.join(build, "bin", program)
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is missing; make build makes it")
    return path


def wall_seconds(command):
    """Returns the wall seconds and the standard error of a command, which has to succeed."""
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
    return seconds, done.stderr.decode(errors="replace")


def medians(contestants, runs):
    """Returns the median of each contestant's figures, and all figures. `contestants` has a
    function without arguments for each name. They take turns, so that other work of the machine
    slows all of them."""
    figures = {name: [] for name in contestants}
    for _ in range(runs):
        for name, measure in contestants.items():
            figures[name].append(measure())
    return {name: statistics.median(values) for name, values in figures.items()}, figures


def machine():
    """Returns the processor's name and the number of threads that this process may use."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as handle:
            model = next((line.split(":", 1)[1].strip() for line in handle if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {len(os.sched_getaffinity(0))} threads"


def table(header, rows):
    """Prints a Markdown table."""
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
