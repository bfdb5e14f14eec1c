// Hits of one query, their order, and a list that keeps the best of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpseq {

struct Hit {
    double evalue = 0;  // 0 in all hits if no statistics are known; they are then ordered by score
    std::int32_t score_raw = 0;
    std::uint32_t database = 0;        // index into the DatabaseSet
    std::uint64_t rank = 0;            // of the sequence in its database
    std::uint64_t input_position = 0;  // of the sequence in its database's input
};

/// Orders hits as every report does: by E-value, score (highest first), database and input
/// position.
bool reported_before(const Hit& a, const Hit& b);

/// A list that keeps the best `limit` of the hits that are added (0: all). It is not thread-safe.
/// Each thread has a list, and the lists are merged at the end. Which hits it keeps does not depend
/// on the order in which they are added.
class HitList {
   public:
    explicit HitList(std::uint64_t limit) : limit_(limit) {}

    /// Returns the most hits that a list with this limit holds at a time.
    static constexpr std::uint64_t most_held(std::uint64_t limit) {
        return 2 * std::min(limit, std::uint64_t{1} << 48) + 1024;
    }

    void add(const Hit& hit);
    /// Adds the hits of another list. The other list is empty afterwards and holds no memory.
    void merge(HitList&& other);
    /// Returns the hits in the order of reported_before(). The list is empty afterwards.
    std::vector<Hit> take_sorted();

   private:
    void prune();

    std::uint64_t limit_;
    std::vector<Hit> hits_;
};

/// Returns an estimate of how many of `sequences` sequences are hits of a query, for planning
/// memory. It counts hits by chance, more of them than `evalue` says, and related sequences.
std::uint64_t expected_hits(double evalue, std::uint64_t sequences);

}  // namespace warpseq
