"""Protein database search on GPUs and CPUs.

    import warpseq
    with warpseq.Session("sprot.wsdb") as session:
        for hits in session.hmmsearch("globins4.hmm"):
            for hit in hits:
                print(hits.query_name, hit.name, hit.evalue)
"""
from ._core import (Domain, FileError, HmmAlignment, HmmHit, HmmHits, InvalidInputError, OptionError, UnavailableError,
                    WarpseqError, WarpseqWarning, __version__)
from ._session import Search, Session

__all__ = ["Domain", "FileError", "HmmAlignment", "HmmHit", "HmmHits", "InvalidInputError", "OptionError", "Search",
           "Session", "UnavailableError", "WarpseqError", "WarpseqWarning", "__version__"]
