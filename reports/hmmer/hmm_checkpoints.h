// What the rounds of a search leave besides its outputs: the profile that each one searched with,
// in PREFIX-ROUND.hmm, and the alignment that it ended with, in PREFIX-ROUND.sto. A file holds
// those of all queries that had such a round, in their order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_rounds.h"
#include "libcore/base/status.h"
#include "reports/report_text.h"

namespace warpseq {

/// The prefixes that were asked for.
struct HmmCheckpointFiles {
    std::optional<std::string> profiles, alignments;
    ExistingFile existing = ExistingFile::kReplace;
};

// Endings of their names.
inline constexpr const char *kProfileCheckpoint = ".hmm", *kAlignmentCheckpoint = ".sto";
std::filesystem::path checkpoint_file(const std::string& prefix, std::uint64_t round, const char* ending);

class HmmCheckpoints {
   public:
    explicit HmmCheckpoints(HmmCheckpointFiles files) : files_(std::move(files)) {}

    /// Of one query, by round.
    struct Text {
        std::vector<std::string> profiles, alignments;
    };
    /// Adds a round, after those before it.
    void format_round(const HmmRound& round, Text& text) const;
    /// The next query, in the order of the query file. Files are opened when there is something for
    /// them.
    Status append(const Text& text);
    /// Makes them appear.
    Status finish();

   private:
    HmmCheckpointFiles files_;
    std::vector<ReportText> profiles_, alignments_;  // by round
};

}  // namespace warpseq
