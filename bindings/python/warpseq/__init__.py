"""Protein database search on GPUs and CPUs.

    import warpseq
    with warpseq.Session("sprot.wsdb") as session:
        for hits in session.hmmsearch("globins4.hmm"):
            for hit in hits:
                print(hits.query_name, hit.name, hit.evalue)
"""
from typing import TYPE_CHECKING

from ._core import (Alignment, Domain, FileError, Hit, Hits, HmmAlignment, HmmHit, HmmHits, Hsp, InvalidInputError,
                    OptionError, UnavailableError, WarpseqError, WarpseqWarning, version as __version__)
from ._database import Database, Record
from ._session import Search, Session

if TYPE_CHECKING:
    from ._convert import Conversion, convert
    from ._inspect import DatabaseInfo, DatabaseStatistics, inspect, validate
    from ._pairs import align, dot_plot, pair_report
    from ._profiles import MultipleAlignment, Profile, hmmalign, hmmbuild, hmmpress, read_profiles
    from ._reports import write_report
    from ._scores import scores

__all__ = ["Alignment", "Conversion", "Database", "DatabaseInfo", "DatabaseStatistics", "Domain", "FileError", "Hit",
           "Hits", "HmmAlignment", "HmmHit", "HmmHits", "Hsp", "InvalidInputError", "MultipleAlignment", "OptionError",
           "Profile", "Record", "Search", "Session", "UnavailableError", "WarpseqError", "WarpseqWarning",
           "__version__", "align", "convert", "dot_plot", "hmmalign", "hmmbuild", "hmmpress", "inspect", "pair_report",
           "read_profiles", "scores", "validate", "write_report"]

# Searches are imported at once. The rest takes longer, and is imported when it is first used.
_LATER = {"Conversion": "_convert", "convert": "_convert", "DatabaseInfo": "_inspect", "DatabaseStatistics": "_inspect",
          "inspect": "_inspect", "validate": "_inspect", "align": "_pairs", "dot_plot": "_pairs", "pair_report": "_pairs",
          "MultipleAlignment": "_profiles", "Profile": "_profiles", "hmmalign": "_profiles", "hmmbuild": "_profiles",
          "hmmpress": "_profiles", "read_profiles": "_profiles", "scores": "_scores",
          "write_report": "_reports"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    value = getattr(import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Tracebacks name the errors as users catch them.
for _error in (FileError, InvalidInputError, OptionError, UnavailableError, WarpseqError, WarpseqWarning):
    _error.__module__ = __name__
