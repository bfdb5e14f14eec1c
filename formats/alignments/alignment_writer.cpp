#include "formats/alignments/alignment_writer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <vector>

#include "formats/alignments/stockholm_writer.h"
#include "formats/io/text_pieces.h"

namespace warpseq {

namespace {

using Row = MultipleAlignment::Row;

constexpr std::size_t kStockholmColumns = 200;
constexpr std::size_t kLineColumns = 60;
constexpr std::size_t kPhylipNameWidth = 10;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

void append_padded(std::string_view text, std::size_t width, std::string& out) {
    out += text;
    if (text.size() < width) out.append(width - text.size(), ' ');
}

std::size_t widest_name(const MultipleAlignment& alignment) {
    std::size_t width = 0;
    for (const Row& row : alignment.rows) width = std::max(width, row.name.size());
    return width;
}

/// Returns whether each column is a consensus column.
std::vector<bool> consensus_columns(const MultipleAlignment& alignment) {
    std::vector<bool> columns(alignment.columns());
    const std::string& line =
        !alignment.reference.empty() || alignment.rows.empty() ? alignment.reference : alignment.rows.front().residues;
    std::transform(line.begin(), line.end(), columns.begin(), is_letter_or_digit);
    return columns;
}

void append_fasta_header(const Row& row, std::string& out) {
    out += '>';
    out += row.name;
    for (const std::string* const text : {&row.accession, &row.description}) {
        if (text->empty()) continue;
        out += ' ';
        out += *text;
    }
    out += '\n';
}

void append_lines(std::string_view text, std::size_t width, std::string& out) {
    for (std::size_t first = 0; first < text.size(); first += width) {
        out += text.substr(first, width);
        out += '\n';
    }
}

/// Writes A2M, or A3M if `row_per_line` is true.
void write_a2m(const MultipleAlignment& alignment, bool row_per_line, TextPieces& pieces) {
    const std::vector<bool> consensus = consensus_columns(alignment);
    std::string letters;
    for (const Row& row : alignment.rows) {
        append_fasta_header(row, pieces.text());
        letters.clear();
        for (std::size_t i = 0; i < row.residues.size(); ++i) {
            char c = row.residues[i];
            if (row_per_line ? c == '*' : c == 'O') c = 'X';
            if (consensus[i])
                letters += is_letter(c) ? upper(c) : '-';
            else if (is_letter(c))
                letters += lower(c);
        }
        append_lines(letters, row_per_line ? std::max<std::size_t>(letters.size(), 1) : kLineColumns, pieces.text());
        if (row_per_line && letters.empty()) pieces.text() += '\n';
        if (!pieces.next()) return;
    }
}

void write_afa(const MultipleAlignment& alignment, TextPieces& pieces) {
    for (const Row& row : alignment.rows) {
        append_fasta_header(row, pieces.text());
        append_lines(row.residues, kLineColumns, pieces.text());
        if (!pieces.next()) return;
    }
}

void write_psiblast(const MultipleAlignment& alignment, TextPieces& pieces) {
    const std::vector<bool> consensus = consensus_columns(alignment);
    const std::size_t columns = alignment.columns(), width = widest_name(alignment);
    for (std::size_t first = 0; first < columns; first += kLineColumns) {
        if (first > 0) pieces.text() += '\n';
        for (const Row& row : alignment.rows) {
            std::string& out = pieces.text();
            append_padded(row.name, width + 2, out);
            for (std::size_t i = first; i < std::min(first + kLineColumns, columns); ++i) {
                const char c = row.residues[i];
                out += !is_letter_or_digit(c) ? '-' : consensus[i] ? upper(c) : lower(c);
            }
            out += '\n';
            if (!pieces.next()) return;
        }
    }
}

void write_selex(const MultipleAlignment& alignment, TextPieces& pieces) {
    const std::size_t columns = alignment.columns();
    const std::size_t width = std::max(widest_name(alignment), std::string_view("#=RF").size());
    for (std::size_t first = 0; first < columns; first += kLineColumns) {
        const auto line = [&](std::string_view name, const std::string& text) {
            append_padded(name, width + 1, pieces.text());
            pieces.text().append(text, first, kLineColumns);
            pieces.text() += '\n';
        };
        const auto annotation = [&](std::string_view name, const std::string& text) {
            if (!text.empty()) line(name, text);
        };
        if (first > 0) pieces.text() += '\n';
        annotation("#=CS", alignment.structure);
        annotation("#=RF", alignment.reference);
        annotation("#=MM", alignment.mask);
        for (const Row& row : alignment.rows) {
            line(row.name, row.residues);
            annotation("#=SS", row.structure);
            annotation("#=SA", row.surface);
            if (!pieces.next()) return;
        }
    }
}

/// Returns a line with '*' at columns in which all rows have the same letter, in either case.
std::string clustal_marks(const MultipleAlignment& alignment) {
    std::string marks(alignment.columns(), '*');
    for (const Row& row : alignment.rows) {
        for (std::size_t i = 0; i < marks.size(); ++i) {
            const char c = row.residues[i];
            if (!is_letter(c) || upper(c) != upper(alignment.rows.front().residues[i])) marks[i] = ' ';
        }
    }
    return marks;
}

void write_clustal(const MultipleAlignment& alignment, std::string_view program, TextPieces& pieces) {
    const std::string marks = clustal_marks(alignment);
    const std::size_t width = widest_name(alignment);
    pieces.text() += std::string(program) + " multiple sequence alignment\n";
    for (std::size_t first = 0; first < marks.size(); first += kLineColumns) {
        const auto line = [&](std::string_view name, const std::string& text) {
            append_padded(name, width + 1, pieces.text());
            pieces.text().append(text, first, kLineColumns);
            pieces.text() += '\n';
            return pieces.next();
        };
        pieces.text() += '\n';
        for (const Row& row : alignment.rows)
            if (!line(row.name, row.residues)) return;
        line("", marks);
    }
}

char phylip_letter(char c) {
    if (c == '.' || c == '_' || c == ' ') return '-';
    return c == '~' ? '?' : upper(c);
}

void append_phylip_line(const Row& row, std::size_t first, std::string& out) {
    if (first == 0) append_padded(std::string_view(row.name).substr(0, kPhylipNameWidth), kPhylipNameWidth + 1, out);
    for (const char c : std::string_view(row.residues).substr(first, kLineColumns)) out += phylip_letter(c);
    out += '\n';
}

void write_phylip(const MultipleAlignment& alignment, bool sequential, TextPieces& pieces) {
    const std::size_t columns = alignment.columns();
    pieces.text() += " " + std::to_string(alignment.rows.size()) + " " + std::to_string(columns);
    if (sequential) {
        pieces.text() += '\n';
        for (const Row& row : alignment.rows) {
            for (std::size_t first = 0; first < columns; first += kLineColumns)
                append_phylip_line(row, first, pieces.text());
            if (!pieces.next()) return;
        }
        return;
    }
    for (std::size_t first = 0; first < columns; first += kLineColumns) {
        pieces.text() += '\n';
        for (const Row& row : alignment.rows) {
            append_phylip_line(row, first, pieces.text());
            if (!pieces.next()) return;
        }
    }
}

/// Reserves about as much memory as the text takes, so that a long text is not moved while it
/// grows. Memory that is reserved but not used is never touched.
void reserve_for(const MultipleAlignment& alignment, AlignmentFormat format, std::string& out) {
    const std::size_t columns = alignment.columns(), name = widest_name(alignment) + 24;
    const std::size_t per_block = format == AlignmentFormat::kStockholm ? kStockholmColumns
                                  : format == AlignmentFormat::kPfam    ? std::max<std::size_t>(columns, 1)
                                                                        : kLineColumns;
    std::size_t bytes = 1 << 10;
    for (const Row& row : alignment.rows) {
        const std::size_t lines = 1U + (row.posteriors.empty() ? 0U : 1U) + (row.structure.empty() ? 0U : 1U);
        bytes += lines * (columns + (columns / per_block + 1) * name) + row.description.size() + 2 * name;
    }
    out.reserve(out.size() + bytes);
}

}  // namespace

Status write_alignment(const MultipleAlignment& alignment, AlignmentFormat format, const TakeText& take) {
    TextPieces pieces(take);
    switch (format) {
        case AlignmentFormat::kStockholm: write_stockholm(alignment, kStockholmColumns, pieces); break;
        case AlignmentFormat::kPfam: write_stockholm(alignment, 0, pieces); break;
        case AlignmentFormat::kA2m: write_a2m(alignment, false, pieces); break;
        case AlignmentFormat::kA3m: write_a2m(alignment, true, pieces); break;
        case AlignmentFormat::kPsiblast: write_psiblast(alignment, pieces); break;
        case AlignmentFormat::kSelex: write_selex(alignment, pieces); break;
        case AlignmentFormat::kAfa: write_afa(alignment, pieces); break;
        case AlignmentFormat::kClustal: write_clustal(alignment, "CLUSTAL 2.1", pieces); break;
        case AlignmentFormat::kClustallike: write_clustal(alignment, "EASEL (0.48)", pieces); break;
        case AlignmentFormat::kPhylip: write_phylip(alignment, false, pieces); break;
        case AlignmentFormat::kPhylips: write_phylip(alignment, true, pieces); break;
    }
    return pieces.finish();
}

void append_alignment(const MultipleAlignment& alignment, AlignmentFormat format, std::string& out) {
    reserve_for(alignment, format, out);
    static_cast<void>(write_alignment(alignment, format, [&out](std::string_view text) {
        out += text;
        return Status();
    }));
}

}  // namespace warpseq
