// Alignments of pairs of sequences in memory, one pair a call, as `search pair` computes and
// prints them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/searches/session_options.h"
#include "engines/pair/pair_input.h"
#include "engines/pair/pair_result.h"
#include "engines/pair/pair_search.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "options/pair/pair_options.h"
#include "reports/pair/pair_report.h"

namespace warpseq {

/// The part that all alignments of one pair share: the pair, the scores, and the kind of alignment.
struct AlignedPair {
    PairInput input;  // one query and one target
    std::shared_ptr<const ScoringScheme> scheme;
    PairMode mode = PairMode::kGlobal;
    PairSearchSettings settings;

    /// Returns the description for reports. It refers to this object.
    PairRun run() const;
};

/// An alignment of a pair. In a list it has a number.
struct PairAlignment {
    std::shared_ptr<const AlignedPair> pair;
    PairResult result;
};

/// An aligner with the options of `search pair`. Thread-safe.
class PairAligner {
   public:
    /// Reads the options. `machine` has those of the group "Machine". Options of files, and wrong
    /// values, are usage errors.
    static Result<std::unique_ptr<PairAligner>> of(const std::vector<NamedValue>& options,
                                                   const std::vector<NamedValue>& machine);

    /// Returns the alphabet that the options state, or nothing if the letters decide.
    std::optional<Alphabet> alphabet() const { return options_.input.alphabet; }
    /// Whether align() takes some milliseconds at most, in the thread that calls it.
    bool is_quick(const PairInput& input) const;
    /// Whether align() reads the scores from a file, which may be a pipe without a writer.
    bool reads_matrix() const;
    /// Aligns a pair. Returns the alignments of its list, or one alignment, which may be empty.
    /// Small pairs are aligned in the calling thread. Others have the threads and the GPUs that
    /// the options name. By default these are GPUs if they are quicker, with their start.
    Result<std::vector<PairAlignment>> align(PairInput input, const SearchControl& control) const;

   private:
    PairAligner(PairOptions options, SessionSettings machine)
        : options_(std::move(options)), machine_(std::move(machine)) {}
    Result<std::shared_ptr<const ScoringScheme>> scheme_of(Alphabet alphabet) const;
    SessionSettings machine_for(const PairInput& input) const;

    PairOptions options_;
    SessionSettings machine_;
    mutable std::mutex mutex_;
    /// The scores for each alphabet, once they have been used. The scores of a matrix file are
    /// read again for each pair.
    mutable std::shared_ptr<const ScoringScheme> proteins_, nucleotides_;
};

/// Returns the report of alignments of one pair in a format of --outfmt, with the bytes of the
/// program. Part of a pair's alignments are reported as if there were no others. `header` is that
/// of make_pair_report(). Errors are its, and those of alignments of different pairs.
Result<std::string> pair_report(const std::vector<PairAlignment>& alignments, std::string_view outfmt, bool header);
/// Returns the block of one alignment in format "0", without the head and the end of the report.
Result<std::string> pair_block(const PairAlignment& alignment);
/// Returns the drawing of alignments of one pair, as SVG. Alignments of different pairs are a
/// usage error.
Result<std::string> pair_dot_plot(const std::vector<PairAlignment>& alignments);

/// Returns an alignment with its pair and its scores as a packet (formats/io/packet.h).
std::string to_bytes(const PairAlignment& alignment);
/// Reads such a packet. Damage is an error, and so is an alignment that does not add up to its
/// score.
Result<PairAlignment> pair_alignment_from_bytes(std::string_view bytes);

}  // namespace warpseq
