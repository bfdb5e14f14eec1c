#include "libcore/sequence/seg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

namespace warpseq {
namespace {

constexpr int kMostUncounted = 2;  // most letters other than amino acids in a window whose complexity counts
constexpr std::size_t kMostTrimmed = 50;
constexpr std::size_t kRemembered = 128;  // number of entropies of last windows that are kept
constexpr double kNotCounted = -1;        // the entropy of a window with more uncounted letters

// Logarithms of tenths as BLAST has them. Windows of ten amino acids are often exactly at a bound.
constexpr std::array<double, 11> kLogTenths = {0,          -2.30258509,  -1.60943791,  -1.203982804, -0.91629073,
                                               -0.6931478, -0.510825623, -0.356674944, -0.22314355,  -0.105360515,
                                               0};

// Returns the logarithm of n!. BLAST reads small ones from a table of six decimals, and these
// digits can decide which of two cuts is the less probable.
double log_factorial(std::size_t n) {
    constexpr std::size_t kTabulated = 10'000;
    static const std::vector<double> table = [] {
        std::vector<double> values;
        for (std::size_t i = 0; i <= kTabulated; ++i)
            values.push_back(std::round(std::lgamma(static_cast<double>(i) + 1) * 1e6) / 1e6);
        return values;
    }();
    if (n < table.size()) return table[n];
    const auto x = static_cast<double>(n);
    return (x + 0.5) * std::log(x) - x + 0.9189385332;
}

/// Returns the share of a letter in the entropy of `total` amino acids of which it makes up
/// `count`, in bits times `total`.
double entropy_term(int count, int total) {
    const double log_share =
        total == 10 ? kLogTenths[static_cast<std::size_t>(count)] : std::log(static_cast<double>(count) / total);
    return count * log_share / std::numbers::ln2;
}

/// Returns the entropy of a composition. `terms` are entropy_term()'s results for the number of
/// counted amino acids, by count.
double entropy_bits(std::span<const int> descending, int total, std::span<const double> terms) {
    if (total == 0) return 0;
    double sum = 0;
    for (const int count : descending) {
        if (count == 0) break;
        sum += terms[static_cast<std::size_t>(count)];
    }
    return std::abs(sum / total);
}

std::vector<double> entropy_terms(int total) {
    std::vector<double> terms = {0};
    for (int count = 1; count <= total; ++count) terms.push_back(entropy_term(count, total));
    return terms;
}

/// Counts of amino acids in a window that slides over a stretch, by letter and in descending order.
class Window {
   public:
    Window(std::span<const ResidueCode> residues, std::size_t length) : residues_(residues), length_(length) {
        for (std::size_t i = 0; i < length; ++i) enter(residues[i]);
    }

    bool slide() {
        if (begin_ + length_ >= residues_.size()) return false;
        leave(residues_[begin_]);
        enter(residues_[begin_ + length_]);
        ++begin_;
        return true;
    }

    int uncounted() const { return uncounted_; }
    const std::array<int, kAminoAcids>& descending() const { return descending_; }

    // Returns the log of the probability of a composition with these counts. The number of ways to
    // give the counts to amino acids, times the orders of the letters, is divided by the number of
    // sequences.
    double log_probability() const {
        double ways = log_factorial(kAminoAcids), orders = log_factorial(length_);
        for (std::size_t i = 0, end; i < descending_.size(); i = end) {
            for (end = i; end < descending_.size() && descending_[end] == descending_[i]; ++end) {
            }
            if (descending_.front() != 0) ways -= log_factorial(end - i);
        }
        for (const int count : descending_) {
            if (count == 0) break;
            orders -= log_factorial(static_cast<std::size_t>(count));
        }
        constexpr double kLogAminoAcids = 2.9957322735539909;
        return ways + orders - static_cast<double>(length_) * kLogAminoAcids;
    }

   private:
    void enter(ResidueCode code) {
        if (code >= kAminoAcids) {
            ++uncounted_;
            return;
        }
        ++*std::ranges::find(descending_, counts_[code]++);
    }
    void leave(ResidueCode code) {
        if (code >= kAminoAcids) {
            --uncounted_;
            return;
        }
        // The last one of its kind is changed, so that the order stays.
        std::size_t i = kAminoAcids - 1;
        while (descending_[i] != counts_[code]) --i;
        --descending_[i];
        --counts_[code];
    }

