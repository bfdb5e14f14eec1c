#include "formats/alignments/stockholm_writer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace warpseq {

namespace {

using Row = MultipleAlignment::Row;

void append_padded(std::string_view text, std::size_t width, std::string& out) {
    out += text;
    if (text.size() < width) out.append(width - text.size(), ' ');
}

bool are_unique(const std::vector<Row>& rows) {
    std::unordered_set<std::string_view> names;
    return std::ranges::all_of(rows, [&](const Row& row) { return names.insert(row.name).second; });
}

std::string decimals(const char* format, double value) {
    std::array<char, 400> text{};
    return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, value))};
}

/// Annotation of a row, which is written after its letters.
constexpr std::array<std::pair<std::string_view, std::string Row::*>, 3> kRowLines = {
    {{"SS", &Row::structure}, {"SA", &Row::surface}, {"PP", &Row::posteriors}}};
/// Annotation of columns, which is written at the end of a block.
constexpr std::array<std::pair<std::string_view, std::string MultipleAlignment::*>, 5> kColumnLines = {
    {{"SS_cons", &MultipleAlignment::structure},
     {"SA_cons", &MultipleAlignment::surface},
     {"PP_cons", &MultipleAlignment::posterior_consensus},
     {"RF", &MultipleAlignment::reference},
     {"MM", &MultipleAlignment::mask}}};

class StockholmWriter {
   public:
    StockholmWriter(const MultipleAlignment& alignment, TextPieces& pieces)
        : alignment_(alignment), pieces_(pieces), out_(pieces.text()), numbered_(!are_unique(alignment.rows)) {
        digits_ = std::to_string(alignment.rows.size()).size();
        for (const Row& row : alignment.rows) name_width_ = std::max(name_width_, row.name.size());
        full_name_width_ = name_width_ + (numbered_ ? digits_ + 1 : 0);
        margin_ = full_name_width_ + 1;
        for (const auto& [tag, text] : kColumnLines)
            if (!(alignment.*text).empty()) margin_ = std::max(margin_, tag.size() + std::string_view("#=GC  ").size());
        for (const auto& [tag, text] : kRowLines) {
            const auto has_it = [member = text](const Row& row) { return !(row.*member).empty(); };
            if (std::ranges::any_of(alignment.rows, has_it))
                margin_ = std::max(margin_, full_name_width_ + std::string_view("#=GR  PP ").size());
        }
    }

    void write(std::size_t block_columns) {
        out_ += "# STOCKHOLM 1.0\n";
        if (numbered_) out_ += "# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n";
        write_whole();
        write_rows_annotation();
        const std::size_t columns = alignment_.columns();
        if (block_columns == 0) block_columns = std::max<std::size_t>(columns, 1);
        for (std::size_t first = 0; first < columns; first += block_columns) {
            if (first > 0) out_ += '\n';
            if (!write_block(first, block_columns)) return;
        }
        out_ += "//\n";
    }

   private:
    void write_whole() {
        const auto line = [&](const char* tag, const std::string& text) {
            if (!text.empty()) out_ += std::string("#=GF ") + tag + " " + text + "\n";
        };
        if (alignment_.shows_empty_name || !alignment_.name.empty()) out_ += "#=GF ID " + alignment_.name + "\n";
        line("AC", alignment_.accession);
        line("DE", alignment_.description);
        line("AU", alignment_.author);
        const auto cutoffs = [&](const char* tag, const MultipleAlignment::Cutoffs& bits) {
            if (!bits.sequence_bits) return;
            std::string text = decimals("%.1f", *bits.sequence_bits);
            if (bits.domain_bits) text += decimals(" %.1f", *bits.domain_bits);
            line(tag, text);
        };
        cutoffs("GA", alignment_.gathering);
        cutoffs("NC", alignment_.noise);
        cutoffs("TC", alignment_.trusted);
        out_ += '\n';
    }

    void write_rows_annotation() {
        const bool weighted =
            std::ranges::any_of(alignment_.rows, [](const Row& row) { return row.weight.has_value(); });
        write_row_lines("WT", [&](const Row& row) { return weighted ? decimals("%.2f", row.weight.value_or(1)) : ""; });
        write_row_lines("AC", [](const Row& row) { return row.accession; });
        write_row_lines("DE", [](const Row& row) { return row.description; });
    }

    template <typename TextOf>
    void write_row_lines(const char* tag, const TextOf& text_of) {
        bool any = false;
        for (std::size_t i = 0; i < alignment_.rows.size(); ++i) {
            const std::string text = text_of(alignment_.rows[i]);
            if (text.empty()) continue;
            any = true;
            out_ += "#=GS ";
            append_name(i);
            out_ += ' ';
            out_ += tag;
            out_ += ' ';
            out_ += text;
            out_ += '\n';
            if (!pieces_.next()) return;
        }
        if (any) out_ += '\n';
    }

    bool write_block(std::size_t first, std::size_t columns) {
        for (std::size_t i = 0; i < alignment_.rows.size(); ++i) {
            const Row& row = alignment_.rows[i];
            append_name(i);
            out_.append(margin_ - full_name_width_, ' ');
            append_columns(row.residues, first, columns);
            for (const auto& [tag, text] : kRowLines) {
                if ((row.*text).empty()) continue;
                out_ += "#=GR ";
                append_name(i);
                out_ += ' ';
                append_padded(tag, margin_ - full_name_width_ - std::string_view("#=GR  ").size(), out_);
                append_columns(row.*text, first, columns);
            }
            if (!pieces_.next()) return false;
        }
        for (const auto& [tag, text] : kColumnLines) {
            if ((alignment_.*text).empty()) continue;
            out_ += "#=GC ";
            append_padded(tag, margin_ - std::string_view("#=GC ").size(), out_);
            append_columns(alignment_.*text, first, columns);
        }
        return pieces_.next();
    }

    void append_columns(const std::string& text, std::size_t first, std::size_t columns) {
        out_.append(text, first, columns);
        out_ += '\n';
    }

    void append_name(std::size_t row) {
        if (numbered_) {
            const std::string number = std::to_string(row);
            out_.append(digits_ - number.size(), '0');
            out_ += number;
            out_ += '|';
        }
        append_padded(alignment_.rows[row].name, name_width_, out_);
    }

    const MultipleAlignment& alignment_;
    TextPieces& pieces_;
    std::string& out_;
    bool numbered_;
    // Widths of a row's number, of names without and with it, and of everything before the columns.
    std::size_t digits_ = 0, name_width_ = 0, full_name_width_ = 0, margin_ = 0;
};

}  // namespace

void write_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, TextPieces& pieces) {
    StockholmWriter(alignment, pieces).write(block_columns);
}

void append_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, std::string& out) {
    const TextPieces::Take append = [&out](std::string_view text) {
        out += text;
        return Status();
    };
    TextPieces pieces(append);
    write_stockholm(alignment, block_columns, pieces);
    static_cast<void>(pieces.finish());
}

}  // namespace warpseq
