#include "reports/blast/blastp_anchored.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "libcore/scoring/alignment.h"
#include "reports/blast/blastp_report_text.h"

namespace warpseq {
namespace {

/// Residues of a row in neighbouring columns.
struct Stretch {
    std::uint64_t column, begin, residues;
};

/// Residues of a target that have no column of the query.
struct Insertion {
    std::uint64_t column;  // the column that they stand in front of
    std::string letters;
};

/// A row as letters and gaps, from its first column to its last.
struct DrawnRow {
    std::string_view label;
    std::uint64_t begin_column = 0;
    std::string letters;
    std::vector<Stretch> stretches;  // at least one
    std::vector<Insertion> insertions;

    std::uint64_t end_column() const { return begin_column + letters.size(); }
    char& letter(std::uint64_t column) { return letters[column - begin_column]; }
    /// Returns columns `at` to `end` - 1, with blanks outside of the row.
    std::string line(std::uint64_t at, std::uint64_t end) const {
        const std::uint64_t from = std::max(at, begin_column), to = std::min(end, end_column());
        std::string text(from - at, ' ');
        text.append(letters, from - begin_column, to - from);
        text.append(end - to, ' ');
        return text;
    }
    std::uint64_t end() const { return stretches.back().begin + stretches.back().residues; }

    /// Returns the first residue in or after a column, or the last residue if none follows.
    std::uint64_t first_residue(std::uint64_t column) const {
        const auto next =
            std::ranges::find_if(stretches, [&](const Stretch& each) { return each.column + each.residues > column; });
        if (next == stretches.end()) return end() - 1;
        return next->begin + (column > next->column ? column - next->column : 0);
    }
    /// Returns the end of the residues before a column. It is at least the end of the first
    /// residue.
    std::uint64_t residues_end(std::uint64_t column) const {
        std::uint64_t end = stretches.front().begin + 1;
        for (const Stretch& each : stretches) {
            if (each.column >= column) break;
            end = each.begin + std::min(each.residues, column - each.column);
        }
        return end;
    }
};

class Picture {
   public:
    Picture(const BlastpQuery& query, std::span<const AnchoredRow> rows, const AnchoredStyle& style)
        : query_(query), style_(style), first_(rows.front().hsp->query_begin), end_(rows.front().hsp->query_end) {
        for (const AnchoredRow& row : rows) {
            first_ = std::min(first_, row.hsp->query_begin);
            end_ = std::max(end_, row.hsp->query_end);
        }
        set_columns(rows);
        draw_query();
        for (const AnchoredRow& row : rows) draw(row);
        for (const DrawnRow& row : drawn_) {
            label_columns_ = std::max(label_columns_, row.label.size());
            position_columns_ = std::max(position_columns_, std::to_string(row.end() - 1).size());
        }
    }

    void append(std::string& out) {
        std::vector<std::uint64_t> previous_end(drawn_.size(), 0);
        for (std::uint64_t at = 0; at < columns_; at += style_.line_length) {
            const std::uint64_t end = std::min(columns_, at + style_.line_length);
            for (std::size_t r = 0; r < drawn_.size(); ++r) {
                const DrawnRow& row = drawn_[r];
                if (row.begin_column >= end || row.end_column() <= at) continue;
                add_line(row, at, end, r == 0, previous_end[r], out);
                add_insertions(row, at, end, out);
            }
            out += '\n';
        }
    }

   private:
    /// Walks along an alignment. Calls pair(query position, target position, length) for pairs,
    /// insertion(position of the query residue after it, target position, length) and
    /// deletion(query position, length). All insertions between two pairs are joined into one,
    /// right before the second pair, even if deletions follow them in the alignment.
    template <typename Pairs, typename Insertions, typename Deletions>
    static void walk(const Hsp& hsp, const Pairs& pairs, const Insertions& insertion, const Deletions& deletion) {
        std::uint64_t q = hsp.query_begin, t = hsp.target_begin, inserted = 0;
        for (const AlignmentRun& run : hsp.runs) {
            const std::uint64_t length = run.length;
            switch (run.operation) {
                case AlignmentOperation::kMatch:
                    if (inserted > 0) insertion(q, t - inserted, inserted);
                    inserted = 0;
                    pairs(q, t, length);
                    q += length;
                    t += length;
                    break;
                case AlignmentOperation::kDelete:
                    inserted += length;
                    t += length;
                    break;
                case AlignmentOperation::kInsert:
                    deletion(q, length);
                    q += length;
                    break;
            }
        }
    }
    static void nothing(std::uint64_t, std::uint64_t) {}

    /// Gives each residue of the query its columns. If insertions have columns, the room in front
    /// of a residue is that of the longest insertion there.
    void set_columns(std::span<const AnchoredRow> rows) {
        std::vector<std::uint64_t> room(end_ - first_, 0);
        if (style_.is_flat) {
            for (const AnchoredRow& row : rows) {
                walk(
                    *row.hsp, [](std::uint64_t, std::uint64_t, std::uint64_t) {},
                    [&](std::uint64_t q, std::uint64_t, std::uint64_t length) {
                        room[q - first_] = std::max(room[q - first_], length);
                    },
                    nothing);
            }
        }
        for (const std::uint64_t residues : room) {
            insertion_columns_.push_back(columns_);
            columns_ += residues + 1;
        }
    }
    /// Returns the column where an insertion in front of a residue of the query begins.
    std::uint64_t insertion_column(std::uint64_t q) const { return insertion_columns_[q - first_]; }
    /// Returns the column of a residue of the query. It is the last one before the room of the next
    /// residue.
    std::uint64_t column(std::uint64_t q) const {
        return (q + 1 == end_ ? columns_ : insertion_columns_[q + 1 - first_]) - 1;
    }

