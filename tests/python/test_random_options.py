"""Random options on random inputs: reports from Python have the program's bytes, and errors have its messages.

Inputs and options are drawn as those of the comparisons with other programs (tests/reference/random). `make check` draws
a few sets of options for each engine, and `make check-all` a thousand in all.
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import warnings

import pytest
import warpseq

sys.path.append(str(pathlib.Path(__file__).parents[1] / "reference" / "random"))
import blastp  # noqa: E402
import hmm  # noqa: E402
import jackhmmer  # noqa: E402
import material  # noqa: E402
import pair  # noqa: E402
import scores  # noqa: E402
import sw  # noqa: E402

SEED = 46
SETS, ALL_SETS = 4, 150  # sets of options for each engine: in make check, and in make check-all
MOST_SHOWN = 5
TABLES = ("tblout", "domtblout", "pfamtblout")
ALIGNMENTS = ("stockholm", "pfam", "a2m", "a3m", "psiblast", "selex", "afa", "clustal", "clustallike", "phylip", "phylips")
# The formats of reports, and some that are refused.
FIELDS = "qseqid sseqid score cigar evalue btop qseq length qstart qend sstart send"
FORMATS = {
    "hmm": ["0", "6", "7", "10", "json", "6 std cevalue envstart envend bias accuracy", "10 qseqid sseqid seqevalue"] * 4 +
           ["10 nonsense", "77"],
    "sw": ["0", "6", "7", "10", "json", "6 " + FIELDS] * 4 + ["6 nonsense qseqid", "77"],
    "pair": ["0", "6", "7", "10", "paf", "sam", "json", "6 " + FIELDS] * 4 + ["10 nonsense", "77"],
}
# Options of sw and pair that the comparisons with parasail do not draw: values, and refused values.
SW_OPTIONS = {
    "--comp-stats": (("0", "1", "2", "3", "T", "F"), ("4", "x")),
    "--dbsize": (("0", "1", "1000", "100000000", "4000000000"), ("-1", "x", "1.5")),
    "--evalue": (("10", "1", "1e-3", "1e-10", "1000", "inf", "0.5"), ("0", "-1", "x", "nan")),
    "--max-hits": (("0", "1", "2", "5", "500"), ("-1", "x")),
}
PAIR_OPTIONS = {
    "--max-alignments": (("1", "2", "10"), ("0", "x")),
    "--min-score": (("1", "10", "40"), ("0", "x")),
    "--free-ends": (("query-begin", "target-begin,target-end", "query-end,target-begin"), ("query", "")),
    "--strand": (("plus", "minus", "both"), ("up",)),
    "--match": (("1", "2", "5"), ("x",)),
    "--mismatch": (("-1", "-3", "-4"), ("x",)),
    "--matrix": (("BLOSUM45", "BLOSUM50", "BLOSUM80", "PAM30", "PAM250", "IDENTITY"), ("BLOSUM99",)),
    "--gap-open": (("0", "3", "11", "40"), ("-1", "x")),
    "--gap-extend": (("1", "2", "5"), ("-1", "x")),
    "--memory": (("64K", "1M"), ("x",)),
    "--score-only": (None, ()),
    "--dna": (None, ()),
    "--protein": (None, ()),
}
# Options of pair that are refused without another one, and mostly left out then.
PAIR_NEEDS = {"--max-alignments": "--all-local", "--min-score": "--all-local", "--free-ends": "--semiglobal", "--strand": "--dna",
              "--match": "--dna", "--mismatch": "--dna", "--matrix": "--protein", "--dna": "--dna", "--protein": "--protein"}
# Options of a session. The lists of identifiers are files that each case has.
SESSION_OPTIONS = {
    "--seqidlist": (("some-targets",), ("no-such-file",)),
    "--negative-seqidlist": (("some-targets",), ("no-targets",)),
    "--taxids": (("9606",), ("x", "0")),
    "--negative-taxids": (("9606,10090",), ("9606,x",)),
    "--taxidlist": (("some-taxids",), ("no-such-file",)),
    "--negative-taxidlist": (("some-taxids",), ("no-such-file",)),
    "--threads": (("1", "2", "3"), ("0", "x")),
    "--cpu-backend": (("portable", "sse41", "avx2", "reference"), ("sse5",)),
    "--chunk-size": (("1K", "64K", "auto"), ("0", "x")),
    "--device-memory": (("auto", "1G"), ("0", "x")),
    "--device": (("cpu", "auto"), ("gpu",)),
}
MACHINE = ("--threads", "--cpu-backend", "--device-memory", "--device")
CALIBRATION = ("--EmL", "--EmN", "--EvL", "--EvN", "--EfL", "--EfN", "--Eft")  # jackhmmer's options that phmmer has, too


def drawn_from(draw, table, most):
    """Returns up to `most` options of a table, seldom with a value that is refused."""
    options = []
    for name in draw.sample(sorted(table), draw.randint(0, most)):
        values, refused = table[name]
        if values is None:
            options.append((name,))
        else:
            options.append((name, draw.choice(refused if refused and draw.random() < 0.04 else values)))
    return options


class Set:
    """A set of options with its input: files by name, options of the search and of the session, and a format."""

    def __init__(self, files, options, of_session, outfmt, header=False, table=None, aformat=None, stated=False):
        self.files, self.options, self.of_session = files, options, of_session
        self.outfmt, self.header, self.table, self.aformat = outfmt, header, table, aformat
        self.stated = stated  # the format is given as an option of the search


def fasta(records):
    return "".join(record.text() for record in records)


def has_header(draw, outfmt):
    """Whether the rows have a header. Formats other than 6 and 10 have none."""
    return draw.random() < (0.3 if outfmt.split()[0] in ("6", "10") else 0.02)


def session_options(draw):
    return drawn_from(draw, SESSION_OPTIONS, 2) if draw.random() < 0.25 else []


def lists_of(draw, targets):
    """The files that options of the session name."""
    names = [record.header.split()[0] for record in targets]
    return {"some-targets": "".join(f"{name}\n" for name in draw.sample(names, (len(names) + 1) // 2)),
            "no-targets": "nobody\n", "some-taxids": "9606\n"}


def hmm_format(draw, with_alignment):
    chance = draw.random()
    if chance < 0.55:
        outfmt = draw.choice(FORMATS["hmm"])
        return {"outfmt": outfmt, "header": has_header(draw, outfmt)}
    if chance < 0.8 or not with_alignment:
        return {"outfmt": None, "table": draw.choice(TABLES)}
    return {"outfmt": None, "aformat": draw.choice(ALIGNMENTS)}


def profile_sets(draw, engine, program):
    """Sets for searches with profiles and with sequences. hmmscan searches the targets for the profiles."""
    cases = []
    while not cases:
        cases = [case for case in engine.round(draw) if case.program == ("hmmsearch" if program == "hmmscan" else program)]
    for case in cases:
        files = {"queries": fasta(case.queries), "targets.fasta": fasta(case.targets), **dict(case.files),
                 **lists_of(draw, case.targets)}
        if program == "hmmscan":
            files["queries"], files["profiles.hmm"] = fasta(case.targets[:10]), files["queries"]
        of_session = [option for option in session_options(draw) if program != "hmmscan" or option[0] in MACHINE]
        if program == "jackhmmer":
            of_session = [option for option in of_session if option[0] != "--chunk-size"]
        options = list(case.options)
        if program == "phmmer" and draw.random() < 0.3:
            name = draw.choice(CALIBRATION)
            options.append((name, jackhmmer.BUILD_OPTIONS[name][0](draw)))
        format = hmm_format(draw, program != "hmmscan")
        if program == "jackhmmer" and format.get("table") == "pfamtblout":
            format["table"] = "tblout"
        yield Set(files, options, of_session, **format)


def sw_sets(draw, engine):
    for case in engine.round(draw):
        options = [option for option in case.options if option[0].startswith(("--matrix", "--gap")) and draw.random() < 0.7]
        options += drawn_from(draw, SW_OPTIONS, 4)
        if any(option[0] in ("--gap-open", "--matrix") for option in options) and draw.random() < 0.8:
            # There are no E-values for most of these scores.
            options = [option for option in options if option[0] not in ("--evalue", "--comp-stats")] + [("--evalue", "inf")]
        outfmt = draw.choice(FORMATS["sw"])
        yield Set({"queries": fasta(case.queries), "targets.fasta": fasta(case.targets), **dict(case.files),
                   **lists_of(draw, case.targets)}, options, session_options(draw), outfmt, has_header(draw, outfmt),
                  stated=draw.random() < 0.5)


def blastp_sets(draw, engine):
    for case in engine.round(draw):
        options = [tuple("--" + word[1:] if re.match("-[a-z]", word) else word for word in option) for option in case.options]
        outfmt = options.pop(0)[1] if options[0][0] == "--outfmt" else "0"
        if draw.random() < 0.1:
            outfmt = draw.choice(["1", "2", "3", "4", "77", "6 nonsense qseqid"])
        yield Set({"queries": fasta(case.queries), "targets.fasta": fasta(case.targets), **lists_of(draw, case.targets)},
                  options, session_options(draw), outfmt, has_header(draw, outfmt),
                  # How many targets are searched for depends on both of these.
                  stated=draw.random() < 0.5 or any(option[0].startswith("--num_") for option in options))


def pair_sets(draw, engine):
    for case in engine.round(draw):
        options = [option for option in case.options if option[0] not in ("--threads", "--cpu-backend")]
        mode = next(option for option in options if option[0] in ("--global", "--local", "--semiglobal"))
        if draw.random() < 0.3:
            options[options.index(mode)] = ("--all-local",)
        given = {word for option in options for word in option}
        options += [option for option in drawn_from(draw, PAIR_OPTIONS, 3) if option[0] not in given]
        options = [option for option in options if PAIR_NEEDS.get(option[0], "") in given | {""} or draw.random() < 0.1]
        machine = [option for option in session_options(draw) if option[0] in ("--threads", "--device")]
        outfmt = draw.choice(FORMATS["pair"])
        yield Set({"a.fasta": case.queries[0].text(), "b.fasta": case.targets[0].text(), **dict(case.files)}, options,
                  machine, outfmt, has_header(draw, outfmt))


def value_of(draw, text):
    """Returns the value of Python that stands for an option's text, often a number."""
    if draw.random() < 0.5:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return True if text == "true" else text


