// Recognises which kind of PHYLIP a file is, and how wide its names are. The header tells how many
// letters the rows must have.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

/// Whether a byte is a letter of a row, which is upper case in this format, or a gap.
bool is_row_letter(char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '*' || c == '?' || c == '.'; }

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::int64_t row_letters(std::string_view text) { return std::count_if(text.begin(), text.end(), is_row_letter); }

/// Goes to the first line after the header.
bool read_header(AlignmentLines& lines, PhylipHeader& header) {
    do {
        if (!lines.next()) return false;
    } while (is_blank_line(lines.line()));
    if (parse_phylip_header(lines.line(), header).has_value() || header.rows <= 0) return false;
    do {
        if (!lines.next()) return false;
    } while (is_blank_line(lines.line()));
    return true;
}

/// The content of one column in all lines of a block.
enum Column : char {
    kUnset,
    kLetters,  // only letters of rows
    kBlanks,   // only blanks
    kOthers,   // blanks, and characters that no row may hold, such as digits
    kMixed     // letters and other characters: it is part of names
};

bool add_line(std::string_view line, std::vector<Column>& columns) {
    const std::size_t shared = std::min(columns.size(), line.size());
    for (std::size_t i = 0; i < shared; ++i) {
        Column& column = columns[i];
        if (is_row_letter(line[i])) {
            column = column == kUnset ? kLetters : column == kBlanks ? kMixed : column;
        } else if (line[i] == ' ') {
            column = column == kUnset ? kBlanks : column == kLetters ? kMixed : column;
        } else if (std::isgraph(static_cast<unsigned char>(line[i])) != 0) {
            column = column == kLetters ? kMixed : column == kMixed ? kMixed : kOthers;
        } else {
            return false;
        }
    }
    return row_letters(line.substr(shared)) == 0;
}

/// Returns the width of names from the columns of the first block. The last `letters` columns with
/// letters belong to the rows, and the columns before them belong to the names.
std::optional<std::size_t> width_of_names(const std::vector<Column>& columns, std::int64_t letters) {
    if (letters <= 0) return std::nullopt;
    std::size_t widest = columns.size();
    for (; letters > 0 && widest > 0; --widest) letters -= columns[widest - 1] == kLetters ? 1 : 0;
    if (letters > 0) return std::nullopt;
    std::size_t narrowest = widest;
    while (narrowest > 0 && columns[narrowest - 1] == kBlanks) --narrowest;
    const bool strict = narrowest <= kPhylipNameWidth && widest >= kPhylipNameWidth;
    return strict ? kPhylipNameWidth : narrowest;
}

struct Interleaved {
    std::size_t blocks, name_width;
};

std::optional<Interleaved> check_interleaved(AlignmentLines& lines) {
    PhylipHeader header;
    if (!read_header(lines, header)) return std::nullopt;
    std::vector<Column> first, columns;
    std::int64_t first_letters = 0, later_letters = 0;
    std::size_t blocks = 0;
    for (bool more = true; more;) {
        columns.assign(lines.line().size(), kUnset);
        for (std::int32_t row = 0; row < header.rows; ++row) {
            if (!more || !add_line(lines.line(), columns)) return std::nullopt;
            more = lines.next();
        }
        if (blocks == 0) {
            first = columns;
            for (std::size_t i = kPhylipNameWidth; i < first.size(); ++i) first_letters += first[i] != kBlanks ? 1 : 0;
        } else {
            if (std::ranges::count(columns, kMixed) > 0) return std::nullopt;
            later_letters += std::ranges::count(columns, kLetters);
        }
        ++blocks;
        // With names of the strict width, the last block is known. Anything may follow it.
        if (first_letters + later_letters == header.columns) return Interleaved{blocks, kPhylipNameWidth};
        while (more && lines.line().find_first_not_of('\t') == std::string_view::npos) more = lines.next();
    }
    const std::optional<std::size_t> width = width_of_names(first, header.columns - later_letters);
    if (!width) return std::nullopt;
    return Interleaved{blocks, *width};
}

