#include "formats/stockholm_writer.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace warpseq {

namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

bool are_unique(const std::vector<MultipleAlignment::Row>& rows) {
    std::unordered_set<std::string_view> names;
    return std::ranges::all_of(rows, [&](const auto& row) { return names.insert(row.name).second; });
}

/// What rows are called in the file, all of one width.
std::vector<std::string> printed_names(const std::vector<MultipleAlignment::Row>& rows, bool numbered) {
    std::vector<std::string> names;
    const std::size_t digits = std::to_string(rows.size()).size();
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.name.size());
    for (const auto& row : rows) {
        std::string number;
        if (numbered) {
            number = std::to_string(names.size());
            number = std::string(digits - number.size(), '0') + number + "|";
        }
        names.push_back(number + padded(row.name, width));
    }
    return names;
}

}  // namespace

void append_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, std::string& out) {
    const bool numbered = !are_unique(alignment.rows);
    const std::vector<std::string> names = printed_names(alignment.rows, numbered);
    const std::size_t name_width = names.empty() ? 0 : names.front().size();

    out += "# STOCKHOLM 1.0\n";
    if (numbered) out += "# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n";
    const auto file_line = [&](const char* tag, const std::string& text) {
        if (!text.empty()) out += std::string("#=GF ") + tag + " " + text + "\n";
    };
    file_line("ID", alignment.name);
    file_line("AC", alignment.accession);
    file_line("DE", alignment.description);
    file_line("AU", alignment.author);
    out += '\n';

    const auto row_lines = [&](const char* tag, std::string MultipleAlignment::Row::*text) {
        bool any = false;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string& value = alignment.rows[i].*text;
            if (value.empty()) continue;
            any = true;
            out += "#=GS " + names[i] + " " + tag + " " + value + "\n";
        }
        if (any) out += '\n';
    };
    row_lines("AC", &MultipleAlignment::Row::accession);
    row_lines("DE", &MultipleAlignment::Row::description);

    // What stands left of the columns: "name ", "#=GR name PP " or "#=GC PP_cons ", whichever is widest.
    const std::size_t margin =
        std::max(name_width + std::string_view("#=GR  PP ").size(), std::string_view("#=GC PP_cons ").size());
    const std::size_t columns = alignment.reference.size();
    if (block_columns == 0) block_columns = std::max<std::size_t>(columns, 1);
    for (std::size_t first = 0; first < columns; first += block_columns) {
        if (first > 0) out += '\n';
        const auto line = [&](const std::string& left, const std::string& text) {
            out += padded(left, margin);
            out.append(text, first, block_columns);
            out += '\n';
        };
        for (std::size_t i = 0; i < names.size(); ++i) {
            line(names[i], alignment.rows[i].residues);
            line("#=GR " + names[i] + " PP", alignment.rows[i].posteriors);
        }
        line("#=GC PP_cons", alignment.posterior_consensus);
        line("#=GC RF", alignment.reference);
    }
    out += "//\n";
}

}  // namespace warpseq