def arguments_of(draw, options):
    """Returns keyword arguments, and the same options as words of a command."""
    arguments, words = {}, []
    for option in options:
        for name, *values in [option[at:at + 2] for at in range(0, len(option), 2)]:
            value = value_of(draw, values[0]) if values else True
            arguments[name.lstrip("-").replace("-", "_")] = value
            words += [name, values[0] if value is True else str(value)] if values else [name]
    return arguments, words


class Case:
    """A set of options in a folder, run by the program and from Python."""

    def __init__(self, programs, folder, program, drawn, draw):
        self.programs, self.folder, self.program, self.drawn = programs, folder, program, drawn
        self.compared_bytes, self.has_nothing = 0, False
        self.arguments, self.words = arguments_of(draw, drawn.options)
        self.of_session, self.session_words = arguments_of(draw, drawn.of_session)
        folder.mkdir()
        for name, text in drawn.files.items():
            (folder / name).write_text(text, encoding="latin-1")
        if "targets.fasta" in drawn.files:
            programs.run("dbconv", "targets.fasta", "-o", "targets.wsdb", "--quiet", cwd=folder)

    def command(self):
        """The words of the program's command, whose output is the file `out`."""
        if self.program == "pair":
            files = ["a.fasta", "b.fasta", "-o", "out"]
        else:
            files = ["-q", "queries", "-d", "profiles.hmm" if self.program == "hmmscan" else "targets.wsdb"]
        if self.drawn.table:
            files += [f"--{self.drawn.table}", "out"]
        elif self.drawn.aformat:
            files += ["-A", "out", "--aformat", self.drawn.aformat]
        elif self.program != "pair":
            files += ["-o", "out"]
        if self.drawn.outfmt:
            files += ["--outfmt", self.drawn.outfmt]
        if self.drawn.header:
            files += ["--header"]
        engine = {"hmmsearch": "hmm", "phmmer": "hmm"}.get(self.program, self.program)
        return ["search", engine, *self.words, *self.session_words, *files]

    def of_program(self):
        """Returns the program's output and its message, one of which is None."""
        done = subprocess.run([self.programs.folder / "warpseq", *self.command()], cwd=self.folder, capture_output=True)
        message = done.stderr.decode(errors="replace")
        if done.returncode == 0:
            return self.taken(), None, 0
        assert done.returncode in (1, 2), message
        self.taken()
        return None, message, done.returncode

    def of_python(self):
        """Returns the output and the error, one of which is None."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.write()
            return self.taken(), None
        except warpseq.WarpseqError as error:
            assert not (self.folder / "out").exists()
            return None, error

    def write(self):
        drawn = self.drawn
        if self.program == "pair":
            self.write_pair()
            return
        databases = "targets.wsdb" if self.program != "hmmscan" else ()
        with warpseq.Session(databases, **{"device": "cpu", **self.of_session}) as session:
            arguments, given = dict(self.arguments), {}
            if drawn.stated:
                arguments.update(outfmt=drawn.outfmt, header=drawn.header)
            else:
                given.update(format=drawn.table or drawn.aformat or drawn.outfmt, header=drawn.header)
            more = ["profiles.hmm"] if self.program == "hmmscan" else []
            getattr(session, self.program)("queries", *more, **arguments).write("out", **given)

    def write_pair(self):
        arguments = dict(self.arguments)
        mode = next(name for name in ("global", "local", "semiglobal", "all_local") if arguments.pop(name, False))
        a, b = [text_of_record(self.drawn.files[name]) for name in ("a.fasta", "b.fasta")]
        found = warpseq.align(a, b, mode.replace("_", "-"), **{"device": "cpu", **self.of_session}, **arguments)
        # pair_report() knows the pair by its alignments, and all-local lists may have none.
        self.has_nothing = found == []
        text = "" if self.has_nothing else warpseq.pair_report(found, self.drawn.outfmt, self.drawn.header)
        (self.folder / "out").write_text(text, encoding="latin-1", newline="")

    def taken(self):
        """Returns the output, which is removed."""
        file = self.folder / "out"
        text = file.read_bytes() if file.exists() else b""
        file.unlink(missing_ok=True)
        return text

    def messages(self):
        """Returns the program's messages about parts of the options, each after what comes before others in Python: the
        session is opened first, then the search is started, and the format is read last."""
        all_parts = self.words, self.session_words, self.drawn.outfmt, self.drawn.header
        found = []
        for words, session_words, outfmt, header in [((), self.session_words, None, False),
                                                     (self.words, self.session_words, None, False)]:
            self.words, self.session_words, self.drawn.outfmt, self.drawn.header = words, session_words, outfmt, header
            found.append(self.of_program()[1:])
        self.words, self.session_words, self.drawn.outfmt, self.drawn.header = all_parts
        return found

    def says(self, message, status, error):
        """Whether an error has the text of the program's message, and the kind of its exit status."""
        text = (message or "").partition(": ")[2].removeprefix("--outfmt: ").rstrip("\n").removesuffix(" (leave --score-only out)")
        own = str(error).removeprefix("--outfmt: ").partition(", or tblout")[0]
        return message is not None and own == text and (status == 2) == isinstance(error, warpseq.OptionError)

    def difference(self):
        """Returns what differs, or None, and whether the program refused the options."""
        expected, message, status = self.of_program()
        found, error = self.of_python()
        refused = message is not None
        if refused and error is None:
            return f"the program refuses: {message}", refused
        if error is not None and not refused:
            return f"Python alone refuses: {error!r}", refused
        if refused:
            # Of two faults, Python may find the other one first.
            if self.says(message, status, error) or any(self.says(*other, error) for other in self.messages()):
                return None, refused
            return f"status {status}, {message!r}, and in Python {error!r}", refused
        if self.has_nothing:
            self.drawn.outfmt, self.drawn.header = "6", False
            expected = self.of_program()[0]
        self.compared_bytes = len(expected)
        if expected != found:
            lines = zip(expected.split(b"\n"), found.split(b"\n"))
            first = next(((a, b) for a, b in lines if a != b), None)
            return f"{len(expected)} and {len(found)} bytes, first {first}", refused
        return None, refused

    def __str__(self):
        return f"warpseq {' '.join(map(repr, self.command()))}; Session({self.of_session}), {self.arguments}"


