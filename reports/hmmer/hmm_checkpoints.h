// Writes the checkpoints of a search in rounds. A round's checkpoints are the profile that it
// searched with, in PREFIX-ROUND.hmm, and the alignment that it ended with, in PREFIX-ROUND.sto. A
// file holds the checkpoints of all queries that had such a round, in the queries' order.
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

/// The prefixes of the files. A prefix is set if such checkpoints are to be written.
struct HmmCheckpointFiles {
    std::optional<std::string> profiles, alignments;
    ExistingFile existing = ExistingFile::kReplace;
};

// Endings of the files' names.
inline constexpr const char *kProfileCheckpoint = ".hmm", *kAlignmentCheckpoint = ".sto";
/// Returns the file of a round's checkpoints.
std::filesystem::path checkpoint_file(const std::string& prefix, std::uint64_t round, const char* ending);

/// The writer of all checkpoints of a run.
class HmmCheckpoints {
   public:
    explicit HmmCheckpoints(HmmCheckpointFiles files) : files_(std::move(files)) {}

    /// The checkpoints of one query as text. Those of round N, counted from 1, have index N - 1.
    struct Text {
        std::vector<std::string> profiles, alignments;
    };
    /// Appends a round's checkpoints to `text`. Called for one round after the other.
    void format_round(const HmmRound& round, Text& text) const;
    /// Appends the profile that a round searches with, if profiles are written.
    void format_profile(ProfileHmm hmm, Text& text) const;
    /// Writes the checkpoints of the next query, in the order of the query file. Opens a file when
    /// there is something to write to it.
    Status append(const Text& text);
    /// Ends all files, which makes them appear.
    Status finish();

   private:
    HmmCheckpointFiles files_;
    std::vector<ReportText> profiles_, alignments_;  // files of round N at index N - 1
};

}  // namespace warpseq
