"""Warnings name the line of the user's code that made the call, however deep in the package they arise."""
import io
import pathlib
import subprocess
import sys
import warnings

import pytest
import warpseq

NOTHING = [("none", ""), ("some", "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ")]  # phmmer leaves the first out, with a warning


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu", threads=1) as opened:
        yield opened


@pytest.fixture
def caught():
    """The list of warnings that the test issues."""
    with warnings.catch_warnings(record=True) as each:
        warnings.simplefilter("always")
        yield each


def lines_of(caught):
    """Returns the lines of this file that the warnings name."""
    assert caught and all(each.category is warpseq.WarpseqWarning for each in caught)
    assert {each.filename for each in caught} == {__file__}
    text = pathlib.Path(__file__).read_text().splitlines()
    return [text[each.lineno - 1].strip() for each in caught]


def test_a_loop(session, caught):
    for _ in session.phmmer(NOTHING):  # here
        pass
    assert lines_of(caught) == ["for _ in session.phmmer(NOTHING):  # here"]


def test_a_list_and_a_comprehension(session, caught):
    list(session.phmmer(NOTHING))  # list
    assert [hits.query_name for hits in session.phmmer(NOTHING)] == ["some"]  # comprehension
    assert [line.rpartition("# ")[2] for line in lines_of(caught)] == ["list", "comprehension"]


def test_a_report(session, caught):
    session.phmmer(NOTHING).write(io.BytesIO())  # report
    session.jackhmmer(NOTHING).write(io.BytesIO(), format="tblout")  # table
    assert [line.rpartition("# ")[2] for line in lines_of(caught)] == ["report", "table"]


def test_a_function_of_the_user(session, caught):
    def search():
        return list(session.phmmer(NOTHING))  # in the function

    search()
    assert lines_of(caught) == ["return list(session.phmmer(NOTHING))  # in the function"]


def test_opening_and_converting(tmp_path, caught):
    (tmp_path / "a.fasta").write_text(">a\nMKT-AYIAKQ\n>b\n\n")
    (tmp_path / "a.fasta.wsdb").write_text("not a copy")
    (tmp_path / "a.wsdb").write_text("not a copy")
    warpseq.Session(tmp_path / "a.fasta", device="cpu")  # session
    warpseq.Database(tmp_path / "a.fasta")  # database
    warpseq.convert(tmp_path / "a.fasta", tmp_path / "new.wsdb")  # conversion
    lines = [line.rpartition("# ")[2] for line in lines_of(caught)]
    assert set(lines) == {"session", "database", "conversion"}


def test_a_filter_by_module_sees_the_users_module(session):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", module=__name__.replace(".", r"\\."))
        with pytest.raises(warpseq.WarpseqWarning):
            list(session.phmmer(NOTHING))


def test_a_script_shows_its_own_line(database, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"import warpseq\nsession = warpseq.Session({str(database)!r}, device='cpu')\n"
                      f"list(session.phmmer({NOTHING!r}))  # the line\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert f"{script}:3: WarpseqWarning: " in done.stderr and "# the line" in done.stderr