/// Whether the file is sequential with names of the strict width. As in HMMER, the first columns of
/// later lines do not count as letters either.
bool check_sequential_strict(AlignmentLines& lines) {
    PhylipHeader header;
    if (!read_header(lines, header)) return false;
    bool more = true;
    for (std::int32_t row = 0; row < header.rows; ++row) {
        std::int64_t letters = 0;
        while (letters < header.columns) {
            if (!more) return false;
            const std::string_view line = lines.line();
            letters += row_letters(line.substr(std::min(kPhylipNameWidth, line.size())));
            more = lines.next();
        }
        if (letters != header.columns) return false;
        while (more && lines.line().find_first_not_of('\t') == std::string_view::npos) more = lines.next();
    }
    return true;
}

bool next_filled(AlignmentLines& lines) {
    while (lines.next())
        if (!is_blank_line(lines.line())) return true;
    return false;
}

/// Returns the width of names if the file is sequential. The number of filled lines in the file
/// gives `lines_per_row`.
std::optional<std::size_t> check_sequential(AlignmentLines& lines, std::int64_t filled_lines) {
    PhylipHeader header;
    if (!read_header(lines, header) || filled_lines % header.rows != 0) return std::nullopt;
    const std::int64_t lines_per_row = filled_lines / header.rows;
    const std::string first(lines.line());
    std::string last = first;
    std::int64_t later_letters = 0;
    for (std::int64_t i = 1; i < lines_per_row; ++i) {
        if (!next_filled(lines)) return std::nullopt;
        last = lines.line();
        later_letters += row_letters(last);
    }
    // The first line has this many letters at its end.
    const std::int64_t wanted = header.columns - later_letters;
    std::int64_t letters = row_letters(first);
    if (wanted > letters) return std::nullopt;
    std::size_t width = 0;
    for (; width < first.size(); ++width) {
        if ((is_row_letter(first[width]) ? letters-- : 0) == wanted) break;
    }
    const auto has_name = [&](std::string_view line) {
        return std::ranges::any_of(line.substr(0, width), [](char c) { return !is_space(c); });
    };
    if (width == first.size() || !has_name(last)) return std::nullopt;
    constexpr std::int32_t kRowsLookedAt = 100;
    for (std::int32_t row = 1; row < std::min(header.rows, kRowsLookedAt); ++row) {
        if (!next_filled(lines)) return std::nullopt;
        const std::string_view line = lines.line();
        if (line.size() <= width || !is_row_letter(line[width]) || !has_name(line)) return std::nullopt;
        std::int64_t total = row_letters(line.substr(width));
        for (std::int64_t i = 1; i < lines_per_row; ++i) {
            if (!next_filled(lines)) return std::nullopt;
            total += row_letters(lines.line());
        }
        if (total != header.columns) return std::nullopt;
    }
    return width;
}

template <typename Check>
auto looking(AlignmentLines& lines, const Check& check) {
    lines.mark();
    auto answer = check();
    lines.rewind();
    return answer;
}

}  // namespace

std::optional<PhylipKind> sniff_phylip(AlignmentLines& lines, bool& ambiguous) {
    ambiguous = false;
    const std::optional<Interleaved> interleaved = looking(lines, [&] { return check_interleaved(lines); });
    if (interleaved && interleaved->blocks == 1) return PhylipKind{AlignmentFormat::kPhylip, interleaved->name_width};
    std::optional<std::size_t> sequential;
    if (looking(lines, [&] { return check_sequential_strict(lines); })) {
        sequential = kPhylipNameWidth;
    } else {
        const std::int64_t filled = looking(lines, [&] {
            std::int64_t count = 0;
            while (next_filled(lines)) ++count;
            return count - 1;  // without the header
        });
        sequential = looking(lines, [&] { return check_sequential(lines, filled); });
    }
    ambiguous = interleaved && sequential;
    if (ambiguous) return std::nullopt;
    if (interleaved) return PhylipKind{AlignmentFormat::kPhylip, interleaved->name_width};
    if (sequential) return PhylipKind{AlignmentFormat::kPhylips, *sequential};
    return std::nullopt;
}

}  // namespace warpseq
