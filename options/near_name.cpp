#include "options/near_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace warpseq {
namespace {

constexpr std::size_t kMostEdits = 2;

/// Returns the number of letters to change, leave out or add so that one word becomes the other
/// (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view near_name(std::string_view name, std::span<const std::string_view> known) {
    std::string_view near;
    std::size_t least = std::min(kMostEdits, name.size() / 2) + 1;
    for (const std::string_view each : known) {
        const std::size_t edits = each.empty() ? least : edit_distance(name, each);
        if (edits >= least) continue;
        least = edits;
        near = each;
    }
    return near;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known, std::string_view before) {
    const std::string_view near = near_name(name, known);
    if (near.empty()) return "; ";
    return "; did you mean " + std::string(before) + std::string(near) + "? ";
}

}  // namespace warpseq
