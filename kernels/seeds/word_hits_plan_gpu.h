// The tables of a batch of queries for the GPU's word hits. Consecutive queries form a block, and
// each block has a table of the target words that are hits in it. This is host code only, so that
// it is tested without a GPU.
//
// A block is a string of residue codes, with separators between its queries and around them.
//
//     position         0 .. 3                  4 + gap ..
//     ... 31 31 31 31 | query 0 | 31 31 ... 31 | query 1 | 31 31 ...
//
// A separator (code 31) ends every extension, as the end of a query does, because its score is
// below every X-drop. All queries of a block share the kernel's diagonals. So the gap between two
// queries is wide enough that a word of one is never within the window of a word of the other.
//
// A block's table has an entry for each word of w residue codes. Its index is the word read as a
// number to the base kResidueCodes, with the first code most significant. An entry holds the index
// of its first hit among all hits of the batch, and the number of its hits. A hit is the position
// of a query word in the block. The hits of an entry ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/host_device.h"
#include "kernels/seeds/word_hits.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/scoring.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::cuda {

/// Most residues of a word.
inline constexpr int kMostWordHitResidues = 4;
/// Number of separators before a block's position 0, and behind its last residue.
inline constexpr std::uint32_t kBlockMargin = 16;
/// Most queries of a block. The kernel keeps a bit for each of them.
inline constexpr std::uint32_t kMostBlockQueries = 256;
/// Score of a separator against any residue. It ends every extension whose X-drop is at most
/// kMostWordHitXDrop.
inline constexpr std::int16_t kSeparatorScore = -32768;
inline constexpr std::int32_t kMostWordHitXDrop = 32767;
/// Bounds and usual value of a block's number of diagonals, which is a power of two. With
/// kMostDiagonals a warp's state takes 32 KB of shared memory.
inline constexpr std::uint32_t kFewestDiagonals = 1024, kUsualDiagonals = 8192, kMostDiagonals = 16384;
inline constexpr std::uint32_t kMostWordHitWindow = 512;

/// Most warps of a thread block.
inline constexpr std::uint32_t kMostWordHitWarps = 24;
/// Entries of a warp's queues. Each queue holds fewer than 32 entries before the hits of a position
/// are decided. Deciding a waiting hit removes an entry and adds at most one.
inline constexpr std::uint32_t kExtensionSlots = 128, kWaitingSlots = 64;

/// The shared memory of a thread block, for blocks of queries with `diagonals` diagonals. Host and
/// device share it. Offsets and sizes are in bytes.
///
///     thread block:   scores        [query code][target code], 2 bytes
///                     residues      of the block of queries
///                     warps         for each warp:
///                       states        [diagonal], 2 bytes
///                       extensions    kExtensionSlots of 8 bytes
///                       waiting       kWaitingSlots of 4 bytes
///                       found         a bit for each query
struct WordHitLayout {
    std::uint32_t queries;  // offset of the residues
    std::uint32_t warps;    // offset of the first warp's memory
    // Offsets within a warp's memory, which begins with the states.
    std::uint32_t extensions, waiting, found;
    std::uint32_t warp_bytes;

    WARPSEQ_HOST_DEVICE constexpr explicit WordHitLayout(std::uint32_t diagonals)
        : queries(kResidueTableSize * kResidueTableSize * sizeof(std::int16_t)),
          warps(queries + diagonals + 2 * kBlockMargin),
          extensions(diagonals * static_cast<std::uint32_t>(sizeof(std::uint16_t))),
          waiting(extensions + 8 * kExtensionSlots),
          found(waiting + 4 * kWaitingSlots),
          warp_bytes(found + kMostBlockQueries / 8) {}
    constexpr std::uint32_t bytes(std::uint32_t warp_count) const { return warps + warp_count * warp_bytes; }
};
// The kernel reads and clears this memory 16 bytes at a time.
static_assert(WordHitLayout(kFewestDiagonals).queries % 16 == 0 && WordHitLayout(kFewestDiagonals).warps % 16 == 0 &&
              WordHitLayout(kFewestDiagonals).extensions % 16 == 0 &&
              WordHitLayout(kFewestDiagonals).warp_bytes % 16 == 0);

