// Finds the ungapped alignments of two sequences as BLAST does, with word hits, the two-hit rule
// and ungapped extension. This header is the contract of every back end.
//
// Hits are pairs of words (libcore/scoring/word_rule.h) whose query word lies in a stretch where
// words may start. Each diagonal (target position - query position) is treated by itself, and its
// hits are decided by ascending position. A diagonal has a state of two values: `last`, a target
// position, and whether `last` is the end of an extension. The rule for a hit at query position i
// and target position j is as follows, with words of w residues and a window of A residues.
//
//  - If `last` is the end of an extension, a hit with j < last is within the extension and dropped.
//    Any other hit becomes `last`, an ordinary position.
//  - Otherwise, if there is no last or j - last >= A, the hit becomes `last`.
//  - Otherwise, if j - last < w, the hit overlaps `last` and is dropped, and `last` stays.
//  - Otherwise the hit is extended.
//
// An extension first cuts the word to its prefix of the highest score. The prefix is empty if no
// prefix scores above 0. From the end of the prefix the extension goes left. If it has reached the
// residue behind the word at `last`, it then goes right. To the left, scores are summed outward,
// and the extension ends where the sum is x_drop or more below its highest. To the right, the sum
// starts at the highest score of the left side. The extension ends by the same rule, or where the
// sum is 0 or less. If the extension went right, let p be the target position of the residue that
// ended it, or one behind the last residue. `last` becomes p - (w - 1), as the end of an extension.
// If the extension did not go right, `last` becomes j, an ordinary position.
//
// With window 0 one hit suffices. A hit is extended if there is no `last` or j >= last. The
// extension goes left and right of the part of the word that scores highest (Kadane's algorithm).
// After every extension `last` becomes p - (w - 1), as above.
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

/// An ungapped alignment. Positions count residues from 0.
struct UngappedAlignment {
    std::uint32_t query_begin, target_begin, length;
    std::int32_t score_raw;
    bool operator==(const UngappedAlignment&) const = default;
};

struct WordHitSettings {
    std::uint32_t window_residues = 40;  // the window A; 0: one hit suffices
    std::int32_t x_drop_raw = 0;
    std::int32_t cutoff_raw = 0;
};

/// The residues begin .. end - 1 of a query. Words have to lie completely inside such a stretch.
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

    /// A stop token. Once a stop is requested, find() returns soon with a meaningless result. The
    /// reference does not check it.
    std::stop_token stop;

   private:
    std::unique_ptr<Memory> memory_;
};

/// Finds the ungapped alignments of one query with targets. Immutable, so threads share it. Each
/// thread brings its own workspace.
class WordHitFinder {
   public:
    virtual ~WordHitFinder() = default;
    /// Finds the alignments of the query with `target`. Replaces the content of `found` by them, in
    /// the order that the comment of this file defines. Sequences may have up to 2^31 - 1 residues.
    virtual void find(std::span<const ResidueCode> target, WordHitWorkspace& workspace,
                      std::vector<UngappedAlignment>& found) const = 0;
};

/// Returns the finder of a back end, which has to be runnable. `query` is the sequence that scores
/// and extensions use. Residues that extensions must not see, as with hard masking, are X in it.
/// Words are taken from `stretches`, which are ascending and disjoint. Everything is copied except
/// `matrix`, which has to outlive the finder.
std::unique_ptr<WordHitFinder> make_word_hit_finder(CpuBackend backend, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings);

}  // namespace warpseq
