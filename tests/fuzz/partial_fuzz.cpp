// Fuzz target: hostile partials. An input is a packet, whose kind names the engine. Its checksum is
// corrected, because otherwise nearly every change would be refused at once. Reading must not crash
// or ask for absurd memory. An accepted partial can be written, merged and finished. With
// WARPSEQ_PARTIAL_SEEDS=FOLDER in the environment, the seeds are first written there. They are
// whole scans of the session below.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#define DOCTEST_CONFIG_DISABLE
#include "engines/blastp/blastp_engine.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/sw/sw_engine.h"
#include "formats/io/packet.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/fuzz/fuzz_support.h"
#include "tests/support/small_session.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

const ScoringScheme kScheme{*builtin_matrix("BLOSUM62"), {11, 1}};
Observer observer;

struct Engines {
    testing::SmallSession the{1};
    std::unique_ptr<SwEngine> sw = *SwEngine::create(*the.session, {.scheme = kScheme, .max_hits = 3});
    std::unique_ptr<HmmEngine> hmm = *HmmEngine::create(*the.session, {});
    std::unique_ptr<BlastpEngine> blastp = *BlastpEngine::create(*the.session, {.scheme = kScheme});
    std::unique_ptr<BlastpEngine> plain_blastp =
        *BlastpEngine::create(*the.session, {.scheme = kScheme, .composition = CompositionMode::kNone});
    SwBatch sw_batch = *sw->prepare(the.queries);
    HmmBatch hmm_batch = *hmm->prepare(the.profiles, {HmmThresholds()});
    BlastpBatch blastp_batch = *blastp->prepare(the.blastp_queries(), {observer});
};

Engines& engines() {
    static Engines all;
    return all;
}

void write_seeds(const std::string& folder) {
    Engines& the = engines();
    const TargetShare share = whole_share(the.the.session->databases());
    const auto write = [&](const char* name, const std::string& packet) {
        std::ofstream(folder + "/" + name, std::ios::binary) << packet;
    };
    write("sw", the.sw->to_bytes(*the.sw->scan(the.sw_batch, share, {observer})));
    write("hmm", the.hmm->to_bytes(*the.hmm->scan(the.hmm_batch, share, {observer})));
    write("blastp", the.blastp->to_bytes(*the.blastp->scan(the.blastp_batch, share, {observer})));
    auto sw = *the.sw->scan(the.sw_batch, share, {observer});
    write("sw_results",
          the.sw->to_bytes(SwResults{0, *the.sw->finish(the.sw_batch, sw, 0, sw.hits.size(), {}, {observer})}));
    auto blastp = *the.blastp->scan(the.blastp_batch, share, {observer});
    write("blastp_results", the.blastp->to_bytes(*the.blastp->finish(the.blastp_batch, std::move(blastp), {observer})));
}

/// Reads results. Accepted results must be written as they were read.
template <typename Engine, typename Batch>
void try_results(Engine& engine, const std::string& packet, const Batch& batch) {
    const auto results = engine.results_from_bytes(packet, batch, "it");
    if (results.ok()) require(engine.to_bytes(*results) == packet, "results are written as they were read");
}

/// Reads a partial, and uses it if it is accepted.
template <typename Engine, typename Batch, typename Finish>
void try_it(Engine& engine, const std::string& packet, const Batch& batch, const Finish& finish) {
    auto partial = engine.from_bytes(packet, batch, "it");
    if (!partial.ok()) return;
    auto again = engine.from_bytes(engine.to_bytes(*partial), batch, "it");
    require(again.ok(), "what was read cannot be written and read again");
    // Every hit was now found twice.
    static_cast<void>(engine.merge(*again, *std::move(engine.from_bytes(packet, batch, "it"))).ok());
    finish(*std::move(partial));
    finish(*std::move(again));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    if (const char* folder = std::getenv("WARPSEQ_PARTIAL_SEEDS")) write_seeds(folder);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Engines& the = engines();
    const std::string packet = reseal_packet(std::string(reinterpret_cast<const char*>(data), size));
    try_it(*the.sw, packet, the.sw_batch, [&](SwPartial partial) {
        static_cast<void>(the.sw->finish(the.sw_batch, partial, 0, the.sw_batch.queries.size(), {}, {observer}).ok());
    });
    try_it(*the.hmm, packet, the.hmm_batch, [&](HmmPartial partial) {
        static_cast<void>(the.hmm->finish(the.hmm_batch, std::move(partial), {observer}).ok());
    });
    for (BlastpEngine* blastp : {the.blastp.get(), the.plain_blastp.get()}) {
        try_it(*blastp, packet, the.blastp_batch, [&](BlastpPartial partial) {
            static_cast<void>(blastp->finish(the.blastp_batch, std::move(partial), {observer}).ok());
        });
    }
    try_results(*the.sw, packet, the.sw_batch);
    try_results(*the.blastp, packet, the.blastp_batch);
    return 0;
}
