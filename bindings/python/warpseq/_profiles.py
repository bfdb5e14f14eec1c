"""Profiles: reading them, building them from alignments, and aligning sequences to them."""
from __future__ import annotations

import io
import os
from typing import Any, BinaryIO, Iterable, Iterator

from . import _core
from ._queries import chunks_of, encoded, encoded_letters, path_of, refuse_dict, sequence_of, text_of


class Profile:
    """A profile HMM of proteins, with the numbers of HMMER 3's file format."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def name(self) -> str:
        return str(self._core.name)

    @property
    def accession(self) -> str | None:
        return self._core.accession or None

    @property
    def description(self) -> str | None:
        return self._core.description or None

    @property
    def length(self) -> int:
        """The number of nodes (match states)."""
        return int(self._core.length)

    @property
    def consensus(self) -> str:
        """A letter for each node, in upper case where the residue's probability is at least 0.5."""
        return str(self._core.consensus)

    @property
    def sequences(self) -> int | None:
        """The number of sequences from which the profile was made, or None if it is not known."""
        return self._core.sequences  # type: ignore[no-any-return]

    @property
    def effective_sequences(self) -> float | None:
        """The number of sequences as which they counted, or None if it is not known."""
        return self._core.effective_sequences  # type: ignore[no-any-return]

    @property
    def gathering(self) -> tuple[float, float] | None:
        """The cutoffs of `cut_ga` in bits, for a sequence and for a domain, or None."""
        return self._core.gathering  # type: ignore[no-any-return]

    @property
    def trusted(self) -> tuple[float, float] | None:
        """The cutoffs of `cut_tc`, or None."""
        return self._core.trusted  # type: ignore[no-any-return]

    @property
    def noise(self) -> tuple[float, float] | None:
        """The cutoffs of `cut_nc`, or None."""
        return self._core.noise  # type: ignore[no-any-return]

    def replace(self, *, name: str | None = None, accession: str | None = None, description: str | None = None,
                gathering: tuple[float, float] | None = None, trusted: tuple[float, float] | None = None,
                noise: tuple[float, float] | None = None) -> Profile:
        """Returns a copy with another name or with other cutoffs. What is None stays as it is.

        Files of profiles end a name at its first blank, and so do results of searches. An empty text removes an accession or a description. Cutoffs are pairs of bits, for a sequence and for a domain,
        and are rounded to the two decimals of files.
        """
        texts = [None if text is None else encoded(text) for text in (name, accession, description)]
        return Profile(self._core.replace(*texts, gathering, trusted, noise))

    def write(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        """Writes the profile as `search hmmbuild` does, to a path or a binary file object."""
        write_all(file, bytes(self))

    def __bytes__(self) -> bytes:
        return bytes(self._core.text)

    def __str__(self) -> str:
        return bytes(self).decode("utf-8", "surrogateescape")

    def __len__(self) -> int:
        return self.length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and bytes(self) == bytes(other)

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __repr__(self) -> str:
        return f"<Profile {self.name}: {self.length} nodes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return profile_of_text, (bytes(self),)


def write_all(file: str | os.PathLike[str] | BinaryIO, content: bytes) -> None:
    """Writes an output as a whole."""
    out = _core.Output(file)
    try:
        out.write(content)
        out.finish()
    finally:
        out.close()


def profile_of_text(text: bytes) -> Profile:
    """Returns the first profile of the text of a file."""
    return Profile(_core.ProfileReader(None, text).next())


def read_profiles(file: str | os.PathLike[str] | bytes | BinaryIO) -> Iterator[Profile]:
    """Returns an iterator over the profiles of a file: HMMER 3's text or binary format, or HMMER2's, plain or compressed.

    `file` is a path, the content of a file, or a binary file object, which is read to its end. Profiles of HMMER2, which
    have no statistics of HMMER 3, are calibrated as they are read.
    """
    if isinstance(file, (str, os.PathLike)):
        reader = _core.ProfileReader(path_of(file), None)
    elif isinstance(file, bytes) or hasattr(file, "read"):
        content = file if isinstance(file, bytes) else file.read()
        if not isinstance(content, bytes):
            raise TypeError("profiles are read from a file that is open in binary mode: open(path, \"rb\")")
        reader = _core.ProfileReader(None, content)
    else:
        raise TypeError(f"profiles are read from a path, bytes or a binary file object, not from {type(file).__name__}")
    while (core := reader.next()) is not None:
        yield Profile(core)


def hmmbuild(msa: object, name: str | None = None, *, threads: int | None = None, **options: object) -> Profile | list[Profile]:
    """Builds a profile from an alignment, as `search hmmbuild` does. Several alignments give a list of profiles.

    `msa` is a path, the text of a file (bytes, or a str of several lines), a list of (name, row) pairs, Biopython's
    MultipleSeqAlignment or Alignment, pyhmmer's TextMSA or DigitalMSA, or a MultipleAlignment. The profile has the name of the
    alignment, or `name`, or the name of the file without its suffix; one of them must be there. The options are those of
    `search hmmbuild`, such as symfrac=0.7 or informat="afa".
    """
    file, text, options_of_text = file_or_alignment(msa)
    given = options_of_text | options
    if name is not None:
        given["n"] = name
    profiles = [Profile(core) for core in _core.hmmbuild(file, text, threads, given)]
    return profiles[0] if len(profiles) == 1 else profiles


def file_or_alignment(msa: Any) -> tuple[str | None, bytes | None, dict[str, object]]:
    """Returns the file of an alignment, or its text and the options by which hmmbuild reads this text."""
    if isinstance(msa, bytes):
        return None, msa, {}
    if isinstance(msa, str) and "\n" in msa:
        return None, msa.encode(), {}
    if isinstance(msa, (str, os.PathLike)):
        return path_of(msa), None, {}
    if isinstance(msa, MultipleAlignment):
        return None, bytes(msa._core.text("stockholm")), {}
    if hasattr(msa, "write") and hasattr(msa, "names"):  # pyhmmer's
        out = io.BytesIO()
        msa.write(out, "stockholm")
        return None, out.getvalue(), {}
    if getattr(msa, "column_annotations", None):  # Biopython's, with lines such as RF that AFA cannot hold
        return None, format(msa, "stockholm").encode(), {}
    refuse_dict(msa)
    if hasattr(msa, "sequences") and hasattr(msa, "coordinates"):  # Biopython's Alignment, whose rows have no names
        msa = [(getattr(sequence, "id", f"row{number}"), msa[number - 1])
               for number, sequence in enumerate(msa.sequences, 1)]
    rows = [afa_row(row) for row in msa]
    if not rows:
        raise _core.InvalidInputError("there are no rows to build a profile from")
    columns = {len(row[row.index(b"\n"):].strip()) for row in rows}
    if len(columns) > 1:
        raise _core.InvalidInputError(f"the rows of an alignment are equally long, and these have {min(columns)} to "
                                      f"{max(columns)} columns")
    return None, b"".join(rows), {"informat": "afa"}


def afa_row(row: Any) -> bytes:
    """Returns a row of an alignment as a record of aligned FASTA."""
    if hasattr(row, "seq"):
        row = row.id, row.seq
    if not (isinstance(row, (tuple, list)) and len(row) == 2):
        raise TypeError(f"a row of an alignment is a (name, row) pair or a record with a sequence, not {row!r:.60}")
    name, _, letters = sequence_of(tuple(row), "")
    return b">" + encoded(name) + b"\n" + encoded_letters(name, letters) + b"\n"


class MultipleAlignment:
    """Sequences that are aligned to a profile: those of hmmalign(), or the included domains of a search."""

    def __init__(self, core: Any, format: str) -> None:
        self._core = core
        self._format = format

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The rows as (name, text). Match columns are upper case with '-', inserts are lower case with '.'."""
        return [(name, text) for name, text, _ in self._core.rows]

    @property
    def posteriors(self) -> list[str]:
        """The posterior probabilities of each row: a digit per column, '*' from 0.95. Empty for rows without them."""
        return [posteriors for _, _, posteriors in self._core.rows]

    @property
    def annotation(self) -> dict[str, str]:
        """The lines of annotation with one letter per column: "PP_cons", "RF", and others that the profile has."""
        return dict(self._core.annotation)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self._core.columns)

    def __len__(self) -> int:
        return len(self._core.rows)

    def write(self, file: str | os.PathLike[str] | BinaryIO, format: str | None = None) -> None:
        """Writes the alignment as `search hmmalign --outformat` does, to a path or a binary file object."""
        write_all(file, self._core.text(self._format if format is None else format))

    def __str__(self) -> str:
        return bytes(self._core.text(self._format)).decode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"<MultipleAlignment: {len(self)} rows, {self.columns} columns>"


def hmmalign(hmm: object, sequences: object, format: str = "stockholm", *, threads: int | None = None,
             **options: object) -> MultipleAlignment:
    """Aligns whole sequences to a profile, as `search hmmalign` does.

    `hmm` is a Profile, a path of a file with one profile, or pyhmmer's HMM. `sequences` is a path, or sequences as a
    search takes them. `format` is the default of MultipleAlignment.write(). The options are those of `search hmmalign`, such as
    trim=True.
    """
    file, text = file_or_sequences(sequences)
    core = _core.hmmalign(core_of(hmm), file, text, threads, options | {"outformat": format})
    return MultipleAlignment(core, format)


def core_of(hmm: object) -> Any:
    """Returns the profile of the extension module."""
    if isinstance(hmm, Profile):
        return hmm._core
    if isinstance(hmm, (str, os.PathLike)):
        return _core.read_only_profile(path_of(hmm))
    text, is_profile = text_of(hmm, 1)
    if not is_profile:
        raise TypeError(f"a profile is a Profile, a path or pyhmmer's HMM, not {type(hmm).__name__}")
    return profile_of_text(text)._core


def file_or_sequences(sequences: object) -> tuple[str | None, bytes | None]:
    """Returns the file of sequences, or their text."""
    chunks = list(chunks_of(sequences))
    if len(chunks) == 1:
        return chunks[0].file, chunks[0].text
    if any(chunk.file is not None for chunk in chunks):
        raise TypeError("sequences are in one file or in memory, not in several files")
    return None, b"".join(chunk.text or b"" for chunk in chunks)


def hmmpress(path: str | os.PathLike[str], force: bool = False) -> int:
    """Makes the files by which hmmscan opens many profiles at once, as `search hmmpress` does.

    They stand beside the file of profiles, with more endings in their names. Returns the number of profiles. Pressed
    files that are there already are an error unless `force` is true.
    """
    return int(_core.hmmpress(path_of(path), force))
