"""Cases of a comparison: the input of both programs, the outcome, and the search for the smallest
case that still differs."""
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field, replace

SAME, REFUSED, EXCEPTED, ORIGINAL_FAILED, DIFFERENT = (
    "same",
    "refused by both",
    "excepted",
    "original failed",
    "different",
)


@dataclass(frozen=True)
class Case:
    """The input of one run of both programs. Each of `options` has its values, and both programs
    get them. `files` are named in options."""

    program: str
    options: tuple
    queries: tuple
    targets: tuple
    files: tuple = ()

    def words(self):
        return [word for option in self.options for word in option]


@dataclass(frozen=True)
class Outcome:
    """The result of a case. `mark` is the kind of a difference, which a smaller case has to have
    too. `text` describes the difference for a person."""

    kind: str
    mark: str = ""
    text: str = ""
    outputs: dict = field(default_factory=dict, compare=False)


class Unprepared(Exception):
    """Raised if the original makes no database of a case's targets."""


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    def crashed(self):
        """Whether a signal ended the program. A shell reports this as a status of 128 or more."""
        return self.status < 0 or self.status >= 128


SECONDS_OF_A_RUN = 120


def run(command, folder):
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS_OF_A_RUN,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(-14, "", f"no answer in {SECONDS_OF_A_RUN} s")
    return Run(done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1"))


def make_database(programs, folder, name):
    """Makes a database of db.fa in `folder`. Its records are sound, so a failure is not a
    difference but an error of the whole comparison."""
    made = run([programs["dbconv"], "db.fa", "-o", name, "--quiet"], folder)
    if made.status != 0:
        raise RuntimeError(f"dbconv: status {made.status}: {made.err}")


def by_status(theirs, ours, their_name):
    """Returns the outcome that follows from the exit statuses alone, or None if both programs
    succeeded."""
    if ours.crashed():
        return Outcome(DIFFERENT, "search crashed", f"search ended with {ours.status}: {ours.err[-500:]}")
    if theirs.crashed():
        return Outcome(
            ORIGINAL_FAILED, f"{their_name} crashed", f"{their_name} ended with {theirs.status}: {theirs.err[-300:]}"
        )
    if theirs.status != 0 and ours.status != 0:
        return Outcome(REFUSED)
    if theirs.status != 0 or ours.status != 0:
        who = their_name if theirs.status != 0 else "search"
        return Outcome(
            DIFFERENT,
            f"only {who} refuses",
            f"{their_name} ended with {theirs.status}, search with {ours.status}\n"
            f"  {their_name}: {theirs.err.strip()[-300:]}\n  search: {ours.err.strip()[-300:]}",
        )
    return None


def first_difference(theirs, ours):
    """Returns the first line in which two texts differ, with its number, or None if they are
    equal."""
    if theirs == ours:
        return None
    their_lines, our_lines = theirs.split("\n"), ours.split("\n")
    for number, (a, b) in enumerate(zip(their_lines, our_lines), 1):
        if a != b:
            return f"line {number}:\n  theirs: {a[:400]}\n  ours:   {b[:400]}"
    return f"{len(their_lines)} lines theirs, {len(our_lines)} ours"


def checked_alone(engine, case, folder):
    """Checks one case with a database of its own, in a folder that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    engine.prepare(case.targets, folder)
    return engine.check(case, folder)


def without_parts(items, least):
    """Yields copies of a tuple with fewer items. The first ones lack half of the items, and the
    last ones lack one item. All have at least `least` items."""
    size = len(items)
    step = size // 2
    while step >= 1:
        for start in range(0, size, step):
            rest = items[:start] + items[start + step :]
            if len(rest) >= least and len(rest) < size:
                yield rest
        step //= 2


def smaller_cases(engine, case):
    """Yields smaller cases. Options in the engine's ESSENTIAL stay, because the case would be
    another problem without them."""
    kept = {option for option in case.options if option[0] in engine.ESSENTIAL}
    for options in without_parts(case.options, 0):
        if kept <= set(options):
            yield replace(case, options=options)
    for targets in without_parts(case.targets, 1):
        yield replace(case, targets=targets)
    for queries in without_parts(case.queries, 1):
        yield replace(case, queries=queries)
    for name in ("queries", "targets"):
        items = getattr(case, name)
        if len(items) > 6:
            continue
        for i, item in enumerate(items):
            for less in item.smaller():
                yield replace(case, **{name: items[:i] + (less,) + items[i + 1 :]})


def minimised(engine, case, mark, most_runs):
    """Returns the smallest case found that differs in the same way, and the number of runs of both
    programs."""
    runs = 0
    with tempfile.TemporaryDirectory(prefix="differences-smaller-") as folder:
        found = True
        while found:
            found = False
            for smaller in smaller_cases(engine, case):
                if runs >= most_runs:
                    return case, runs
                runs += 1
                try:
                    outcome = checked_alone(engine, smaller, os.path.join(folder, "case"))
                except Unprepared:
                    continue
                if outcome.kind == DIFFERENT and outcome.mark == mark:
                    case, found = smaller, True
                    break
    return case, runs
