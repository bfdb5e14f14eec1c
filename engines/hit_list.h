// Hits of one query: collected by many threads, bounded where the user bounds them, in one defined
// order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpseq {

struct Hit {
    double evalue = 0;  // 0 for all where no statistics are known: the score decides then
    std::int32_t score_raw = 0;
    std::uint32_t database = 0;        // index into the DatabaseSet
    std::uint64_t rank = 0;            // of the sequence in its database
    std::uint64_t input_position = 0;  // of the sequence in its database's input
};

/// The order of every report: E-value, then score (highest first), then database and input
/// position.
bool reported_before(const Hit& a, const Hit& b);

/// Keeps the best `limit` hits of those added (0: all). Not thread-safe: one list per thread,
/// merged at the end; which hits stay does not depend on the order they come in.
class HitList {
   public:
    explicit HitList(std::uint64_t limit) : limit_(limit) {}

    /// How many a list of this limit holds at a time.
    static constexpr std::uint64_t most_held(std::uint64_t limit) {
        return 2 * std::min(limit, std::uint64_t{1} << 48) + 1024;
    }

    void add(const Hit& hit);
    /// The other one is empty afterwards, and holds no memory.
    void merge(HitList&& other);
    /// The hits in the order of reported_before(); the list is empty afterwards.
    std::vector<Hit> take_sorted();

   private:
    void prune();

    std::uint64_t limit_;
    std::vector<Hit> hits_;
};

/// How many of so many sequences are hits of a query, as far as memory is set aside for them: those
/// that chance makes, some more than E-values say, and relatives.
std::uint64_t expected_hits(double evalue, std::uint64_t sequences);

}  // namespace warpseq
