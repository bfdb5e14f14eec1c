// A parser of SELEX. A file consists of blocks of lines with a name and letters. Among them are
// lines of annotation, of columns (#=RF, #=MM, #=CS) or of the row above (#=SS, #=SA). A blank is a
// gap, so the columns of a block are those between the leftmost and the rightmost letter of all its
// lines.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

constexpr AlignmentLetters kLetters = [] {
    AlignmentLetters letters = protein_alignment_letters();
    letters[' '] = '.';
    return letters;
}();

Status fault(std::string what) { return Status::invalid_input(std::move(what)); }

enum class Kind { kReference, kMask, kConsensusStructure, kStructure, kSurface, kSequence };

struct Line {
    std::string text;
    std::uint64_t number;
    Kind kind = Kind::kSequence;
    std::int64_t left = -1, right = -1;  // first and last letter; -1: none
};

Kind kind_of(std::string_view line) {
    if (line.starts_with("#=RF")) return Kind::kReference;
    if (line.starts_with("#=MM")) return Kind::kMask;
    if (line.starts_with("#=CS")) return Kind::kConsensusStructure;
    if (line.starts_with("#=SS")) return Kind::kStructure;
    if (line.starts_with("#=SA")) return Kind::kSurface;
    return Kind::kSequence;
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::kReference: return "#=RF line";
        case Kind::kMask: return "#=MM line";
        case Kind::kConsensusStructure: return "#=CS line";
        case Kind::kStructure: return "#=SS line";
        case Kind::kSurface: return "#=SA line";
        case Kind::kSequence: break;
    }
    return "sequence line";
}

bool is_comment(std::string_view line) { return line.starts_with('#') && !line.starts_with("#="); }

class SelexParser {
   public:
    SelexParser(AlignmentLines& lines, MultipleAlignment& alignment) : lines_(lines), alignment_(alignment) {}

    Result<bool> parse() {
        for (;; first_ = false) {
            const Result<bool> more = read_block();
            if (!more.ok() || !*more) return more.ok() ? Result<bool>(!first_) : more;
            WARPSEQ_TRY(first_ ? take_names() : check_names());
            WARPSEQ_TRY(append());
        }
    }

   private:
    Status blame(const Line& line, std::string what) {
        lines_.blame(line.number);
        return fault(std::move(what));
    }

    Result<bool> read_block() {
        do {
            if (!lines_.next()) return false;
        } while (is_blank_line(lines_.line()) || is_comment(lines_.line()));
        std::vector<Line> block;
        bool more = true;
        do {
            block.push_back({std::string(lines_.line()), lines_.number()});
            do more = lines_.next();
            while (more && is_comment(lines_.line()));
        } while (more && !is_blank_line(lines_.line()));
        if (!first_ && block.size() != block_.size()) {
            return fault("expected " + std::to_string(block_.size()) + " lines in block, saw " +
                         std::to_string(block.size()));
        }
        for (std::size_t i = 0; i < block.size(); ++i) {
            Line& line = block[i];
            line.kind = kind_of(line.text);
            if (!first_ && line.kind != block_[i].kind)
                return blame(line, std::string(name_of(line.kind)) + " isn't in expected order in block");
            AlignmentWords words(line.text);
            words.next();
            if (!words.rest().empty()) line.left = static_cast<std::int64_t>(line.text.size() - words.rest().size());
            const auto last = static_cast<std::int64_t>(line.text.find_last_not_of(" \t\n\v\f\r"));
            line.right = last < line.left ? -1 : last;
        }
        block_ = std::move(block);
        return true;
    }

    Status take_names() {
        int references = 0, structures = 0, row_structures = 0, row_surfaces = 0;
        for (const Line& line : block_) {
            if (line.kind == Kind::kSequence) {
                row_structures = row_surfaces = 0;
                alignment_.rows.emplace_back().name = AlignmentWords(line.text).next();
            }
            references += line.kind == Kind::kReference ? 1 : 0;
            structures += line.kind == Kind::kConsensusStructure ? 1 : 0;
            row_structures += line.kind == Kind::kStructure ? 1 : 0;
            row_surfaces += line.kind == Kind::kSurface ? 1 : 0;
            const bool has_row = !alignment_.rows.empty();
            if (row_structures > 0 && !has_row) return blame(line, "#=SS must follow a sequence");
            if (row_surfaces > 0 && !has_row) return blame(line, "#=SA must follow a sequence");
            if (references > 1) return blame(line, "Too many #=RF lines for block");
            if (structures > 1) return blame(line, "Too many #=CS lines for block");
            if (row_structures > 1) return blame(line, "Too many #=SS lines for seq");
            if (row_surfaces > 1) return blame(line, "Too many #=SA lines for seq");
        }
        if (alignment_.rows.empty()) return fault("no sequences in the alignment");
        return {};
    }

    Status check_names() {
        std::size_t row = 0;
        for (const Line& line : block_) {
            if (line.kind != Kind::kSequence) continue;
            const std::string& expected = alignment_.rows[row++].name;
            if (AlignmentWords(line.text).next() != expected)
                return blame(line, "expected sequence " + expected + " at this line of block");
        }
        return {};
    }

    std::string& text_of(Kind kind, std::size_t row) {
        switch (kind) {
            case Kind::kReference: return alignment_.reference;
            case Kind::kMask: return alignment_.mask;
            case Kind::kConsensusStructure: return alignment_.structure;
            case Kind::kStructure: return alignment_.rows[row].structure;
            case Kind::kSurface: return alignment_.rows[row].surface;
            case Kind::kSequence: break;
        }
        return alignment_.rows[row].residues;
    }

    Status append() {
        std::int64_t left = block_[0].left, right = block_[0].right;
        for (const Line& line : block_) {
            if (line.left != -1) left = std::min(left, line.left);
            right = std::max(right, line.right);
        }
        if (right == -1) return {};
        const auto added = static_cast<std::size_t>(right - left + 1);
        WARPSEQ_TRY(check_padded_letters(block_.size(), columns_ + added));
        std::size_t rows = 0;
        for (const Line& line : block_) {
            if (line.kind == Kind::kSequence) ++rows;
            std::string& text = text_of(line.kind, rows - (rows > 0 ? 1 : 0));
            text.resize(columns_, '.');
            if (line.left != -1) {
                text.append(static_cast<std::size_t>(line.left - left), '.');
                const std::string_view letters = std::string_view(line.text).substr(
                    static_cast<std::size_t>(line.left), static_cast<std::size_t>(line.right - line.left + 1));
                if (line.kind != Kind::kSequence)
                    text.append(letters);
                else if (!append_letters(letters, kLetters, text))
                    return blame(line, "illegal residue(s) in sequence line");
            }
            text.resize(columns_ + added, '.');
        }
        columns_ += added;
        return {};
    }

    AlignmentLines& lines_;
    MultipleAlignment& alignment_;
    bool first_ = true;
    std::vector<Line> block_;
    std::size_t columns_ = 0;
};

}  // namespace

Result<bool> parse_selex(AlignmentLines& lines, MultipleAlignment& alignment) {
    return SelexParser(lines, alignment).parse();
}

}  // namespace warpseq
