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
            if hits.profile is not None and (msa := hits.to_msa()) is not None:
                print(hits.profile.replace(trusted=(25, 20)).trusted, msa.rows, [hit.name for hit in hits.included[:2]])
        warpseq.write_report(list(session.hmmsearch(profiles)), database.with_suffix(".json"), format="json")
        session.phmmer([("a", "MVLSPADKTNVKAAW")]).write(io.BytesIO(), format="tblout")
        for alignments in session.blastp([("a", "MVLSPADKTNVKAAW")], evalue=1.0):
            found.update({target.name: target.hsps[0].evalue or 0.0 for target in alignments[:3]})
            bits: float | None = alignments[0].score
            warpseq.write_report([alignments], io.BytesIO(), format="7")
            print(bits, [each.cigar for target in alignments for each in target.hsps])
    return found


def tell(error: warpseq.WarpseqError) -> str:
    return f"{warpseq.__version__}: {error}"


try:
    best(pathlib.Path("proteins.wsdb"), "globins4.hmm")
except warpseq.FileError as error:
    print(tell(error), error.errno)
