// Parsers of PSI-BLAST's format and Clustal. A file consists of blocks of lines, each line with a
// name and letters. Every block has the same names, and all lines of a block have letters in the
// same columns. A blank line ends a block in PSI-BLAST's format. A line of marks, or a blank one,
// ends a block in Clustal.
#include <string>
#include <string_view>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

constexpr AlignmentLetters kClustalLetters = protein_alignment_letters();
constexpr AlignmentLetters kPsiblastLetters = [] {
    AlignmentLetters letters = protein_alignment_letters();
    for (const char c : std::string_view("._*~Oo")) letters[static_cast<unsigned char>(c)] = kIllegalLetter;
    return letters;
}();
constexpr std::string_view kSpace = " \t\n\v\f\r";

Status fault(std::string what) { return Status::invalid_input(std::move(what)); }

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

struct BlockLine {
    std::string_view name, text;
    std::size_t text_begin = 0;
};

/// Splits a line into its name and its letters. The letters are the rest of the line, or only the
/// next word. Returns false if there are none.
bool split_line(std::string_view line, bool to_end, BlockLine& split) {
    const std::size_t name = line.find_first_not_of(kSpace);
    const std::size_t name_end = line.find_first_of(kSpace, name);
    split.text_begin = line.find_first_not_of(kSpace, name_end);
    if (name == std::string_view::npos || name_end == std::string_view::npos ||
        split.text_begin == std::string_view::npos) {
        return false;
    }
    split.name = line.substr(name, name_end - name);
    const std::size_t end = to_end ? line.find_last_not_of(kSpace) + 1 : line.find_first_of(kSpace, split.text_begin);
    split.text = line.substr(split.text_begin, end == std::string_view::npos ? end : end - split.text_begin);
    return true;
}

/// The lines of one block, which are added one after the other.
class Block {
   public:
    Block(MultipleAlignment& alignment, const AlignmentLetters& letters, bool first, std::size_t columns_before)
        : alignment_(alignment), letters_(letters), first_(first), columns_before_(columns_before) {}

    Status check(const BlockLine& line) {
        if (rows_ == 0) {
            text_begin_ = line.text_begin;
            columns_ = line.text.size();
        } else if (line.text_begin != text_begin_) {
            return fault("sequence start is misaligned");
        } else if (line.text.size() != columns_) {
            return fault("sequence end is misaligned");
        }
        return {};
    }

    Status add(const BlockLine& line) {
        if (first_) {
            alignment_.rows.emplace_back().name = line.name;
        } else if (rows_ >= alignment_.rows.size() || alignment_.rows[rows_].name != line.name) {
            const std::string expected = rows_ < alignment_.rows.size() ? alignment_.rows[rows_].name : "(null)";
            return fault("expected sequence " + expected + " on this line, but saw " + std::string(line.name));
        }
        std::string& row = alignment_.rows[rows_].residues;
        if (!append_letters(line.text, letters_, row)) return fault("one or more invalid sequence characters");
        if (row.size() - columns_before_ != line.text.size()) return fault("unexpected number of seq characters");
        ++rows_;
        return {};
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }

   private:
    MultipleAlignment& alignment_;
    const AlignmentLetters& letters_;
    bool first_;
    std::size_t columns_before_, rows_ = 0, columns_ = 0, text_begin_ = 0;
};

bool skip_blank_lines(AlignmentLines& lines) {
    while (lines.next())
        if (!is_blank_line(lines.line())) return true;
    return false;
}

/// Marks columns in the reference as the letters of a line show them: 'x' for upper case, '.' for
/// lower case. '-' stands for a column that is not known yet.
Status mark_reference(std::string_view text, std::size_t columns_before, std::string& reference) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        char& mark = reference[columns_before + i];
        const char* const wrong = is_upper(text[i]) && mark == '.'   ? "upper"
                                  : is_lower(text[i]) && mark == 'x' ? "lower"
                                                                     : nullptr;
        if (wrong != nullptr)
            return fault("unexpected " + std::string(wrong) + " case residue (#" + std::to_string(i + 1) + " on line)");
        if (is_upper(text[i])) mark = 'x';
        if (is_lower(text[i])) mark = '.';
    }
    return {};
}

}  // namespace

Result<bool> parse_psiblast(AlignmentLines& lines, MultipleAlignment& alignment) {
    if (!skip_blank_lines(lines)) return false;
    std::size_t columns = 0;
    do {
        Block block(alignment, kPsiblastLetters, columns == 0, columns);
        do {
            BlockLine line;
            if (!split_line(lines.line(), true, line)) return fault("invalid alignment line");
            WARPSEQ_TRY(block.check(line));
            alignment.reference.resize(columns + line.text.size(), '-');
            WARPSEQ_TRY(mark_reference(line.text, columns, alignment.reference));
            WARPSEQ_TRY(block.add(line));
        } while (lines.next() && !is_blank_line(lines.line()));
        if (block.rows() != alignment.rows.size())
            return fault("last block didn't contain same # of seqs as earlier blocks");
        columns += block.columns();
    } while (skip_blank_lines(lines));
    return true;
}

Result<bool> parse_clustal(AlignmentLines& lines, bool strict, MultipleAlignment& alignment) {
    if (!skip_blank_lines(lines)) return false;
    AlignmentWords words(lines.line());
    const std::string_view program = words.next();
    // HMMER 3.3.2 asks for "multiple sequence alignment". HMMER 3.4 reads what MAFFT writes, too,
    // "CLUSTAL format alignment by MAFFT".
    if ((strict && !program.starts_with("CLUSTAL")) || words.rest().find("alignment") == std::string_view::npos)
        return fault("missing CLUSTAL header");
    if (!skip_blank_lines(lines)) return fault("no alignment data following header");
    std::size_t columns = 0;
    do {
        Block block(alignment, kClustalLetters, columns == 0, columns);
        // A line of the consensus or a blank line ends a block, and so does the end of the file.
        // HMMER 3.3.2 wants one of the lines there, too.
        bool more = true;
        do {
            BlockLine line;
            if (!split_line(lines.line(), false, line)) return fault("invalid alignment line");
            WARPSEQ_TRY(block.check(line));
            WARPSEQ_TRY(block.add(line));
            more = lines.next();
        } while (more && lines.line().find_first_not_of(" .:*") != std::string_view::npos);
        if (block.rows() != alignment.rows.size())
            return fault("last block didn't contain same # of seqs as earlier blocks");
        columns += block.columns();
    } while (skip_blank_lines(lines));
    return true;
}

}  // namespace warpseq
