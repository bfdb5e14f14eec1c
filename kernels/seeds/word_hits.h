// From two sequences to ungapped alignments: word hits, the two-hit rule and ungapped extension, as
// in BLAST. The contract of every back end.
//
// Hits are pairs of words (libcore/scoring/word_rule.h) whose query word lies in a stretch where
// words may start. On each diagonal (target position - query position) they are decided by
// ascending position, with a state of two values: `last`, a target position, and whether it is the
// end of an extension. For a hit at query i, target j, with words of w residues and a window of A
// residues:
//
//   - behind the end of an extension (last is one): if j < last the hit is within it and dropped;
//     otherwise it becomes `last`, an ordinary one;
//   - else, if there is no last or j - last >= A, it becomes `last`;
//   - else, if j - last < w, it overlaps `last` and is dropped, `last` stays;
//   - else it is extended. The word is first cut to its prefix of the highest score (all of it from
//     the first residue; nothing if no prefix is above 0). From its end e the extension goes left,
//     then, if it has reached the residue behind the word at `last`, right. Left: scores are summed
//     outward; the extension ends where the sum is x_drop or more below its highest. Right: it goes
//     on with the left's highest score and ends likewise, or where the sum is 0 or less. If it went
//     right, `last` becomes the target position of the residue that ended it (or one behind the
//     last one) less w - 1, as the end of an extension; otherwise j, an ordinary one.
//
// With window 0 a single hit suffices: a hit at j >= last (or without one) is extended left and
// right of the part of the word that scores highest (Kadane's), and `last` becomes as above after
// every extension.
//
// An alignment is kept if its score is at least cutoff_raw. Results are ordered by score (highest
// first), target begin, length (longest first), query begin. Altschul and others 1997, Nucleic
// Acids Res 25:3389; details are NCBI BLAST 2.12's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "libcore/scoring/scoring.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct UngappedAlignment {
    std::uint32_t query_begin, target_begin, length;
    std::int32_t score_raw;
    bool operator==(const UngappedAlignment&) const = default;
};

struct WordHitSettings {
    std::uint32_t window_residues = 40;  // 0: one hit suffices
    std::int32_t x_drop_raw = 0;
    std::int32_t cutoff_raw = 0;
};

/// Residues begin .. end - 1 of a query, in which whole words have to lie.
struct QueryStretch {
    std::uint32_t begin, end;
};

/// Scratch memory of one thread, for any number of finders one after another.
class WordHitWorkspace {
   public:
    WordHitWorkspace();
    ~WordHitWorkspace();
    WordHitWorkspace(WordHitWorkspace&&) noexcept;
    struct Memory;
    Memory& memory() { return *memory_; }

    /// Once it is requested find() returns soon (the reference's does not), and what it found means
    /// nothing.
    std::stop_token stop;

   private:
    std::unique_ptr<Memory> memory_;
};

/// Finds the ungapped alignments of one query with targets. Immutable, so threads share it; each
/// brings its own workspace.
class WordHitFinder {
   public:
    virtual ~WordHitFinder() = default;
    /// Clears and fills `found`. Sequences of up to 2^31 - 1 residues.
    virtual void find(std::span<const ResidueCode> target, WordHitWorkspace& workspace,
                      std::vector<UngappedAlignment>& found) const = 0;
};

/// `query` is what scores and extensions see (so with masked residues as X where they are masked
/// for good), `stretches` where words are taken from, ascending and disjoint. All are copied but
/// `matrix`, which outlives the finder. The back end has to be runnable.
std::unique_ptr<WordHitFinder> make_word_hit_finder(CpuBackend backend, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings);

}  // namespace warpseq
