// Finds the ungapped alignments of two sequences as BLAST does, with word hits, the two-hit rule
// and ungapped extension. This header is the contract of every back end.
//
// Hits are pairs of words (libcore/scoring/word_rule.h) whose query word lies in a stretch where
// words may start. On each diagonal (target position - query position) they are decided by
// ascending position, with a state of two values. These are `last`, a target position, and whether
// it is the end of an extension. The rule is for a hit at query i, target j, with words of w
// residues and a window of A residues.
//
//  - If `last` is the end of an extension, a hit with j < last is within the extension and dropped.
//    Any other hit becomes `last`, an ordinary one.
//  - Otherwise, if there is no last or j - last >= A, the hit becomes `last`.
//  - Otherwise, if j - last < w, the hit overlaps `last` and is dropped, and `last` stays.
//  - Otherwise the hit is extended.
//
// An extension first cuts the word to its prefix of the highest score. The prefix starts at the
// first residue, and is nothing if no prefix is above 0. From its end e the extension goes left. If
// it has reached the residue behind the word at `last`, it then goes right. To the left, scores are
// summed outward, and the extension ends where the sum is x_drop or more below its highest. To the
// right, it goes on with the left's highest score and ends likewise, or where the sum is 0 or less.
// If it went right, `last` becomes a target position less w - 1, as the end of an extension. That
// position is of the residue that ended it, or one behind the last residue. If it did not go right,
// `last` becomes j, an ordinary one.
//
// With window 0 a single hit suffices. A hit at j >= last (or without one) is extended left and
// right of the part of the word that scores highest (Kadane's). After every extension `last`
// becomes as above.
//
// An alignment is kept if its score is at least cutoff_raw. Results are ordered by score (highest
// first), target begin, length (longest first), and query begin. Altschul and others 1997, Nucleic
// Acids Res 25:3389. Details are NCBI BLAST 2.12's.
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

/// The scratch memory of one thread, for any number of finders one after another.
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

/// Finds the ungapped alignments of one query with targets. Immutable, so threads share it. Each
/// thread brings its own workspace.
class WordHitFinder {
   public:
    virtual ~WordHitFinder() = default;
    /// Clears and fills `found`. Sequences may have up to 2^31 - 1 residues.
    virtual void find(std::span<const ResidueCode> target, WordHitWorkspace& workspace,
                      std::vector<UngappedAlignment>& found) const = 0;
};

/// Returns a finder. `query` is what scores and extensions see, with masked residues as X where
/// they are masked for good. `stretches` is where words are taken from, ascending and disjoint.
/// Everything is copied except `matrix`, which has to outlive the finder. The back end has to be
/// runnable.
std::unique_ptr<WordHitFinder> make_word_hit_finder(CpuBackend backend, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings);

}  // namespace warpseq
