// The state of diagonals and the ungapped extension of kernels/seeds/word_hits.h, for every back
// end on the host. Back ends differ only in how they find hits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <vector>

#include "kernels/seeds/word_hits.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {

/// An extender of word hits. It takes the hits of one pair of sequences and stores the ungapped
/// alignments that are kept. The hits of each diagonal have to come by ascending target position.
class DiagonalExtender {
   public:
    /// Begins a pair of sequences and clears `found`. All arguments have to outlive finish(). Hits
    /// come segment by segment, where a segment is `segment_residues` target positions. The memory
    /// holds a state for each of the query.size() + segment_residues diagonals of a segment.
    void begin(const SubstitutionMatrix& matrix, const WordHitSettings& settings, std::int32_t word_residues,
               std::span<const ResidueCode> query, std::span<const ResidueCode> target, std::size_t segment_residues,
               std::vector<UngappedAlignment>& found) {
        matrix_ = &matrix;
        settings_ = settings;
        word_residues_ = word_residues;
        window_ = static_cast<std::int32_t>(settings.window_residues);
        query_ = query.data();
        target_ = target.data();
        query_residues_ = static_cast<std::int32_t>(query.size());
        target_residues_ = static_cast<std::int32_t>(target.size());
        found_ = &found;
        found.clear();
        diagonals_.assign(query.size() + segment_residues, Diagonal{});
        segment_begin_ = 0;
    }

    /// Begins the segment at `target_begin`, which is at most one segment behind the last one's
    /// begin. The hits that follow lie in it. Diagonals that reach into the new segment keep their
    /// state.
    void begin_segment(std::int32_t target_begin) {
        const auto kept = std::shift_left(diagonals_.begin(), diagonals_.end(), target_begin - segment_begin_);
        std::fill(kept, diagonals_.end(), Diagonal{});
        segment_begin_ = target_begin;
    }

    void add_hit(std::int32_t query_at, std::int32_t target_at) {
        add_hit_to(first_diagonal(target_at)[-query_at], query_at, target_at);
    }
    /// Adds the hits of several query positions with one target position.
    void add_hits(std::span<const std::uint16_t> query_positions, std::int32_t target_at) {
        Diagonal* const first = first_diagonal(target_at);
        for (const std::uint16_t query_at : query_positions) add_hit_to(*(first - query_at), query_at, target_at);
    }

    /// Sorts the alignments into the order that word_hits.h defines. Repetitive sequences have
    /// millions of them, so they are sorted in runs, and `stop` is checked between runs.
    void finish(const std::stop_token& stop = {}) const {
        constexpr std::ptrdiff_t kRun = 1 << 16;
        const auto before = [](const UngappedAlignment& a, const UngappedAlignment& b) {
            if (a.score_raw != b.score_raw) return a.score_raw > b.score_raw;
            if (a.target_begin != b.target_begin) return a.target_begin < b.target_begin;
            if (a.length != b.length) return a.length > b.length;
            return a.query_begin < b.query_begin;
        };
        const auto begin = found_->begin();
        const std::ptrdiff_t count = std::ssize(*found_);
        for (std::ptrdiff_t at = 0; at < count; at += kRun) {
            if (stop.stop_requested()) return;
            std::sort(begin + at, begin + std::min(at + kRun, count), before);
        }
        for (std::ptrdiff_t run = kRun; run < count; run *= 2) {
            for (std::ptrdiff_t at = 0; at + run < count; at += 2 * run) {
                if (stop.stop_requested()) return;
                std::inplace_merge(begin + at, begin + at + run, begin + std::min(at + 2 * run, count), before);
            }
        }
    }

   private:
    struct Diagonal {
        std::int32_t last = std::numeric_limits<std::int32_t>::min();
        bool extended = false;
    };
    /// Returns the diagonal of query position 0 and a target position. Those of later query
    /// positions stand before it.
    Diagonal* first_diagonal(std::int32_t target_at) {
        return diagonals_.data() + (target_at - segment_begin_ + query_residues_ - 1);
    }
    void add_hit_to(Diagonal& diagonal, std::int32_t query_at, std::int32_t target_at) {
        if (window_ == 0) {
            if (target_at >= diagonal.last) diagonal.last = extend_one_hit(query_at, target_at);
            return;
        }
        if (diagonal.extended) {
            if (target_at < diagonal.last) return;
            diagonal = {target_at, false};
            return;
        }
        const std::int64_t apart = std::int64_t{target_at} - diagonal.last;
        if (apart >= window_) {
            diagonal.last = target_at;
        } else if (apart >= word_residues_) {
            const Extension extension = extend_two_hits(diagonal.last, query_at, target_at);
            diagonal = extension.went_right ? Diagonal{extension.ended_at - (word_residues_ - 1), true}
                                            : Diagonal{target_at, false};
        }
    }

