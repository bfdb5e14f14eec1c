#include "kernels/profile/viterbi_unihit_plan_gpu.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "kernels/profile/viterbi_filter.h"

namespace warpseq::cuda {

/// A profile's numbers as the kernel stores them (viterbi_unihit_plan_gpu.h). Index k - 1 is node
/// k.
struct ViterbiUnihitNumbers {
    bool fits = false;
    int highest = 0;  // greatest M that is told from greater ones
    int lift = 0, bias = 0, cap = 0;
    int least = 0;         // stored
    int first_delete = 0;  // stored
    int pad_enter = 0, pad_delete = 0;
    std::vector<int> enter, match_match, match_delete, match_insert, delete_delete, insert_insert;
    std::vector<int> scores;  // [code * length + k - 1], lifted
};

namespace {

// The shapes, measured over 200 million residues of Swiss-Prot's lengths in both runs. Where there
// are passes, the rows of six passes were measured.
constexpr ViterbiUnihitShape kShapes[] = {
    {1, 16, 1.66}, {2, 12, 2.10}, {2, 16, 1.95}, {4, 12, 2.77}, {4, 16, 2.87},
    {4, 20, 3.35}, {4, 24, 3.33}, {4, 28, 3.24}, {8, 12, 3.16}, {8, 16, 3.34},
    {8, 20, 3.62}, {8, 24, 3.70}, {8, 28, 3.77}, {32, 4, 2.2},  {32, 8, 2.6},
};

int passes_of(int length, const ViterbiUnihitShape& shape) {
    const int rows = shape.group_threads * shape.rows_per_thread;
    return (length + rows - 1) / rows;
}

constexpr int kScoredCodes = kCodeStop;      // codes with scores in the kernel, which looks for stops itself
constexpr int kMost = kViterbiOverflow - 1;  // the greatest M that the contract tells from greater ones
constexpr int kStoredHighest = std::numeric_limits<std::uint16_t>::max();

/// Returns the numbers for a given greatest M. If they do not fit, scores are empty.
ViterbiUnihitNumbers numbers_up_to(const ViterbiProfile& profile, int most) {
    constexpr int kMinusInfinity = ViterbiProfile::kMinusInfinity;
    const auto length = static_cast<std::size_t>(profile.length);
    const ViterbiProfile::Transitions& from = profile.transitions;
    ViterbiUnihitNumbers n;
    const int least_enter = *std::ranges::min_element(from.enter);
    const int farthest_move = ViterbiProfile::move(kViterbiUnihitLongestTarget), nearest_move = ViterbiProfile::move(1);
    const int least = ViterbiProfile::kBase + farthest_move + least_enter;

    // Lower transitions cannot matter, since they lead to `least` or less. Lower scores lead to
    // less than the best M.
    const int least_transition = least - most;
    int least_highest = 0, lowest_score = 0, highest = 0;
    for (std::size_t code = 0; code < kScoredCodes; ++code) {
        const auto [low, high] = std::ranges::minmax(std::span(profile.match).subspan(code * length, length));
        least_highest = std::min(least_highest, int{high});
        lowest_score = std::min(lowest_score, int{low});
        highest = std::max(highest, int{high});
    }
    if (least_enter == kMinusInfinity || least_highest == kMinusInfinity) return n;
    const int least_score = least_transition + least_highest;
    const int lowest = std::max(least_score, lowest_score);
    n.lift = -lowest;
    // The highest sum is a capped M, less lift, plus the highest lifted score.
    n.highest = most;
    n.cap = kStoredHighest - highest;
    n.bias = n.cap - 1 - most - n.lift;
    n.least = least + n.bias;
    // The contract saturates some values, but M must not saturate, since the best M has to be
    // exact.
    if (n.least < 0 || least + lowest + ViterbiProfile::kEndMove <= kMinusInfinity) return n;

    const auto transition = [&](const std::vector<std::int16_t>& kind, std::size_t at) {
        return at < length ? std::max(least_transition, int{kind[at]}) : 0;
    };
    for (auto* kind : {&n.enter, &n.match_match, &n.match_delete, &n.match_insert, &n.delete_delete, &n.insert_insert})
        kind->assign(length, 0);
    int lower = n.least;  // the lower bound of everything
    n.pad_delete = transition(from.delete_match, 1);
    n.first_delete = n.least + n.pad_delete;
    // xB is highest for the shortest target.
    n.pad_enter = least - (ViterbiProfile::kBase + nearest_move);
    lower = std::min(lower, n.least + farthest_move - nearest_move + n.pad_delete);
    int least_delete = n.first_delete;  // least D at this node
    for (std::size_t at = 0; at < length; ++at) {
        n.enter[at] = from.enter[at];
        if (at + 1 == length) break;  // transitions that leave the last node are not used
        const int insert_match = transition(from.insert_match, at + 1),
                  delete_match = transition(from.delete_match, at + 1);
        const int next_delete_match = transition(from.delete_match, at + 2);
        n.match_match[at] = transition(from.match_match, at + 1) - n.lift;
        n.match_insert[at] = transition(from.match_insert, at) + insert_match - n.lift;
        n.insert_insert[at] = transition(from.insert_insert, at);
        n.match_delete[at] = transition(from.match_delete, at) + next_delete_match - n.lift;
        n.delete_delete[at] = transition(from.delete_delete, at) + next_delete_match - delete_match;
        lower = std::min({lower, n.least + n.match_match[at], n.least + n.match_insert[at] + n.insert_insert[at],
                          least_delete + n.delete_delete[at], n.least + n.match_delete[at]});
        least_delete = n.least + n.match_delete[at];
    }
    n.fits = lower >= 0;
    if (!n.fits) return n;
    n.scores.assign(static_cast<std::size_t>(kResidueTableSize) * length, 0);
    for (std::size_t at = 0; at < static_cast<std::size_t>(kScoredCodes) * length; ++at)
        n.scores[at] = std::max(least_score, int{profile.match[at]}) + n.lift;
    return n;
}

ViterbiUnihitNumbers numbers_of(const ViterbiProfile& profile) {
    const ViterbiProfile::Transitions& from = profile.transitions;
    for (const auto* kind : {&from.enter, &from.match_match, &from.insert_match, &from.delete_match, &from.match_delete,
                             &from.match_insert, &from.insert_insert, &from.delete_delete}) {
        if (*std::ranges::max_element(*kind) > 0) return {};
    }
    ViterbiUnihitNumbers best = numbers_up_to(profile, kViterbiHarmless);
    if (!best.fits) return best;
    // The search finds the greatest M that fits, to about 100.
    for (int low = kViterbiHarmless, high = kMost; high - low > 100;) {
        const int middle = high == kMost ? high : (low + high) / 2;
        ViterbiUnihitNumbers numbers = numbers_up_to(profile, middle);
        if (numbers.fits) {
            best = std::move(numbers);
            if (middle == kMost) break;
            low = middle;
        } else {
            high = middle == kMost ? kMost - 1 : middle;
        }
    }
    return best;
}

/// Returns a value in both halves, for an operation on halves.
std::uint32_t twice(int value) { return (static_cast<std::uint32_t>(value) & 0xffff) * 0x10001u; }
/// Returns a value for a plain addition of 32 bits, where neither half's sum leaves 0..65535.
std::uint32_t plain(int value) { return static_cast<std::uint32_t>(value) * 0x10001u; }

}  // namespace

std::span<const ViterbiUnihitShape> viterbi_unihit_shapes() { return kShapes; }

namespace {

const ViterbiUnihitShape& cheapest(int length, bool wide) {
    const auto seconds = [=](const ViterbiUnihitShape& shape) {
        const int passes = passes_of(length, shape);
        if ((shape.group_threads == kViterbiUnihitWideThreads) != wide ||
            (passes > 1 && shape.group_threads < kViterbiUnihitPassThreads))
            return std::numeric_limits<double>::infinity();
        return passes * shape.group_threads * shape.rows_per_thread / shape.tera_cells;
    };
    return *std::ranges::min_element(kShapes, {}, seconds);
}

}  // namespace

const ViterbiUnihitShape& plan_viterbi_unihit(int length) { return cheapest(length, false); }
const ViterbiUnihitShape& plan_viterbi_unihit_wide(int length) { return cheapest(length, true); }

ViterbiUnihitTables::ViterbiUnihitTables(std::span<const ViterbiProfile* const> profiles,
                                         const ViterbiUnihitShape* shape) {
    fits_.reserve(profiles.size());
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        const ViterbiProfile& profile = *profiles[p];
        const ViterbiUnihitNumbers numbers = numbers_of(profile);
        fits_.push_back(numbers.fits);
        if (!numbers.fits) continue;
        if (shape != nullptr) {
            constexpr Lists kAll[] = {kAllLists, kAllLists, kAllLists, kAllLists, kAllLists};
            add_model(p, profile, *shape, numbers, kAll);
            continue;
        }
        const bool passes = passes_of(profile.length, plan_viterbi_unihit(profile.length)) > 1;
        const Lists wide[] = {kAllLists, kAllLists, passes ? kShortAndSecond : kSecondRun, kSecondRun, kNoLists};
        const Lists narrow[] = {kNoLists, kNoLists, passes ? kLongLists : kFirstRun, kFirstRun, kAllLists};
        add_model(p, profile, plan_viterbi_unihit_wide(profile.length), numbers, wide);
        add_model(p, profile, plan_viterbi_unihit(profile.length), numbers, narrow);
    }
    // Longest targets first, whatever the profile.
    for (Class& each : classes_)
        std::ranges::stable_sort(each.ranges, {}, [](const Range& range) { return range.length_class; });
    // The classes that keep a warp busy for longest come first.
    std::ranges::stable_sort(classes_, std::ranges::greater(), [](const Class& each) {
        const auto first =
            std::ranges::find_if(each.ranges, [](const Range& range) { return (range.lists & kShortLists) != 0; });
        const std::uint32_t length_class =
            first != each.ranges.end() ? first->length_class : kViterbiUnihitLengthClasses - 1;
        const std::uint32_t longest =
            length_class == 0 ? 2 * kViterbiUnihitLengthLimits[0] : kViterbiUnihitLengthLimits[length_class - 1];
        const std::uint32_t warps =
            ViterbiUnihitLayout(each.shape.group_threads, each.shape.rows_per_thread).team_warps;
        return std::uint64_t{longest} * ((each.most_passes + warps - 1) / warps) *
               static_cast<std::uint64_t>(each.shape.rows_per_thread);
    });
}

