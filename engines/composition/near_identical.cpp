#include "engines/composition/near_identical.h"

#include <algorithm>
#include <cstddef>

namespace warpseq {
namespace {

using Residues = std::span<const ResidueCode>;
constexpr std::ptrdiff_t kLongestShift = 8;
constexpr std::size_t kWord = 8;
constexpr double kShare = 0.96;

/// How far a comparison came in both sequences, and how many residues were the same.
struct Extent {
    std::size_t query = 0, target = 0, identical = 0;
};

/// Steps over `n` residues that differ, in both sequences or in one of them, to two pairs that are
/// the same. Returns false if there is no such step. same(query position, target position) says
/// whether a pair is the same.
template <class Same>
bool step_over(std::ptrdiff_t n, const Same& same, std::ptrdiff_t& q, std::ptrdiff_t& t) {
    const auto two_same = [&](std::ptrdiff_t query, std::ptrdiff_t target) {
        return same(query, target) && same(query + 1, target + 1);
    };
    if (two_same(q + n, t + n)) {
        q += n + 2;
        t += n + 2;
    } else if (two_same(q + n, t)) {
        q += n + 2;
        t += 2;
    } else if (two_same(q, t + n)) {
        q += 2;
        t += n + 2;
    } else {
        return false;
    }
    return true;
}

/// Compares two sequences. Positions count from the ends where the comparison begins. The last
/// `reserve` residues at the far ends are not looked at.
template <class Same>
Extent compare(std::ptrdiff_t query_residues, std::ptrdiff_t target_residues, std::ptrdiff_t reserve,
               const Same& same) {
    std::ptrdiff_t q = 0, t = 0;
    Extent extent;
    while (q < query_residues && t < target_residues) {
        for (; q < query_residues - reserve && t < target_residues - reserve && same(q, t); ++q, ++t)
            ++extent.identical;
        bool found = false;
        for (std::ptrdiff_t n = 1; n < kLongestShift && !found; ++n) {
            if (q + n + 1 >= query_residues - reserve || t + n + 1 >= target_residues - reserve) break;
            found = step_over(n, same, q, t);
        }
        if (!found) break;
        extent.identical += 2;
    }
    extent.query = static_cast<std::size_t>(q);
    extent.target = static_cast<std::size_t>(t);
    return extent;
}

Extent compare_from_left(Residues query, Residues target) {
    return compare(std::ssize(query), std::ssize(target), 0, [&](std::ptrdiff_t q, std::ptrdiff_t t) {
        return query[static_cast<std::size_t>(q)] == target[static_cast<std::size_t>(t)];
    });
}

// Compares from the right. The first residues are never counted.
Extent compare_from_right(Residues query, Residues target) {
    return compare(std::ssize(query), std::ssize(target), 1, [&](std::ptrdiff_t q, std::ptrdiff_t t) {
        return query[query.size() - 1 - static_cast<std::size_t>(q)] ==
               target[target.size() - 1 - static_cast<std::size_t>(t)];
    });
}

std::size_t compare_by_words(Residues query, Residues target) {
    if (query.size() < kWord || target.size() < kWord) return 0;
    std::size_t identical = 0, query_from = 0, target_from = 0;
    for (std::size_t t = 0; t + kWord < target.size();) {
        const Residues word = target.subspan(t, kWord);
        std::size_t q = query_from;
        while (q + kWord < query.size() && !std::ranges::equal(query.subspan(q, kWord), word)) ++q;
        if (q + kWord >= query.size()) {
            ++t;
            continue;
        }
        const Extent left =
            compare_from_right(query.subspan(query_from, q - query_from), target.subspan(target_from, t - target_from));
        const Extent right = compare_from_left(query.subspan(q + kWord), target.subspan(t + kWord));
        identical += kWord + left.identical + right.identical;
        query_from = q + kWord + right.query;
        t = target_from = t + kWord + right.target;
    }
    return identical;
}

}  // namespace

bool is_near_identical(Residues query, Residues target) {
    const auto shorter = static_cast<double>(std::min(query.size(), target.size()));
    const auto enough = [&](std::size_t identical) { return static_cast<double>(identical) / shorter > kShare; };
    const Extent left = compare_from_left(query, target);
    query = query.subspan(left.query);
    target = target.subspan(left.target);
    if (query.empty() || target.empty()) return enough(left.identical);
    const Extent right = compare_from_right(query, target);
    query = query.first(query.size() - right.query);
    target = target.first(target.size() - right.target);
    return enough(left.identical + right.identical + compare_by_words(query, target));
}

}  // namespace warpseq
