// Fuzz target: hostile results of pairs. An input is a packet (engines/pair/pair_packet.h). Its
// checksum is corrected, because otherwise nearly every change would be refused at once. Reading
// must not crash or ask for absurd memory. Accepted results are complete, and are written as they
// were read. With WARPSEQ_PAIR_SEEDS=FOLDER in the environment, the seeds are first written there.
// They are results of the searches below.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/pair/pair_packet.h"
#include "engines/session.h"
#include "formats/io/packet.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "libcore/sequence/nucleotide.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

const ScoringScheme kScheme{match_mismatch_matrix(2, -3), {5, 2}};
constexpr PairRange kRange{1, 4};

PairInput make_input() {
    Random random(3);
    PairInput input;
    input.alphabet = Alphabet::kNucleotide;
    input.all_pairs = true;
    std::vector<ResidueCode> source(60);
    for (ResidueCode& code : source) code = static_cast<ResidueCode>(random.below(kBases));
    input.queries = {{"a", source}, {"b", reverse_complement(source)}};
    input.targets = {
        {"c", {source.begin() + 20, source.end()}}, {"d", {source.begin(), source.begin() + 30}}, {"e", {1}}};
    return input;
}

std::vector<PairSearchSettings> make_searches() {
    std::vector<PairSearchSettings> all(4);
    all[1].local = true;
    all[1].strand = PairStrand::kBoth;
    all[1].list = LocalListSettings{3, 5};
    all[2].free_ends = {true, true, true, true};
    all[2].strand = PairStrand::kMinus;
    all[3].score_only = true;
    return all;
}

const PairInput& input() {
    static const PairInput the_input = make_input();
    return the_input;
}

const std::vector<PairSearchSettings>& searches() {
    static const std::vector<PairSearchSettings> all = make_searches();
    return all;
}

void write_seeds(const std::string& folder) {
    Observer observer;
    SessionSettings settings;
    settings.device = {DeviceRequest::Kind::kCpu, {}};
    settings.threads = 1;
    const auto session = *Session::open(settings);
    for (std::size_t s = 0; s < searches().size(); ++s) {
        std::vector<PairResult> results;
        bool is_given = false;
        const auto next = [&]() -> Result<std::optional<PairRange>> {
            if (std::exchange(is_given, true)) return std::optional<PairRange>();
            return std::optional(kRange);
        };
        PairSearch search(*session, input(), kScheme, searches()[s], {observer});
        const Status status = search.run(next, [&](const PairResult& result) {
            results.push_back(result);
            return Status();
        });
        require(status.ok(), "the pairs can be aligned");
        std::ofstream(folder + "/" + std::to_string(s), std::ios::binary) << to_bytes(results);
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    if (const char* folder = std::getenv("WARPSEQ_PAIR_SEEDS")) write_seeds(folder);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string packet = reseal_packet(std::string(reinterpret_cast<const char*>(data), size));
    for (const PairSearchSettings& settings : searches()) {
        std::vector<PairResult> results;
        const Status status =
            read_pair_results(packet, input(), kScheme, settings, kRange, "it", [&](const PairResult& result) {
                require(result.aligned_query(input()).size() == input().queries[result.query].residues.size(),
                        "a result has its query");
                require(result.aligned_target(input()).size() ==
                            result.alignment.target_end - result.alignment.target_begin,
                        "a result lies in its target");
                results.push_back(result);
                return Status();
            });
        require(status.ok() ? to_bytes(results) == packet : results.empty(), "results are written as they were read");
    }
    return 0;
}
