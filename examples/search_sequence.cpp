// search_sequence DATABASE.wsdb RESIDUES: prints the sequences that a protein is related to, found
// by Smith-Waterman on the fastest device of the machine.
#include <cstdio>

#include "engines/session.h"
#include "engines/sw/sw_engine.h"
#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;

static Status search(const char* database, const char* residues) {
    Observer nobody;
    auto session = Session::open({.database_files = {database}});
    if (!session.ok()) return session.status();
    auto engine = SwEngine::create(**session, {.scheme = {*builtin_matrix("BLOSUM62"), {11, 1}}, .evalue = 1e-3});
    if (!engine.ok()) return engine.status();
    const auto batch = (*engine)->prepare({{.header = "query", .residues = encode_residues(residues)}});
    if (!batch.ok()) return batch.status();
    const auto found = (*engine)->scan(*batch, whole_share((*session)->databases()), {nobody});
    if (!found.ok()) return found.status();
    const auto results = (*engine)->finish(*batch, *found, 0, 1, {}, {nobody});
    if (!results.ok()) return results.status();
    for (const ReportedHit& hit : results->front())
        std::printf("%s\tE = %.2g\tscore %d\n", hit.target_header.c_str(), hit.hit.evalue, hit.hit.score_raw);
    return (*session)->verify_unchanged();
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const Status status = search(argv[1], argv[2]);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    return status.exit_status();
}
