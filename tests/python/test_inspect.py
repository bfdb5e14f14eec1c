"""Descriptions and checks of databases are those of the program `inspect`."""
import dataclasses
import json

import pytest
import warpseq


def given(values):
    return {name: value for name, value in values.items() if value is not None}


def info_of(db):
    """The description of a database as a dictionary without what it does not have."""
    info = given(dataclasses.asdict(db))
    info.pop("statistics")
    return info


@pytest.fixture(scope="module")
def updated_set(programs, proteins, database, tmp_path_factory):
    """A set of two volumes from which a sequence was removed."""
    folder = tmp_path_factory.mktemp("set")
    (folder / "removed").write_text(proteins.read_text().split(">")[5].split()[0])
    for command in (["--append", "all.wsdbs", database, "--title", "two volumes"], ["--append", "all.wsdbs", proteins],
                    ["all.wsdbs", "--remove", "removed"]):
        programs.run("dbconv", *command, cwd=folder)
    return folder / "all.wsdbs"


@pytest.mark.parametrize("is_set", [False, True])
def test_figures_are_the_programs(programs, database, updated_set, is_set):
    file = updated_set if is_set else database
    found = warpseq.inspect(file)
    info = json.loads(programs.run("inspect", "info", file, "--json"))
    assert info_of(found) == given(info)
    stats = json.loads(programs.run("inspect", "stats", file, "--json"))
    assert stats.pop("file") == str(file)
    assert given(dataclasses.asdict(found.statistics)) == given(stats)
    assert found.sequences == len(warpseq.Database(file)) == (3998 if is_set else 2000)


def test_figures_of_the_content(programs, database):
    stats = json.loads(programs.run("inspect", "stats", database, "--json", "--letters", "--low-complexity", "--duplicates"))
    found = warpseq.inspect(warpseq.Database(database), letters=True, low_complexity=True, duplicates=True, threads=2)
    for name in ("letters", "low_complexity", "duplicates"):
        assert getattr(found.statistics, name) == stats[name]


def test_damage_is_an_error(programs, database, updated_set, tmp_path):
    warpseq.validate(database)
    warpseq.validate(updated_set)
    damaged = tmp_path / "damaged.wsdb"
    content = bytearray(database.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(warpseq.InvalidInputError) as found:
        warpseq.validate(damaged)
    told = programs.refused("inspect", "validate", damaged)
    assert told == f"inspect validate: {found.value}\n"
    with pytest.raises(warpseq.WarpseqError, match="nowhere"):
        warpseq.validate(tmp_path / "nowhere")
    with pytest.raises(warpseq.OptionError, match="no option 'nonsense'"):
        warpseq.inspect(database, nonsense=True)
