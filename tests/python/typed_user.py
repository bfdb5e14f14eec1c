"""A user's script, for a type checker (test_types.py). It is not run."""
import io
import pathlib

import warpseq


def best(database: pathlib.Path, profiles: str) -> dict[str, float]:
    """Returns the E-value of each profile's best target, by name."""
    found: dict[str, float] = {}
    with warpseq.Session(database, device="cpu", threads=2) as session:
        for hits in session.hmmsearch(profiles, cut_ga=True, callback=print):
            for hit in hits:
                start: int = hit.domains[0].alignment.target_from
                found.setdefault(f"{hits.query_name} {hit.name} {start}", hit.evalue)
        session.phmmer([("a", "MVLSPADKTNVKAAW")]).write(io.BytesIO(), format="tblout")
    return found


def tell(error: warpseq.WarpseqError) -> str:
    return f"{warpseq.__version__}: {error}"


try:
    best(pathlib.Path("proteins.wsdb"), "globins4.hmm")
except warpseq.FileError as error:
    print(tell(error), error.errno)
