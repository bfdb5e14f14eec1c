"""Protein database search on GPUs and CPUs.

    import warpseq
    with warpseq.Session("sprot.wsdb") as session:
        for hits in session.hmmsearch("globins4.hmm"):
            for hit in hits:
                print(hits.query_name, hit.name, hit.evalue)
"""
from ._convert import Conversion, convert
from ._core import (Alignment, Domain, FileError, Hit, Hits, HmmAlignment, HmmHit, HmmHits, Hsp, InvalidInputError,
                    OptionError, UnavailableError, WarpseqError, WarpseqWarning, version as __version__)
from ._database import Database, Record
from ._inspect import DatabaseInfo, DatabaseStatistics, inspect, validate
from ._pairs import align, dot_plot, pair_report
from ._profiles import MultipleAlignment, Profile, hmmalign, hmmbuild, hmmpress, read_profiles
from ._scores import scores
from ._session import Search, Session

__all__ = ["Alignment", "Conversion", "Database", "DatabaseInfo", "DatabaseStatistics", "Domain", "FileError", "Hit",
           "Hits", "HmmAlignment", "HmmHit", "HmmHits", "Hsp", "InvalidInputError", "MultipleAlignment", "OptionError",
           "Profile", "Record", "Search", "Session", "UnavailableError", "WarpseqError", "WarpseqWarning",
           "__version__", "align", "convert", "dot_plot", "hmmalign", "hmmbuild", "hmmpress", "inspect", "pair_report",
           "read_profiles", "scores", "validate"]

# Tracebacks name the errors as users catch them.
for _error in (FileError, InvalidInputError, OptionError, UnavailableError, WarpseqError, WarpseqWarning):
    _error.__module__ = __name__