    std::span<const ResidueCode> residues_;
    std::size_t length_, begin_ = 0;
    std::array<int, kAminoAcids> counts_{}, descending_{};
    int uncounted_ = 0;
};

SegStretch trimmed(std::span<const ResidueCode> residues, SegStretch stretch) {
    const auto part = residues.subspan(stretch.begin, stretch.end - stretch.begin);
    const std::size_t shortest = part.size() > kMostTrimmed + 1 ? part.size() - kMostTrimmed : 1;
    SegStretch best = stretch;
    double least = 1;
    for (std::size_t length = part.size(); length > shortest; --length) {
        Window window(part, length);
        std::size_t at = stretch.begin;
        do {
            const double probability = window.log_probability();
            if (probability < least) {
                least = probability;
                best = {at, at + length};
            }
            ++at;
        } while (window.slide());
    }
    return best;
}

/// A window of any length, and its entropy.
class LongWindow {
   public:
    /// Results of entropy_terms() for windows of one length, by the number of uncounted letters.
    using Terms = std::array<std::vector<double>, kMostUncounted + 1>;
    static Terms make_terms(int length) {
        Terms terms;
        for (int uncounted = 0; uncounted <= kMostUncounted; ++uncounted)
            terms[static_cast<std::size_t>(uncounted)] = entropy_terms(length - uncounted);
        return terms;
    }

    LongWindow(std::span<const ResidueCode> residues, std::size_t length, const Terms& terms)
        : window_(residues, length), length_(static_cast<int>(length)), terms_(terms) {}

    void slide() { window_.slide(); }
    int uncounted() const { return window_.uncounted(); }
    double entropy_bits() const {
        return warpseq::entropy_bits(window_.descending(), length_ - uncounted(),
                                     terms_[static_cast<std::size_t>(uncounted())]);
    }

   private:
    Window window_;
    int length_;
    const Terms& terms_;
};

/// The compositions of up to kMostLetters amino acids, without which letter has which count. There
/// are 272 of them. State 0 is that of no letters.
class CompositionStates {
   public:
    static constexpr int kMostLetters = 12;
    struct State {
        // The states with one letter more or less of which there are so many.
        std::array<std::uint16_t, kMostLetters + 1> with_more, with_less;
        double entropy_bits;
    };

    static const CompositionStates& all() {
        static const CompositionStates states;
        return states;
    }
    const State& operator[](std::size_t state) const { return states_[state]; }

   private:
    using Counts = std::array<int, kAminoAcids>;  // descending

    CompositionStates() {
        std::vector<Counts> known = {Counts{}};
        std::vector<std::vector<double>> terms;
        for (int total = 0; total <= kMostLetters; ++total) terms.push_back(entropy_terms(total));
        for (std::size_t state = 0; state < known.size(); ++state) {
            const Counts counts = known[state];
            const int total = std::accumulate(counts.begin(), counts.end(), 0);
            if (state == states_.size()) states_.emplace_back();
            states_[state].entropy_bits = entropy_bits(counts, total, terms[static_cast<std::size_t>(total)]);
            for (std::size_t i = 0; i < counts.size() && total < kMostLetters; ++i) {
                if (i > 0 && counts[i] == counts[i - 1]) continue;
                Counts more = counts;
                ++more[i];
                const auto found = std::ranges::find(known, more);
                const auto next = static_cast<std::size_t>(found - known.begin());
                if (found == known.end()) known.push_back(more);
                if (next >= states_.size()) states_.resize(next + 1);
                const auto count = static_cast<std::size_t>(counts[i]);
                states_[state].with_more[count] = static_cast<std::uint16_t>(next);
                states_[next].with_less[count + 1] = static_cast<std::uint16_t>(state);
            }
        }
    }

    std::vector<State> states_;
};

/// A window of up to CompositionStates::kMostLetters residues, and its entropy. A step is two
/// look-ups.
class ShortWindow {
   public:
    using Terms = const CompositionStates*;
    static Terms make_terms(int) { return &CompositionStates::all(); }

    ShortWindow(std::span<const ResidueCode> residues, std::size_t length, const Terms& states)
        : residues_(residues), length_(length), states_(*states) {
        for (std::size_t i = 0; i < length; ++i) enter(residues[i]);
    }