    struct Extension {
        std::int32_t ended_at;  // target position
        bool went_right;
    };
    struct Reach {
        std::int32_t residues, score_raw;
    };

    int score(std::int32_t query_at, std::int32_t target_at) const {
        return matrix_->score_raw(query_[query_at], target_[target_at]);
    }

    // Extends to the left from the given pair of residues. Returns the number of residues up to the
    // highest sum above `score_raw`, and that sum.
    Reach reach_left(std::int32_t query_at, std::int32_t target_at, std::int32_t score_raw) const {
        Reach best{0, score_raw};
        std::int32_t sum = score_raw;
        const std::int32_t most = std::min(query_at, target_at) + 1;
        for (std::int32_t k = 0; k < most; ++k) {
            sum += score(query_at - k, target_at - k);
            if (sum > best.score_raw) best = {k + 1, sum};
            if (best.score_raw - sum >= settings_.x_drop_raw) break;
        }
        return best;
    }
    Reach reach_right(std::int32_t query_at, std::int32_t target_at, std::int32_t score_raw,
                      std::int32_t& ended_at) const {
        Reach best{0, score_raw};
        std::int32_t sum = score_raw, k = 0;
        const std::int32_t most = std::min(query_residues_ - query_at, target_residues_ - target_at);
        for (; k < most; ++k) {
            sum += score(query_at + k, target_at + k);
            if (sum > best.score_raw) best = {k + 1, sum};
            if (sum <= 0 || best.score_raw - sum >= settings_.x_drop_raw) break;
        }
        ended_at = target_at + k;
        return best;
    }

    void keep(std::int32_t query_begin, std::int32_t target_begin, std::int32_t length, std::int32_t score_raw) {
        if (score_raw < settings_.cutoff_raw) return;
        found_->push_back({static_cast<std::uint32_t>(query_begin), static_cast<std::uint32_t>(target_begin),
                           static_cast<std::uint32_t>(length), score_raw});
    }

    Extension extend_two_hits(std::int32_t last, std::int32_t query_at, std::int32_t target_at) {
        std::int32_t sum = 0, highest = 0, prefix = 0;
        for (std::int32_t k = 0; k < word_residues_; ++k) {
            sum += score(query_at + k, target_at + k);
            if (sum > highest) {
                highest = sum;
                prefix = k + 1;
            }
        }
        const std::int32_t query_end = query_at + prefix, target_end = target_at + prefix;
        const Reach left = reach_left(query_end - 1, target_end - 1, 0);
        if (left.residues < target_end - (last + word_residues_)) {
            keep(query_end - left.residues, target_end - left.residues, left.residues, left.score_raw);
            return {0, false};
        }
        std::int32_t ended_at = 0;
        const Reach right = reach_right(query_end, target_end, left.score_raw, ended_at);
        keep(query_end - left.residues, target_end - left.residues, left.residues + right.residues, right.score_raw);
        return {ended_at, true};
    }

    // Extends a hit for which no second hit is needed. Returns the new `last`, the target position
    // from which hits of the diagonal count again.
    std::int32_t extend_one_hit(std::int32_t query_at, std::int32_t target_at) {
        std::int32_t sum = 0, highest = 0, begin = 0, best_begin = 0, last = word_residues_;
        for (std::int32_t k = 0; k < word_residues_; ++k) {
            sum += score(query_at + k, target_at + k);
            if (sum > highest) {
                highest = sum;
                best_begin = begin;
                last = k;
            } else if (sum <= 0) {
                sum = 0;
                begin = k + 1;
            }
        }
        // BLAST counts the word's part from the last beginning that it tried.
        const std::int32_t part = last - begin + 1;
        const Reach left = reach_left(query_at + best_begin - 1, target_at + best_begin - 1, highest);
        std::int32_t ended_at = 0;
        const Reach right = reach_right(query_at + last + 1, target_at + last + 1, left.score_raw, ended_at);
        keep(query_at + best_begin - left.residues, target_at + best_begin - left.residues,
             left.residues + right.residues + part, right.score_raw);
        return ended_at - (word_residues_ - 1);
    }

    const SubstitutionMatrix* matrix_ = nullptr;
    WordHitSettings settings_;
    std::int32_t word_residues_ = 0, window_ = 0;
    const ResidueCode* query_ = nullptr;
    const ResidueCode* target_ = nullptr;
    std::int32_t query_residues_ = 0, target_residues_ = 0;
    std::vector<UngappedAlignment>* found_ = nullptr;
    std::int32_t segment_begin_ = 0;
    std::vector<Diagonal> diagonals_;  // the first one is query_residues_ - 1 to the left of the segment's
};

struct WordHitWorkspace::Memory {
    DiagonalExtender extender;
    AlignedBytes letters, rows;
    std::vector<std::uint64_t> hits;   // bits, by target position in a segment
    std::vector<std::uint32_t> words;  // indices in a table, likewise
};

}  // namespace warpseq
