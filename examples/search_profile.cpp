// search_profile DATABASE.wsdb PROFILES.hmm: prints the hits that hmmsearch finds for profile HMMs.
// For sequences in FASTA instead of profiles it prints the hits that phmmer finds.
#include <cstdio>

#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_thresholds.h"

using namespace warpseq;

static Status search(const char* database, const char* profiles) {
    Observer nobody;
    auto session = Session::open({.database_files = {database}});
    if (!session.ok()) return session.status();
    auto engine = HmmEngine::create(**session, {});
    if (!engine.ok()) return engine.status();
    auto reader = HmmQueryReader::open({.file = profiles}, (*engine)->batch_limits(), (*session)->pool());
    if (!reader.ok()) return reader.status();
    for (;;) {
        auto queries = reader->next_batch();
        if (!queries.ok()) return queries.status();
        if (queries->empty()) return (*session)->verify_unchanged();
        std::vector<HmmThresholds> thresholds(queries->size());
        const auto batch = (*engine)->prepare(*std::move(queries), std::move(thresholds));
        if (!batch.ok()) return batch.status();
        auto found = (*engine)->scan(*batch, whole_share((*session)->databases()), {nobody});
        if (!found.ok()) return found.status();
        const auto reports = (*engine)->finish(*batch, *std::move(found), {nobody});
        if (!reports.ok()) return reports.status();
        for (const HmmReport& report : *reports) {
            for (const HmmHit& hit : report.hits)
                if (hit.reported) std::printf("%s\tE = %.2g\n", hit.target_name.c_str(), evalue(report, hit));
        }
    }
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const Status status = search(argv[1], argv[2]);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    return status.exit_status();
}