    void slide() {
        leave(residues_[begin_]);
        enter(residues_[begin_ + length_]);
        ++begin_;
    }
    int uncounted() const { return uncounted_; }
    double entropy_bits() const { return states_[state_].entropy_bits; }

   private:
    void enter(ResidueCode code) {
        if (code >= kAminoAcids) {
            ++uncounted_;
        } else {
            state_ = states_[state_].with_more[counts_[code]++];
        }
    }
    void leave(ResidueCode code) {
        if (code >= kAminoAcids) {
            --uncounted_;
        } else {
            state_ = states_[state_].with_less[counts_[code]--];
        }
    }

    std::span<const ResidueCode> residues_;
    std::size_t length_, begin_ = 0;
    const CompositionStates& states_;
    std::size_t state_ = 0;
    std::array<std::uint8_t, kAminoAcids> counts_{};
    int uncounted_ = 0;
};

/// SEG with one of the two kinds of windows.
template <class EntropyWindow>
class Segmenter {
   public:
    Segmenter(std::span<const ResidueCode> residues, const SegParameters& parameters)
        : residues_(residues),
          window_(static_cast<std::size_t>(parameters.window_residues)),
          before_((window_ + 1) / 2 - 1),
          after_(window_ - before_),
          low_(std::max(parameters.low_bits, 0.0)),
          high_(std::max(parameters.high_bits, low_)),
          terms_(EntropyWindow::make_terms(parameters.window_residues)) {}

    // Returns the stretches of residues begin .. end - 1, in the order found.
    std::vector<SegStretch> find(std::size_t begin, std::size_t end) const {
        std::vector<SegStretch> found;
        if (end - begin < window_) return found;
        // A cut moves a stretch's end by at most kMostTrimmed. The search goes on from there, so
        // that many entropies are remembered.
        std::array<double, kRemembered> recent{};
        static_assert(kRemembered > kMostTrimmed + 2);
        EntropyWindow window(residues_.subspan(begin, end - begin), window_, terms_);
        std::size_t computed = before_;  // the entropies of all windows with a middle before this are computed
        const auto entropy = [&](std::size_t i) {
            for (; computed <= i; ++computed) {
                if (computed > before_) window.slide();
                recent[computed % kRemembered] =
                    window.uncounted() <= kMostUncounted ? window.entropy_bits() : kNotCounted;
            }
            return recent[i % kRemembered];
        };
        const auto is_low = [&](std::size_t i) {
            const double bits = entropy(i);
            return bits >= 0 && bits <= high_;
        };
        const std::size_t last = end - begin - after_;
        std::size_t low = before_;  // the first of the unbroken low windows up to i
        for (std::size_t i = before_; i <= last; ++i) {
            if (!is_low(i)) low = i + 1;
            if (low > i || entropy(i) > low_) continue;
            std::size_t high = i;
            while (high < last && is_low(high + 1)) ++high;
            const SegStretch whole{begin + low - before_, begin + high + after_};
            const SegStretch kept = trimmed(residues_, whole);
            if (begin + i + after_ - 1 < kept.begin) {
                // BLAST keeps only the last stretch of this part.
                const auto left = find(whole.begin, kept.begin);
                if (!left.empty()) found.push_back(left.back());
            }
            found.push_back(kept);
            i = std::min(high, kept.end - 1 - begin + before_);
            low = i + 1;
        }
        return found;
    }

   private:
    std::span<const ResidueCode> residues_;
    std::size_t window_, before_, after_;
    double low_, high_;
    typename EntropyWindow::Terms terms_;
};

}  // namespace

std::vector<SegStretch> seg_stretches(std::span<const ResidueCode> residues, const SegParameters& parameters) {
    const bool is_short = parameters.window_residues <= CompositionStates::kMostLetters;
    std::vector<SegStretch> found = is_short ? Segmenter<ShortWindow>(residues, parameters).find(0, residues.size())
                                             : Segmenter<LongWindow>(residues, parameters).find(0, residues.size());
    std::ranges::sort(found, {}, &SegStretch::begin);
    std::vector<SegStretch> merged;
    for (const SegStretch& stretch : found) {
        if (!merged.empty() && stretch.begin < merged.back().end) {
            merged.back().end = std::max(merged.back().end, stretch.end);
        } else {
            merged.push_back(stretch);
        }
    }
    return merged;
}

}  // namespace warpseq
