"""Queries of all kinds as files, or as text in the formats of files."""
from __future__ import annotations

import os
import re
import time
from typing import Any, Iterable, Iterator

from . import _core

# Queries of an iterable that are searched together: so many sequences, or so many bytes of text.
MOST_SEQUENCES = 4096
MOST_BYTES = 8 << 20
# Queries that have waited for so long when the next one comes are searched with it.
MOST_SECONDS = 0.5
NAME = "queries"
BIOPYTHON = ("Seq", "MutableSeq")  # the classes of its sequences


class Chunk:
    """Queries that are searched together: a file, or the text of one, which reports call `name`."""

    def __init__(self, file: str | None = None, text: bytes | None = None, name: str = NAME) -> None:
        self.file = file
        self.text = text
        self.name = name


def chunks_of(queries: object, group_residues: int = 0) -> Iterator[Chunk]:
    """Returns the chunks of a search's queries.

    If `group_residues` is given, the engine takes queries in groups: a group ends with the query that brings it to this
    number of residues. A chunk then ends with a group, so that groups are those of one file.

    Text alone is a path. Within an iterable, paths are os.PathLike objects, and text is a sequence. Sequences are str,
    bytes, (name, sequence) pairs, Biopython's Seq and SeqRecord, and pyhmmer's sequences. Profiles are pyhmmer's HMMs.

    The queries that an iterator has given before it raises an error make a chunk before that error. No queries at all
    are the text of an empty file, which every search refuses as the programs do.
    """
    if isinstance(queries, (str, os.PathLike)):
        yield Chunk(file=path_of(queries))
        return
    refuse_dict(queries)
    refuse_open_file(queries)
    if isinstance(queries, (bytes, tuple)) or not isinstance(queries, Iterable) or is_single(queries):
        queries = [queries]
    text: list[bytes] = []
    size = number = residues = 0
    are_profiles = False
    is_empty = True
    failure: Exception | None = None
    iterator = iter(queries)
    begun = time.monotonic()
    while True:
        try:
            query = next(iterator)
        except StopIteration:
            break
        except Exception as error:
            failure = error
            break
        is_empty = False
        if isinstance(query, os.PathLike):
            if text:
                yield Chunk(text=b"".join(text))
                text, size, residues = [], 0, 0
            yield Chunk(file=path_of(query))
            begun = time.monotonic()
            continue
        number += 1
        try:
            written, is_profile = text_of(query, number)
        except Exception as error:
            failure = error
            break
        is_full = (len(text) >= MOST_SEQUENCES or size >= MOST_BYTES) and residues == 0
        if text and (is_profile != are_profiles or is_full):
            yield Chunk(text=b"".join(text))
            text, size, residues = [], 0, 0
            begun = time.monotonic()
        are_profiles = is_profile
        text.append(written)
        size += len(written)
        if group_residues:
            residues += residues_of(written)
            if residues >= group_residues:
                residues = 0
        if residues == 0 and time.monotonic() - begun > MOST_SECONDS:
            yield Chunk(text=b"".join(text))
            text, size = [], 0
            begun = time.monotonic()
    if text or (is_empty and failure is None):
        yield Chunk(text=b"".join(text))
    if failure is not None:
        raise failure


def file_or_profiles(profiles: object) -> tuple[str | None, bytes | None]:
    """Returns the file of profiles, or their text."""
    if isinstance(profiles, (str, bytes, os.PathLike)):
        return path_of(profiles), None
    refuse_open_file(profiles)
    if not isinstance(profiles, Iterable) or is_single(profiles):
        profiles = [profiles]
    text: list[bytes] = []
    for each in profiles:
        if isinstance(each, (str, bytes, os.PathLike)):
            raise TypeError("profiles are the path of one file, not in a list, or Profile objects and pyhmmer's HMMs")
        if not hasattr(each, "consensus"):
            raise TypeError(f"a profile is a Profile or pyhmmer's HMM, not {type(each).__name__}")
        text.append(text_of(each, 1)[0])
    if not text:
        raise _core.InvalidInputError("there are no profiles to search for")
    return None, b"".join(text)


def residues_of(record: bytes) -> int:
    """Returns the number of residues in a FASTA record, as its reader counts them."""
    return len(re.sub(rb"[^A-Za-z*]", b"", record[record.index(b"\n"):]))


def is_single(query: object) -> bool:
    """Whether an iterable object is one query, and not a collection of queries."""
    return hasattr(query, "seq") or hasattr(query, "sequence") or hasattr(query, "consensus") or \
        isinstance(query, bytearray) or getattr(query, "itemsize", None) == 1 or is_array_of_letters(query) or \
        type(query).__name__ in BIOPYTHON


