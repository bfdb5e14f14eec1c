// Reader of the queries of a profile search. It returns profiles with statistics, whatever the file
// holds: profiles, or sequences that profiles are made of. It reads them in batches that are
// searched together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_source.h"
#include "formats/alignments/sequence_file.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/scoring/profile_matrices.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

struct HmmQuerySettings {
    std::filesystem::path file;                // "-" is standard input
    QuerySequenceFormat sequence_format = {};  // of a file without profiles
    bool by_forms = false;                     // of pressed profiles only what the first filters need is read
    CpuBackend backend = CpuBackend::kPortable;
    CalibrationSettings calibration = {};  // of profiles that come without statistics
    // The settings for making a profile of a sequence.
    SubstitutionMatrix matrix = *profile_matrix("BLOSUM62");
    GapProbabilities gaps = {};
};

/// Limits of a batch, which ends with the profile that reaches one. The database is read once per
/// batch. A batch takes about a kilobyte a node in memory.
struct HmmBatchLimits {
    std::size_t profiles = 128;
    std::uint64_t nodes = 64 << 10;
};

class HmmQueryReader {
   public:
    /// Opens the query file. References have to outlive the reader.
    static Result<HmmQueryReader> open(const HmmQuerySettings& settings, const HmmBatchLimits& limits,
                                       const ThreadPool& pool);
    ~HmmQueryReader();
    HmmQueryReader(HmmQueryReader&&) noexcept;

    HmmQueryKind kind() const;
    /// Returns the next batch, bounded in number and in nodes; an empty one after the last query.
    /// Calibrates profiles without statistics, and those made of sequences, in parallel. Leaves out
    /// sequences of which no statistics can be made, like X. Returns Status::interrupted() soon
    /// after a stop is requested.
    Result<std::vector<ProfileHmm>> next_batch(const std::stop_token& stop = {});
    /// Returns the next batch as sources, which `by_forms` needs.
    Result<std::vector<HmmSource>> next_sources(const std::stop_token& stop = {});
    /// Returns an error if something that was read by forms was not what it should be. Called
    /// before results are used.
    Status check() const;
    /// Returns warnings about the queries read so far, a sentence each.
    std::vector<std::string> warnings() const;

   private:
    struct State;
    explicit HmmQueryReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
