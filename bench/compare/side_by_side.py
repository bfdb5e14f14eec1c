"""What the comparisons share: runs of several programs in turn, medians, a markdown table, the machine's name."""
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

EXAMPLES = "/usr/share/doc/mmseqs2/example-data"


def need(program, package):
    """The path of a program, or an end with the name of its package."""
    path = shutil.which(program)
    if path is None:
        sys.exit(f"{program} is not installed (Debian: {package}); tools/setup bench installs what comparisons need")
    return path


def built(build, program):
    """The path of one of our programs."""
    path = os.path.join(build, "bin", program)
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is missing; make build makes it")
    return path


def wall_seconds(command):
    """Wall seconds of a command that has to succeed; returns them and its standard error."""
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} exited {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
    return seconds, done.stderr.decode(errors="replace")


def medians(contestants, runs):
    """Median of each contestant's figure. Contestants (name: function without arguments) take turns, so that whatever else
    the machine does falls on all of them."""
    figures = {name: [] for name in contestants}
    for _ in range(runs):
        for name, measure in contestants.items():
            figures[name].append(measure())
    return {name: statistics.median(values) for name, values in figures.items()}, figures


def machine():
    """The processor's name and the threads that this process may use."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as handle:
            model = next((line.split(":", 1)[1].strip() for line in handle if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {len(os.sched_getaffinity(0))} threads"


def table(header, rows):
    """Print a markdown table."""
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