def text_of(query: Any, number: int) -> tuple[bytes, bool]:
    """Returns a query's text, and whether it is a profile."""
    if type(query).__module__.startswith("pyhmmer") and type(query).__name__ in ("Profile", "OptimizedProfile"):
        raise TypeError(f"pyhmmer's {type(query).__name__} lacks the probabilities of its HMM; give the HMM")
    if hasattr(query, "write") and hasattr(query, "consensus"):  # pyhmmer's HMM
        import io
        tell_of_blank(query.name)
        out = io.BytesIO()
        query.write(out)
        return out.getvalue(), True
    refuse_file_name(query)
    name, description, letters = sequence_of(query, f"query{number}")
    header = b" ".join(part for part in (encoded(name), encoded(description)) if part)
    return b">" + header + b"\n" + encoded_letters(name, letters) + b"\n", False


def sequence_of(sequence: object, name: str) -> tuple[str | bytes, str | bytes | None, str | bytes]:
    """Returns a sequence's name, its description and its letters. `name` is for a sequence without a name."""
    found: Any = sequence
    named: str | bytes = name
    description: str | bytes | None = ""
    if isinstance(found, tuple):
        if len(found) != 2:
            raise TypeError(f"a tuple is a pair of name and sequence, and this one has {len(found)} items")
        named, found = found
    if hasattr(found, "textize"):  # pyhmmer's DigitalSequence
        found = found.textize()
    if hasattr(found, "sequence"):  # pyhmmer's TextSequence
        named, description, found = found.name, found.description, found.sequence
    elif hasattr(found, "seq"):  # Biopython's SeqRecord
        named, description, found = found.id, found.description.removeprefix(found.id).strip(), found.seq
    if isinstance(found, (bytes, str)):
        return named, description, found
    if isinstance(found, bytearray) or is_line_of_bytes(found):
        return named, description, bytes(found)
    if is_array_of_letters(found):
        return named, description, "".join(found.tolist())
    if any(kind.__name__ in BIOPYTHON for kind in type(found).__mro__):
        return named, description, str(found)
    raise TypeError(f"a sequence is str, bytes, a (name, sequence) pair, or a record with a sequence, not {type(found).__name__}")


def tell_of_blank(name: str | bytes | None) -> None:
    """Warns of a name that files of profiles cannot hold: they end it at the first blank."""
    if name is not None and len(name.split()) > 1:
        _core.warn(f"the name of the profile {name!r} ends at its first blank in results")


def refuse_file_name(text: object) -> None:
    """Refuses the name of a file where text is a sequence. Names with a '.' or a '/' are looked up."""
    if isinstance(text, str) and len(text) < 4096 and any(mark in text for mark in "./") and "\0" not in text \
            and os.path.exists(text):
        raise TypeError(f"text in a list is a sequence, and {text!r} is a file; give pathlib.Path({text!r}), or the "
                        "path alone")


def refuse_open_file(given: object) -> None:
    """Refuses a file object, whose lines would be taken for sequences."""
    if hasattr(given, "read") and hasattr(given, "readline"):
        raise TypeError("sequences and profiles are not read from a file object; give its path")


def is_array_of_letters(found: object) -> bool:
    """Whether this is an array of numpy with a character in each element."""
    kind = getattr(found, "dtype", None)
    return getattr(kind, "kind", "") == "U" and getattr(kind, "itemsize", 0) == 4 and getattr(found, "ndim", 0) == 1


def is_line_of_bytes(found: object) -> bool:
    """Whether this is a memoryview or an array with a byte for each letter. A number of numpy is like an array."""
    return getattr(found, "itemsize", None) == 1 and getattr(found, "ndim", 1) == 1


def encoded_letters(name: str | bytes | None, letters: str | bytes) -> bytes:
    """Returns the letters of a sequence with this name. A header among them would begin another sequence."""
    # Characters without an encoding become others that are no residues.
    found = letters if isinstance(letters, bytes) else letters.encode("utf-8", "backslashreplace")
    if b">" in found and re.search(rb"(^|[\r\n])>", found):
        shown = encoded(name).decode(errors="replace")
        raise _core.InvalidInputError(f"{shown}: more than one sequence in a text that stands for one")
    return found


def refuse_dict(given: object) -> None:
    """Refuses a dict and a table, whose keys and columns' names would be taken for sequences."""
    if isinstance(given, dict):
        raise TypeError("sequences are not a dict; its items() are pairs of name and sequence")
    if hasattr(given, "columns") and hasattr(given, "iloc"):
        raise TypeError("sequences are not a table; zip(table[\"name\"], table[\"sequence\"]) gives pairs of both")


def encoded(text: str | bytes | None) -> bytes:
    """Returns a name or description as the text of one line."""
    if text is None:
        return b""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"the name of a sequence is str or bytes, not {type(text).__name__}")
    line = b" ".join((text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")).split())
    if b"\0" in line:
        raise ValueError(f"the name of a sequence cannot have a NUL character: {text!r}")
    return line


def path_of(file: str | bytes | os.PathLike[str] | os.PathLike[bytes]) -> str:
    """Returns a path as text. Raises TypeError for what is no path, and ValueError for one that no file can have."""
    path = os.fsdecode(file)
    if b"\0" in os.fsencode(path):
        raise ValueError(f"a path cannot have a NUL character: {path!r}")
    return path
