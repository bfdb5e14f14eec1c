// Parsers of alignments that look like FASTA. In aligned FASTA all rows have the same length. In
// A2M all rows have the same consensus columns (upper case and '-'), with any inserts (lower case)
// between them.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

constexpr AlignmentLetters kAfaLetters = [] {
    AlignmentLetters letters = protein_alignment_letters();
    letters[' '] = kIgnoredLetter;
    return letters;
}();

/// The letters of A2M. O stands for a free insertion module there and is not a residue. (HMMER
/// loses its place in a row behind a lower-case o, and behind a NUL.)
constexpr AlignmentLetters kA2mLetters = [] {
    AlignmentLetters letters = protein_alignment_letters();
    for (const char c : std::string_view("_*~")) letters[static_cast<unsigned char>(c)] = kIllegalLetter;
    for (const char c : std::string_view(" \t.Oo")) letters[static_cast<unsigned char>(c)] = kIgnoredLetter;
    letters[0] = kIllegalLetter;
    return letters;
}();

Status fault(std::string what) { return Status::invalid_input(std::move(what)); }

/// Begins a row with its header line. `what` is "aligned FASTA" or "A2M".
Status begin_row(std::string_view line, const std::string& what, MultipleAlignment& alignment) {
    if (!line.starts_with('>')) return fault("expected " + what + " name/desc line starting with >");
    AlignmentWords words(line.substr(1));
    const std::string_view name = words.next();
    if (name.empty()) return fault("no name found for " + what + " record");
    MultipleAlignment::Row& row = alignment.rows.emplace_back();
    row.name = name;
    row.description = words.rest();
    return {};
}

/// Goes to the first line that is not blank.
bool skip_blank_lines(AlignmentLines& lines) {
    while (lines.next())
        if (!is_blank_line(lines.line())) return true;
    return false;
}

/// Calls take(line) for each line of residues of a row. Returns false after the last row.
template <typename Take>
Result<bool> read_row(AlignmentLines& lines, const Take& take) {
    while (lines.next()) {
        const std::string_view line = without_blank_begin(lines.line());
        if (line.empty()) continue;
        if (line.starts_with('>')) return true;
        WARPSEQ_TRY(take(line));
    }
    return false;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Returns the numbers of residues inserted before each consensus column and behind the last one.
std::vector<std::size_t> inserts_of(std::string_view row) {
    std::vector<std::size_t> inserts(1, 0);
    for (const char c : row) {
        if (is_lower(c))
            ++inserts.back();
        else
            inserts.push_back(0);
    }
    return inserts;
}

/// Returns the row with '.' added where other rows have longer inserts.
std::string padded_row(std::string_view row, const std::vector<std::size_t>& inserts, std::size_t columns) {
    std::string padded;
    padded.reserve(columns);
    std::size_t at = 0;
    for (std::size_t k = 0; k < inserts.size(); ++k) {
        std::size_t inserted = 0;
        for (; at < row.size() && is_lower(row[at]); ++inserted) padded.push_back(row[at++]);
        padded.append(inserts[k] - inserted, '.');
        if (at < row.size()) padded.push_back(row[at++]);
    }
    return padded;
}

}  // namespace

Result<bool> parse_aligned_fasta(AlignmentLines& lines, MultipleAlignment& alignment) {
    if (!skip_blank_lines(lines)) return false;
    for (bool more = true; more;) {
        const std::string_view line = without_blank_begin(lines.line());
        if (line.size() <= 1) return fault("expected aligned FASTA name/desc line starting with >");
        WARPSEQ_TRY(begin_row(line, "aligned FASTA", alignment));
        MultipleAlignment::Row& row = alignment.rows.back();
        const Result<bool> read = read_row(lines, [&](std::string_view text) -> Status {
            if (append_letters(text, kAfaLetters, row.residues)) return {};
            return fault("one or more invalid sequence characters");
        });
        if (!read.ok()) return read.status();
        more = *read;
        const std::size_t expected = alignment.rows.front().residues.size(), columns = row.residues.size();
        if (columns == 0) return fault("sequence " + row.name + " has alen 0");
        if (columns != expected) {
            return fault("sequence " + row.name + " has alen " + std::to_string(columns) + "; expected " +
                         std::to_string(expected));
        }
    }
    return true;
}

Result<bool> parse_a2m(AlignmentLines& lines, MultipleAlignment& alignment) {
    if (!skip_blank_lines(lines)) return false;
    std::vector<std::size_t> longest;  // the longest inserts of all rows
    for (bool more = true; more;) {
        WARPSEQ_TRY(begin_row(without_blank_begin(lines.line()), "A2M", alignment));
        MultipleAlignment::Row& row = alignment.rows.back();
        std::size_t consensus = 0;
        const Result<bool> read = read_row(lines, [&](std::string_view text) -> Status {
            consensus += static_cast<std::size_t>(
                std::ranges::count_if(text, [](char c) { return (is_upper(c) && c != 'O') || c == '-'; }));
            if (longest.size() > 1 && consensus >= longest.size())
                return fault("unexpected # of consensus residues, didn't match previous seq(s)");
            if (append_letters(text, kA2mLetters, row.residues)) return {};
            return fault("one or more invalid sequence characters");
        });
        if (!read.ok()) return read.status();
        more = *read;
        const std::vector<std::size_t> inserts = inserts_of(row.residues);
        if (longest.empty()) longest.resize(inserts.size());
        if (inserts.size() != longest.size()) {
            return fault(
                "unexpected # of consensus residues, didn't match previous seq(s). (Do you have an O residue?)");
        }
        for (std::size_t k = 0; k < inserts.size(); ++k) longest[k] = std::max(longest[k], inserts[k]);
    }
    std::size_t columns = longest.size() - 1;
    for (const std::size_t inserts : longest) columns += inserts;
    WARPSEQ_TRY(check_padded_letters(alignment.rows.size(), columns));
    for (MultipleAlignment::Row& row : alignment.rows) row.residues = padded_row(row.residues, longest, columns);
    for (std::size_t k = 0; k < longest.size(); ++k) {
        alignment.reference.append(longest[k], '.');
        if (k + 1 < longest.size()) alignment.reference.push_back('x');
    }
    return true;
}

}  // namespace warpseq