def text_of_record(text):
    header, _, letters = text.removeprefix(">").partition("\n")
    return header, letters.strip()


ENGINES = {"hmmsearch": (hmm.Engine, profile_sets), "phmmer": (hmm.Engine, profile_sets), "hmmscan": (hmm.Engine, profile_sets),
           "jackhmmer": (jackhmmer.Engine, profile_sets), "sw": (sw.Engine, sw_sets), "blastp": (blastp.Engine, blastp_sets),
           "pair": (pair.Engine, pair_sets)}


@pytest.fixture(scope="module")
def inputs():
    return material.Material(os.environ.get("WARPSEQ_SHARED", ""))


@pytest.mark.parametrize("program", ENGINES)
def test_random_options(programs, inputs, thorough, tmp_path, monkeypatch, program, say):
    make_engine, sets_of = ENGINES[program]
    if make_engine is hmm.Engine and not inputs.profiles:
        pytest.skip("skipped: no profiles here (Debian's hmmer-examples has some)")
    engine = make_engine({}, inputs)
    wanted, done, refusals, compared, round_number, differences = ALL_SETS if thorough else SETS, 0, 0, 0, 0, []
    while done < wanted and len(differences) < MOST_SHOWN:
        draw = random.Random(f"{program} {SEED} {round_number}")
        sets = sets_of(draw, engine, program) if sets_of is profile_sets else sets_of(draw, engine)
        for number, drawn in enumerate(sets):
            if done == wanted:
                break
            folder = tmp_path / f"{round_number}-{number}"
            case = Case(programs, folder, program, drawn, draw)
            monkeypatch.chdir(folder)
            difference, refused = case.difference()
            done += 1
            refusals += refused
            compared += case.compared_bytes
            monkeypatch.chdir(tmp_path)
            if not difference:
                shutil.rmtree(folder)
            else:
                differences.append(f"seed {SEED}, round {round_number}, set {number}, in {folder}: {case}\n  {difference}")
        round_number += 1
    say(f"{program}: {done} sets of options, {refusals} refused, {compared} bytes compared")
    assert not differences, "\n".join(differences)
    assert not thorough or refusals < done / 2 and compared > 100 * done
