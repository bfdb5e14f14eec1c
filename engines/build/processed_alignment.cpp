#include "engines/build/processed_alignment.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {
namespace {

/// The places of the columns. Columns are numbered from 1. columns_[k] is the column of node k, or
/// the one before its inserts if the node has none.
class Layout {
   public:
    Layout(const std::vector<RowTrace>& traces, int nodes)
        : inserts_(static_cast<std::size_t>(nodes) + 1, 0),
          is_used_(inserts_.size(), false),
          columns_(inserts_.size()) {
        std::vector<std::size_t> inserts(inserts_.size());
        for (const RowTrace& trace : traces) {
            std::fill(inserts.begin(), inserts.end(), std::size_t{0});
            for (const RowStep& step : trace) {
                const auto node = static_cast<std::size_t>(step.node);
                if (step.state == RowState::kInsert) ++inserts[node];
                if (step.state == RowState::kMatch) is_used_[node] = true;
            }
            for (std::size_t k = 0; k < inserts.size(); ++k) inserts_[k] = std::max(inserts_[k], inserts[k]);
        }
        count_ = inserts_[0];
        columns_[0] = 0;
        for (std::size_t k = 1; k < inserts_.size(); ++k) {
            columns_[k] = count_ + (is_used_[k] ? 1 : 0);
            count_ = columns_[k] + inserts_[k];
        }
    }

    std::size_t nodes() const { return inserts_.size() - 1; }
    std::size_t count() const { return count_; }
    std::size_t column(std::size_t node) const { return columns_[node]; }
    std::size_t longest_insert(std::size_t node) const { return inserts_[node]; }
    bool is_used(std::size_t node) const { return is_used_[node]; }
    /// Returns the begin of node k's inserts, counted from 0.
    std::size_t inserts_begin(std::size_t node) const { return columns_[node]; }
    std::size_t inserts_end(std::size_t node) const { return columns_[node] + inserts_[node]; }

   private:
    std::vector<std::size_t> inserts_;
    std::vector<bool> is_used_;
    std::vector<std::size_t> columns_;
    std::size_t count_ = 0;
};

std::string empty_row(const Layout& layout) {
    std::string row(layout.count(), '.');
    for (std::size_t k = 1; k <= layout.nodes(); ++k) {
        if (layout.is_used(k)) row[layout.column(k) - 1] = '-';
    }
    return row;
}

/// Returns a row with residues in their columns and inserts from the left.
std::string row_of(const RowTrace& trace, std::span<const ResidueCode> codes, const Layout& layout) {
    std::string row = empty_row(layout);
    std::size_t next = 0;
    const auto letter = [&](const RowStep& step) {
        return residue_letter(codes[static_cast<std::size_t>(step.column) - 1]);
    };
    for (std::size_t i = 1; i + 1 < trace.size(); ++i) {
        const RowStep& step = trace[i];
        const auto node = static_cast<std::size_t>(step.node);
        switch (step.state) {
            case RowState::kMatch:
                next = layout.column(node);
                row[next - 1] = letter(step);
                break;
            case RowState::kDelete:
                next = layout.column(node);
                if (layout.is_used(node)) row[next - 1] = '-';
                break;
            case RowState::kInsert:
                row[next++] = static_cast<char>(std::tolower(static_cast<unsigned char>(letter(step))));
                break;
            case RowState::kMissing:
                if (i == 1) {  // up to where the next step is
                    next = layout.column(static_cast<std::size_t>(trace[i + 1].node));
                    std::fill_n(row.begin(), next, '~');
                } else {
                    std::fill(row.begin() + static_cast<std::ptrdiff_t>(next), row.end(), '~');
                }
                break;
            case RowState::kBegin:
            case RowState::kEnd: break;
        }
    }
    return row;
}

/// Moves inserts apart: the first half of the residues stays left, the rest goes right. Before node
/// 1 all go right. Behind the last node they stay.
void justify_inserts(const Layout& layout, std::string& row) {
    for (std::size_t k = 0; k < layout.nodes(); ++k) {
        if (layout.longest_insert(k) < 2) continue;
        const std::size_t begin = layout.inserts_begin(k), end = layout.inserts_end(k);
        std::string_view insert = std::string_view(row).substr(begin, end - begin);
        const auto residues = std::count_if(insert.begin(), insert.end(), [](char letter) {
            return std::isalpha(static_cast<unsigned char>(letter)) != 0;  // a stop is no letter
        });
        const std::size_t left = begin + (k == 0 ? 0 : static_cast<std::size_t>(residues) / 2);
        std::size_t to = end;
        for (std::size_t from = end; from > left; --from) {
            if (row[from - 1] != '.') row[--to] = row[from - 1];
        }
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(left), row.begin() + static_cast<std::ptrdiff_t>(to), '.');
    }
}

}  // namespace

MultipleAlignment processed_alignment(const MultipleAlignment& alignment, const BuiltProfile& built) {
    const Layout layout(built.row_traces, built.hmm.length);
    MultipleAlignment processed;
    processed.name = alignment.name;
    processed.accession = alignment.accession;
    processed.description = alignment.description;
    processed.reference.assign(layout.count(), '.');
    for (std::size_t k = 1; k <= layout.nodes(); ++k) {
        if (layout.is_used(k)) processed.reference[layout.column(k) - 1] = 'x';
    }
    for (std::size_t i = 0; i < alignment.rows.size(); ++i) {
        MultipleAlignment::Row& row = processed.rows.emplace_back();
        row.name = alignment.rows[i].name;
        row.residues = row_of(built.row_traces[i], built.rows[i], layout);
        justify_inserts(layout, row.residues);
        if (built.is_weighted) row.weight = built.weights[i];
    }
    return processed;
}

}  // namespace warpseq
