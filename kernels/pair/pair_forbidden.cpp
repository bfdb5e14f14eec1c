#include "kernels/pair/pair_forbidden.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace warpseq {

void ForbiddenPairs::add(const Alignment& alignment) {
    std::vector<Diagonal> path;
    std::uint64_t row = alignment.query_begin, column = alignment.target_begin;
    for (const AlignmentRun& run : alignment.runs) {
        if (run.operation == AlignmentOperation::kMatch) path.push_back({row, column, run.length});
        if (run.operation != AlignmentOperation::kDelete) row += run.length;
        if (run.operation != AlignmentOperation::kInsert) column += run.length;
    }
    paths_.push_back(std::move(path));
}

template <typename Visit>
void ForbiddenPairs::visit(const PairArea& area, const Visit& visit) const {
    const std::uint64_t end_row = area.first_row + area.rows, end_column = area.first_column + area.columns;
    for (const std::vector<Diagonal>& path : paths_) {
        const auto lies_before = [&area](const Diagonal& diagonal) {
            return diagonal.row + diagonal.length <= area.first_row ||
                   diagonal.column + diagonal.length <= area.first_column;
        };
        auto diagonal = std::partition_point(path.begin(), path.end(), lies_before);
        for (; diagonal != path.end() && diagonal->row < end_row && diagonal->column < end_column; ++diagonal) {
            const std::uint64_t skipped = std::max(area.first_row - std::min(area.first_row, diagonal->row),
                                                   area.first_column - std::min(area.first_column, diagonal->column));
            const std::uint64_t end =
                std::min({diagonal->length, end_row - diagonal->row, end_column - diagonal->column});
            if (skipped >= end) continue;
            if (!visit(diagonal->row + skipped - area.first_row, diagonal->column + skipped - area.first_column,
                       end - skipped)) {
                return;
            }
        }
    }
}

bool ForbiddenPairs::meets(const PairArea& area) const {
    bool found = false;
    visit(area, [&found](std::uint64_t, std::uint64_t, std::uint64_t) {
        found = true;
        return false;
    });
    return found;
}

void ForbiddenPairs::mark(const PairArea& area, std::span<std::uint8_t> cells) const {
    assert(cells.size() == area.rows * area.columns);
    std::fill(cells.begin(), cells.end(), std::uint8_t{0});
    visit(area, [&](std::uint64_t row, std::uint64_t column, std::uint64_t length) {
        for (std::uint64_t k = 0; k < length; ++k) cells[(row + k) * area.columns + column + k] = 1;
        return true;
    });
}

}  // namespace warpseq