/// Returns the number of entries of a block's table.
WARPSEQ_HOST_DEVICE constexpr std::uint32_t word_hit_entries(int word_residues) {
    std::uint32_t words = 1;
    for (int i = 0; i < word_residues; ++i) words *= static_cast<std::uint32_t>(kResidueCodes);
    return words;
}

struct WordHitQuery {
    std::span<const ResidueCode> residues;
    std::span<const QueryStretch> stretches;  // as in make_word_hit_finder()
    std::int32_t x_drop_raw = 0, cutoff_raw = 0;
};

struct WordHitBlock {
    std::uint32_t first_query, query_count;
    std::uint32_t first_residue;  // index of the leading margin in WordHitTables::residues; a multiple of kBlockMargin
    std::uint32_t residue_count;  // positions, without margins
    std::uint32_t first_entry;    // in WordHitTables::entries
};

struct WordHitEntry {
    std::uint32_t first_hit, hit_count;
};

struct WordHitLimits {
    std::int32_t x_drop_raw, cutoff_raw;
};

/// Returns the reason why the kernel cannot search by these rules, or nullptr if it can.
const char* word_hits_refusal(const WordRule& rule, std::uint32_t window_residues);
/// Whether the kernel can search with a query of this length and X-drop.
bool takes_word_hit_query(std::uint64_t residues, std::int32_t x_drop_raw, std::uint32_t window_residues);

/// The tables of a batch of queries. Immutable.
class WordHitTables {
   public:
    /// Makes the tables with the threads of `pool`. word_hits_refusal() and takes_word_hit_query()
    /// have to accept the rule and the queries. `usual_diagonals`, a power of two, is the number of
    /// diagonals of a block. Blocks have more if a query needs more, and fewer if all queries
    /// together need fewer. Fails only if memory runs out.
    static Result<WordHitTables> create(std::span<const WordHitQuery> queries, const WordRule& rule,
                                        const SubstitutionMatrix& matrix, std::uint32_t window_residues,
                                        const ThreadPool& pool, std::uint32_t usual_diagonals = kUsualDiagonals);

    int word_residues() const { return word_residues_; }
    std::uint32_t window_residues() const { return window_residues_; }
    std::uint32_t diagonals() const { return diagonals_; }
    std::size_t query_count() const { return limits_.size(); }
    std::span<const WordHitBlock> blocks() const { return blocks_; }
    std::span<const ResidueCode> residues() const { return residues_; }
    /// Returns, for each of residues(), the number of its query within the block. The values of
    /// separators are unspecified.
    std::span<const std::uint8_t> query_of_residue() const { return query_of_residue_; }
    std::span<const WordHitLimits> limits() const { return limits_; }  // of each query
    std::span<const WordHitEntry> entries() const { return entries_; }
    std::span<const std::uint16_t> hits() const { return hits_; }
    /// Returns the raw scores, indexed by query code * kResidueTableSize + target code.
    std::span<const std::int16_t> scores() const { return scores_; }
    std::uint64_t bytes() const;

   private:
    WordHitTables(const WordRule& rule, std::uint32_t window_residues, std::uint32_t usual_diagonals)
        : word_residues_(rule.residues), window_residues_(window_residues), diagonals_(usual_diagonals) {}
    void lay_out(std::span<const WordHitQuery> queries);
    Status fill(std::span<const WordHitQuery> queries, const WordRule& rule, const SubstitutionMatrix& matrix,
                const ThreadPool& pool);

    int word_residues_;
    std::uint32_t window_residues_, diagonals_;
    std::vector<WordHitBlock> blocks_;
    std::vector<ResidueCode> residues_;
    std::vector<std::uint8_t> query_of_residue_;
    std::vector<WordHitLimits> limits_;
    std::vector<std::uint32_t> first_position_;  // of each query, in its block
    std::vector<WordHitEntry> entries_;
    std::vector<std::uint16_t> hits_;
    std::vector<std::int16_t> scores_;
};

}  // namespace warpseq::cuda