    static void add(std::uint64_t column, std::uint64_t position, DrawnRow& row) {
        if (!row.stretches.empty()) {
            Stretch& last = row.stretches.back();
            if (last.column + last.residues == column && last.begin + last.residues == position) {
                ++last.residues;
                return;
            }
        }
        row.stretches.push_back({column, position, 1});
    }

    void draw_query() {
        DrawnRow& row = drawn_.emplace_back();
        row.label = style_.query_label;
        row.letters.assign(columns_, '-');
        for (std::uint64_t q = first_; q < end_; ++q) {
            row.letter(column(q)) = residue_letter(query_.residues[q]);
            add(column(q), q + style_.query_begin, row);
        }
        show_masked(query_.masked, first_, row.letters);
    }

    void draw(const AnchoredRow& source) {
        DrawnRow& row = drawn_.emplace_back();
        const Hsp& hsp = *source.hsp;
        row.label = source.label;
        row.begin_column = column(hsp.query_begin);
        row.letters.assign(column(hsp.query_end - 1) + 1 - row.begin_column, '-');
        const auto letter = [&](std::uint64_t t) { return residue_letter(source.aligned[t - hsp.target_begin]); };
        walk(
            hsp,
            [&](std::uint64_t q, std::uint64_t t, std::uint64_t length) {
                for (std::uint64_t i = 0; i < length; ++i) {
                    const bool is_point = style_.has_points &&
                                          letter(t + i) == residue_letter(query_.residues[q + i]) &&
                                          std::isalpha(static_cast<unsigned char>(letter(t + i))) != 0;
                    row.letter(column(q + i)) = is_point ? '.' : letter(t + i);
                    add(column(q + i), t + i + style_.target_begin, row);
                }
            },
            [&](std::uint64_t q, std::uint64_t t, std::uint64_t length) {
                if (!style_.is_flat) row.insertions.push_back({insertion_column(q), ""});
                for (std::uint64_t i = 0; i < length; ++i) {
                    if (style_.is_flat) {
                        row.letter(insertion_column(q) + i) = letter(t + i);
                        add(insertion_column(q) + i, t + i + style_.target_begin, row);
                    } else {
                        row.insertions.back().letters += letter(t + i);
                    }
                }
            },
            nothing);
    }

    std::size_t margin() const { return label_columns_ + 2 + position_columns_ + 2; }

    void add_line(const DrawnRow& row, std::uint64_t at, std::uint64_t end, bool is_query, std::uint64_t& previous_end,
                  std::string& out) const {
        const std::uint64_t first = row.first_residue(at) + 1, last = row.residues_end(end);
        // A line without residues has no positions. A first line with only the first residue has
        // none either.
        const bool has_positions = at > 0 ? last != previous_end : first != 1 || last != 1;
        previous_end = last;
        const std::string start = has_positions ? std::to_string(first) : std::string();
        out += row.label;
        out.append(label_columns_ - row.label.size() + 2, ' ');
        out += start;
        out.append(position_columns_ + 2 - std::min(position_columns_ + 2, start.size()), ' ');
        out += is_query && style_.is_html ? masked_in_grey(row.letters, at, end - at) : row.line(at, end);
        out += "  ";
        if (has_positions) out += std::to_string(last);
        out += '\n';
    }

    /// Appends a line that marks where insertions belong, and lines with the insertions. An
    /// insertion stands below its mark, or as near to it as the others leave room. If there is no
    /// room, it follows in a further line.
    void add_insertions(const DrawnRow& row, std::uint64_t at, std::uint64_t end, std::string& out) const {
        std::vector<const Insertion*> left;
        for (const Insertion& each : row.insertions)
            if (each.column >= at && each.column < end) left.push_back(&each);
        if (left.empty()) return;
        const auto add = [&](const std::string& line) { out += std::string(margin(), ' ') + line + "\n"; };
        const auto marks = [&](char mark) {
            std::string line(end - at, ' ');
            for (const Insertion* each : left) line[each->column - at] = mark;
            return line;
        };
        add(marks('\\'));
        while (!left.empty()) {
            add(marks('|'));
            std::string line;
            std::vector<const Insertion*> later;
            for (const Insertion* each : left) {
                const std::uint64_t place = each->column - at;
                if (line.empty() || place > line.size()) {
                    // The last letter stands below the mark if there is room for all letters.
                    const std::uint64_t room = place + 1 - line.size();
                    line.append(room > each->letters.size() ? room - each->letters.size() : line.empty() ? 0 : 1, ' ');
                    line += each->letters;
                } else {
                    if (place == line.size()) line += '|';
                    later.push_back(each);
                }
            }
            add(line);
            left = std::move(later);
        }
    }

    const BlastpQuery& query_;
    const AnchoredStyle& style_;
    std::uint64_t first_, end_;  // residues of the query that are shown
    std::uint64_t columns_ = 0;
    std::vector<std::uint64_t> insertion_columns_;  // by query residue
    std::vector<DrawnRow> drawn_;                   // the query first
    std::size_t label_columns_ = 0, position_columns_ = 0;
};

}  // namespace

void append_anchored_alignments(const BlastpQuery& query, std::span<const AnchoredRow> rows, const AnchoredStyle& style,
                                std::string& out) {
    if (!rows.empty()) Picture(query, rows, style).append(out);
}

}  // namespace warpseq