void ViterbiUnihitTables::add_model(std::size_t index, const ViterbiProfile& profile, const ViterbiUnihitShape& shape,
                                    const ViterbiUnihitNumbers& n,
                                    std::span<const Lists, kViterbiUnihitLengthClasses> lists_of) {
    const auto length = static_cast<std::size_t>(profile.length);
    const auto threads = static_cast<std::size_t>(shape.group_threads),
               rows = static_cast<std::size_t>(shape.rows_per_thread);
    const auto passes = static_cast<std::size_t>(passes_of(profile.length, shape));
    const std::size_t padding = passes * threads * rows - length;
    const ViterbiUnihitLayout layout(shape.group_threads, shape.rows_per_thread);
    const auto slots = static_cast<std::size_t>(layout.slots);

    auto each = std::ranges::find_if(classes_, [&](const Class& c) {
        return c.shape.group_threads == shape.group_threads && c.shape.rows_per_thread == shape.rows_per_thread;
    });
    if (each == classes_.end()) each = classes_.insert(classes_.end(), Class{shape, 0, {}});
    each->most_passes = std::max(each->most_passes, static_cast<std::uint32_t>(passes));
    for (std::uint32_t c = 0; c < kViterbiUnihitLengthClasses; ++c) {
        if (lists_of[c] != kNoLists)
            each->ranges.push_back({static_cast<std::uint32_t>(models_.size()), c, lists_of[c]});
    }

    const std::size_t entries = layout.pass_entries;
    models_.push_back({.profile = static_cast<std::uint32_t>(index),
                       .passes = static_cast<std::uint32_t>(passes),
                       .first_entry = words_.size() / 4,
                       .base = static_cast<std::uint32_t>(ViterbiProfile::kBase + n.bias),
                       .least = twice(n.least),
                       .first_delete = twice(n.first_delete),
                       .harmless = twice(kViterbiHarmless + n.bias + n.lift),
                       .cap = twice(n.cap),
                       .capped_result = n.highest == kMost ? kViterbiOverflow : kViterbiUndecided,
                       .best_offset = n.bias + n.lift - ViterbiProfile::kEndMove});
    words_.resize(words_.size() + passes * entries * 4, 0);
    std::uint32_t* out = words_.data() + words_.size() - passes * entries * 4;
    const auto enter_of = [&](std::size_t row) {
        return row < padding ? plain(n.pad_enter) : row - padding < length ? plain(n.enter[row - padding]) : 0;
    };
    for (std::size_t pass = 0; pass < passes; ++pass, out += entries * 4) {
        const std::size_t first_row = pass * threads * rows;
        for (std::size_t load = 0; load < rows / 4; ++load) {
            for (std::size_t code = 0; code < kScoredCodes; ++code) {
                for (std::size_t slot = 0; slot < slots; ++slot) {
                    for (std::size_t k = 0; k < 4; ++k) {
                        const std::size_t row = first_row + slot % threads * rows + load * 4 + k;
                        const int score = row < padding ? 0 : n.scores[code * length + row - padding];
                        out[((load * kResidueTableSize + code) * slots + slot) * 2 + k / 2] |=
                            static_cast<std::uint32_t>(score) << (16 * (k % 2));
                    }
                }
            }
        }
        std::uint32_t* const from_match = out + std::size_t{layout.from_match} * 4;
        std::uint32_t* const going_on = out + std::size_t{layout.going_on} * 4;
        std::uint32_t* const first_enter = out + std::size_t{layout.first_enter} * 4;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t row = first_row + thread * rows + r, at = r * threads + thread;
                std::uint32_t* const words = from_match + at * 4;
                words[3] = enter_of(row + 1);
                if (row < padding) {
                    words[1] = twice(n.pad_delete);
                } else {
                    words[0] = twice(n.match_match[row - padding]);
                    words[1] = twice(n.match_delete[row - padding]);
                    words[2] = twice(n.match_insert[row - padding]);
                    going_on[at * 2] = plain(n.delete_delete[row - padding]);
                    going_on[at * 2 + 1] = plain(n.insert_insert[row - padding]);
                }
            }
            first_enter[thread] = enter_of(first_row + thread * rows);
        }
    }
}

}  // namespace warpseq::cuda
