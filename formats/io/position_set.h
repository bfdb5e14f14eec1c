// PositionSet: a set of numbers, called positions, with one bit for each number up to the highest.
// It can also count the positions below a given one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpseq {

class PositionSet {
   public:
    PositionSet() = default;
    /// Makes the set of all positions whose bit is set. The bit of position p is bit p % 64 of word
    /// p / 64.
    explicit PositionSet(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
    const std::vector<std::uint64_t>& words() const { return words_; }
    /// Returns the number of positions in the set.
    std::uint64_t size() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t word : words_) sum += static_cast<unsigned>(std::popcount(word));
        return sum;
    }
    /// Calls `use` with each position, in ascending order.
    template <typename Use>
    void for_each(const Use& use) const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            for (std::uint64_t rest = words_[word]; rest != 0; rest &= rest - 1)
                use(std::uint64_t{word} * 64 + static_cast<unsigned>(std::countr_zero(rest)));
        }
    }

    void insert(std::uint64_t position) {
        const auto word = static_cast<std::size_t>(position / 64);
        if (word >= words_.size()) words_.resize(std::max(word + 1, words_.size() + words_.size() / 4));
        words_[word] |= std::uint64_t{1} << position % 64;
    }
    /// Inserts all positions from 0 to count - 1.
    void insert_all_below(std::uint64_t count) {
        if (count == 0) return;
        if (words_.size() < (count + 63) / 64) words_.resize((count + 63) / 64);
        for (std::uint64_t word = 0; word < count / 64; ++word) words_[word] = ~std::uint64_t{0};
        for (std::uint64_t position = count / 64 * 64; position < count; ++position) insert(position);
    }
    /// Whether the position is in the set.
    bool has(std::uint64_t position) const {
        return position / 64 < words_.size() && (words_[position / 64] >> position % 64 & 1) != 0;
    }

    /// Prepares index_of(). Call it after the last insert().
    void count() {
        before_.resize(words_.size() / kStride + 1);
        std::uint64_t sum = 0;
        for (std::size_t word = 0; word < words_.size(); ++word) {
            if (word % kStride == 0) before_[word / kStride] = sum;
            sum += static_cast<unsigned>(std::popcount(words_[word]));
        }
    }
    /// Returns how many positions in the set are less than `position`. `position` must be in the
    /// set, and count() must have been called.
    std::uint64_t index_of(std::uint64_t position) const {
        const auto last = static_cast<std::size_t>(position / 64);
        std::uint64_t index = before_[last / kStride];
        for (std::size_t word = last / kStride * kStride; word < last; ++word)
            index += static_cast<unsigned>(std::popcount(words_[word]));
        const std::uint64_t below = (std::uint64_t{1} << position % 64) - 1;
        return index + static_cast<unsigned>(std::popcount(words_[last] & below));
    }

   private:
    static constexpr std::size_t kStride = 8;  // words of 64 between two counts
    std::vector<std::uint64_t> words_, before_;
};

}  // namespace warpseq
