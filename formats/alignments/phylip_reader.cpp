// A parser of PHYLIP. A line with the numbers of rows and columns comes first. The rows follow,
// interleaved in blocks or one after the other. Each row begins with a name of fixed width. A file
// may hold several alignments.
#include <cctype>
#include <limits>
#include <string>
#include <string_view>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

/// The letters of PHYLIP. '?' is missing data. Blanks and all digits except 9 are skipped, as in
/// HMMER.
constexpr AlignmentLetters kLetters = [] {
    AlignmentLetters letters = protein_alignment_letters();
    for (const char c : std::string_view(" \t012345678")) letters[static_cast<unsigned char>(c)] = kIgnoredLetter;
    letters['~'] = letters['_'] = kIllegalLetter;
    letters['?'] = '~';
    return letters;
}();

Status fault(std::string what) { return Status::invalid_input(std::move(what)); }

/// Parses the number at the beginning of a word: decimal, octal after 0, or hexadecimal after 0x.
/// Returns false if there is none or if it is too large.
bool parse_number(std::string_view word, std::int32_t& number) {
    word = without_blank_begin(word);
    const bool negative = word.starts_with('-');
    if (negative) word.remove_prefix(1);
    int base = 10;
    bool any = false;
    if (word.starts_with("0x")) {
        base = 16;
        word.remove_prefix(2);
    } else if (word.starts_with('0')) {
        base = 8;
        any = true;
        word.remove_prefix(1);
    }
    std::int64_t value = 0;
    for (const char c : word) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'A' && c <= 'Z' ? 10 + c - 'A'
                          : c >= 'a' && c <= 'z' ? 10 + c - 'a'
                                                 : base;
        if (digit >= base) break;
        any = true;
        value = value * base + digit;
        if (value > std::numeric_limits<std::int32_t>::max()) return false;
    }
    number = static_cast<std::int32_t>(negative ? -value : value);
    return any;
}

/// Parses a name: blanks around it are removed, and blanks in it become '_'. Returns false if the
/// name has an invisible character.
bool parse_name(std::string_view field, std::string& name) {
    const std::size_t begin = field.find_first_not_of(' '), end = field.find_last_not_of(' ');
    if (begin == std::string_view::npos) return true;
    for (const char c : field.substr(begin, end - begin + 1)) {
        if (c != ' ' && std::isgraph(static_cast<unsigned char>(c)) == 0) return false;
        name.push_back(c == ' ' ? '_' : c);
    }
    return true;
}

Status begin_row(std::string_view& line, std::size_t name_width, MultipleAlignment& alignment) {
    if (line.size() < name_width) return fault("PHYLIP line too short to find sequence name");
    if (!parse_name(line.substr(0, name_width), alignment.rows.emplace_back().name))
        return fault("invalid character(s) in sequence name");
    line.remove_prefix(name_width);
    return {};
}

Status append(std::string_view text, std::string& row) {
    if (append_letters(text, kLetters, row)) return {};
    return fault("one or more invalid sequence characters");
}

Status parse_interleaved(AlignmentLines& lines, PhylipHeader header, std::size_t name_width,
                         MultipleAlignment& alignment) {
    std::int64_t columns = 0;
    bool more = true;
    for (bool first = true; more && (first || columns < header.columns); first = false) {
        std::int32_t row = 0;
        std::int64_t added = 0;
        do {
            std::string_view line = lines.line();
            if (first) WARPSEQ_TRY(begin_row(line, name_width, alignment));
            std::string& residues = alignment.rows[static_cast<std::size_t>(row)].residues;
            WARPSEQ_TRY(append(line, residues));
            const std::int64_t here = static_cast<std::int64_t>(residues.size()) - columns;
            if (row == 0) {
                added = here;
            } else if (here != added) {
                return fault("number of residues on line differs from previous seqs in alignment block");
            }
            ++row;
            more = lines.next();
        } while (more && row < header.rows && !is_blank_line(lines.line()));
        if (row != header.rows) {
            return fault("unexpected number of sequences in block (saw " + std::to_string(row) + ", expected " +
                         std::to_string(header.rows) + ")");
        }
        columns += added;
        while (more && is_blank_line(lines.line())) more = lines.next();
    }
    if (more) {
        lines.put_back();
    } else if (columns != header.columns) {
        return fault("alignment length disagrees with header: header said " + std::to_string(header.columns) +
                     ", parsed " + std::to_string(columns));
    }
    return {};
}

Status parse_sequential(AlignmentLines& lines, PhylipHeader header, std::size_t name_width,
                        MultipleAlignment& alignment) {
    bool more = true;
    for (std::int32_t row = 0; row < header.rows; ++row) {
        if (header.columns <= 0 || !more) break;
        std::string_view line = lines.line();
        std::size_t columns = 0;
        WARPSEQ_TRY(begin_row(line, name_width, alignment));
        for (;;) {
            WARPSEQ_TRY(append(line, alignment.rows.back().residues));
            columns = alignment.rows.back().residues.size();
            more = lines.next();
            if (!more || static_cast<std::int64_t>(columns) >= header.columns) break;
            line = lines.line();
            // A row without letters so far is begun again, so that this line gives its name.
            if (columns == 0) {
                alignment.rows.pop_back();
                WARPSEQ_TRY(begin_row(line, name_width, alignment));
            }
        }
        while (more && is_blank_line(lines.line())) more = lines.next();
        if (!more && row < header.rows - 1) {
            return fault("premature end of file: header said to expect " + std::to_string(header.rows) + " sequences");
        }
        if (more && static_cast<std::int64_t>(columns) != header.columns) {
            return fault("aligned length of sequence disagrees with header: header says " +
                         std::to_string(header.columns) + ", parsed " + std::to_string(columns));
        }
    }
    if (more) lines.put_back();
    return {};
}

}  // namespace

std::optional<PhylipHeaderFault> parse_phylip_header(std::string_view line, PhylipHeader& header) {
    AlignmentWords words(line);
    if (!parse_number(words.next(), header.rows)) return PhylipHeaderFault{1};
    const std::string_view second = words.next();
    if (second.empty()) return PhylipHeaderFault{3};
    if (!parse_number(second, header.columns)) return PhylipHeaderFault{2};
    return std::nullopt;
}

Result<bool> parse_phylip(AlignmentLines& lines, bool sequential, std::size_t name_width,
                          MultipleAlignment& alignment) {
    do {
        if (!lines.next()) return false;
    } while (is_blank_line(lines.line()));
    PhylipHeader header;
    if (const std::optional<PhylipHeaderFault> wrong = parse_phylip_header(lines.line(), header)) {
        const std::string begin = "first PHYLIP line should be <nseq> <alen>: ";
        return fault(begin + (wrong->field == 1   ? "first field isn't an integer"
                              : wrong->field == 2 ? "second field isn't an integer"
                                                  : "only one field found"));
    }
    do {
        if (!lines.next()) return fault("no alignment data following PHYLIP header");
    } while (is_blank_line(lines.line()));
    WARPSEQ_TRY(sequential ? parse_sequential(lines, header, name_width, alignment)
                           : parse_interleaved(lines, header, name_width, alignment));
    const std::size_t columns = alignment.columns();
    for (const MultipleAlignment::Row& row : alignment.rows) {
        if (row.residues.size() != columns)
            return fault("aligned length of sequence disagrees with header: header says " +
                         std::to_string(header.columns) + ", parsed " + std::to_string(row.residues.size()));
    }
    if (alignment.rows.empty()) return fault("no alignment data following PHYLIP header");
    return true;
}

}  // namespace warpseq
