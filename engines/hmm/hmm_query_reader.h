// A reader of the queries of a profile search. The file has profiles, or sequences from which the
// reader builds profiles. In both cases it returns profiles with statistics, in batches that are
// searched together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engines/hmm/calibration.h"
#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_source.h"
#include "formats/sequences/sequence_format.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/scoring/profile_matrices.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

struct HmmQuerySettings {
    std::filesystem::path file;               // "-" is standard input
    SequenceFileFormat sequence_format = {};  // format of a file of sequences
    bool takes_profiles = true;               // whether a file that begins like profiles is read as such
    bool by_forms = false;                    // whether to read only what the first filters need of pressed profiles
    CpuBackend backend = CpuBackend::kPortable;
    CalibrationSettings calibration = {};  // for profiles without statistics
    // Settings for building a profile from a sequence.
    SubstitutionMatrix matrix = *profile_matrix("BLOSUM62");
    GapProbabilities gaps = {};
};

/// Limits of a batch. A batch ends with the profile that reaches a limit. The database is read once
/// per batch. A batch takes about a kilobyte of memory per node.
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
    /// Returns the next batch within the limits, or an empty one after the last query. Calibrates
    /// profiles without statistics, and those built from sequences, in parallel. Leaves out
    /// sequences whose profiles cannot be calibrated, such as X. If a query cannot be read, the
    /// queries before it are returned first. Returns Status::interrupted() soon after a stop is
    /// requested.
    Result<std::vector<ProfileHmm>> next_batch(const std::stop_token& stop = {});
    /// Returns the next batch as sources. Has to be used if `by_forms` is set.
    Result<std::vector<HmmSource>> next_sources(const std::stop_token& stop = {});
    /// Returns an error if data that was read from pressed profiles turned out to be damaged. Has
    /// to be called before results are used.
    Status check() const;
    /// Whether the first query of the file is a sequence without residues. Known once a batch has
    /// been returned.
    bool first_is_empty() const;
    /// Returns warnings about the queries that were read so far, one sentence each.
    std::vector<std::string> warnings() const;
    /// Returns an answer if the queries that were read so far look like nucleotides. It is returned
    /// once, and warnings() has it only if it was not.
    std::optional<std::string> take_nucleotide_answer();

   private:
    struct State;
    explicit HmmQueryReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
