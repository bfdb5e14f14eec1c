// A parser of Stockholm and Pfam. An alignment consists of blocks of lines up to "//". Each block
// has the same lines in the same order.
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/alignments/alignment_parsers.h"

namespace warpseq {

namespace {

constexpr AlignmentLetters kLetters = protein_alignment_letters();
constexpr std::string_view kHeader = "# STOCKHOLM";

Status fault(std::string what) { return Status::invalid_input(std::move(what)); }

/// Whether HMMER takes a word for a number: it has digits, at most one '.' and then at most one
/// exponent. The number's value is that of the longest beginning that is a number.
bool is_number(std::string_view word) {
    if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
    bool digits = false, point = false, exponent = false;
    for (const char c : word) {
        if (c >= '0' && c <= '9') {
            digits = true;
        } else if (c == '.') {
            if (point || exponent) return false;
            point = true;
        } else if (c == 'e' || c == 'E') {
            if (exponent) return false;
            exponent = true;
        }
    }
    return digits;
}

double number_of(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}

class StockholmParser {
   public:
    StockholmParser(AlignmentLines& lines, MultipleAlignment& alignment) : lines_(lines), alignment_(alignment) {}

    Result<bool> parse() {
        do {
            if (!lines_.next()) return false;
        } while (is_blank_line(lines_.line()) ||
                 (lines_.line().starts_with('#') && !lines_.line().starts_with(kHeader)));
        if (!lines_.line().starts_with("# STOCKHOLM 1.")) return fault("missing Stockholm header");
        for (bool ended = false; !ended;) {
            if (!lines_.next()) return fault("missing // terminator after MSA");
            WARPSEQ_TRY(parse_line(ended));
        }
        if (blocks_ == 0 || rows() == 0) return fault("no alignment data followed Stockholm header");
        if (rows() != rows_of_block_)
            return fault("number of seqs in block did not match number annotated by #=GS lines");
        if (weights_ > 0 && weights_ < rows()) {
            for (const MultipleAlignment::Row& row : alignment_.rows)
                if (!row.weight) return fault("stockholm record ended without a weight for " + row.name);
        }
        return true;
    }

   private:
    enum class Kind {
        kSequence,
        kRowStructure,
        kRowSurface,
        kRowPosteriors,
        kRowOther,
        kStructure,
        kSurface,
        kPosteriors,
        kReference,
        kMask,
        kOther
    };
    struct BlockLine {
        Kind kind;
        std::size_t row;  // for lines that belong to a row
    };

    std::size_t rows() const { return alignment_.rows.size(); }

    Status parse_line(bool& ended) {
        std::string_view line = lines_.line();
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        ended = line.starts_with("//");
        if (line.empty() || ended) return end_block();
        if (!line.starts_with('#')) return parse_sequence(line);
        if (line.starts_with("#=GF")) return parse_file_line(line);
        if (line.starts_with("#=GS")) return parse_row_line(line);
        if (line.starts_with("#=GC")) return parse_column_line(line);
        if (line.starts_with("#=GR")) return parse_row_column_line(line);
        if (line == "# STOCKHOLM 1.0") return fault("two # STOCKHOLM 1.0 headers in a row?");
        return {};
    }

    Status end_block() {
        if (!in_block_) return {};
        if (blocks_ > 0) {
            if (sequences_ != rows()) return fault("number of seqs in block did not match number in earlier block(s)");
            if (at_ != block_.size()) return fault("unexpected number of lines in alignment block");
        } else if (sequences_ < rows()) {
            return fault("number of seqs in block did not match number annotated by #=GS lines");
        }
        rows_of_block_ = sequences_;
        columns_ += block_columns_;
        in_block_ = false;
        at_ = guess_ = sequences_ = block_columns_ = 0;
        ++blocks_;
        return {};
    }

    // ---- annotation of the whole ----

    Status parse_file_line(std::string_view line) {
        AlignmentWords words(line);
        const std::string_view mark = words.next(), tag = words.next();
        if (tag.empty()) return fault("#=GF line is missing <tag>, annotation");
        if (mark != "#=GF") return fault("faux #=GF line?");
        if (tag == "ID") {
            alignment_.name = words.next();
            if (alignment_.name.empty()) return fault("No name found on #=GF ID line");
            if (!words.rest().empty()) return fault("#=GF ID line should have only one name (no whitespace allowed)");
        } else if (tag == "AC") {
            alignment_.accession = words.next();
            if (alignment_.accession.empty()) return fault("No accession found on #=GF AC line");
            if (!words.rest().empty())
                return fault("#=GF AC line should have only one accession (no whitespace allowed)");
        } else if (tag == "DE") {
            alignment_.description = words.rest();
        } else if (tag == "AU") {
            alignment_.author = words.rest();
        } else if (tag == "GA") {
            return parse_cutoffs(words, tag, alignment_.gathering);
        } else if (tag == "NC") {
            return parse_cutoffs(words, tag, alignment_.noise);
        } else if (tag == "TC") {
            return parse_cutoffs(words, tag, alignment_.trusted);
        }
        return {};
    }

    static Status parse_cutoffs(AlignmentWords& words, std::string_view tag, MultipleAlignment::Cutoffs& cutoffs) {
        const std::string name(tag);
        const auto parse = [&](std::string_view word, char which, std::optional<float>& bits) -> Status {
            // Files of RNA families have noise cutoffs that are "undefined".
            if (tag == "NC" && which == '1' && word == "undefined") return {};
            if (!is_number(word))
                return fault("Expected a real number for " + name + which + " value on #=GF " + name + " line");
            bits = static_cast<float>(number_of(word));
            return {};
        };
        const std::string_view first = words.next();
        if (first.empty()) return fault("No " + name + " threshold value found on #=GF " + name + " line");
        WARPSEQ_TRY(parse(first, '1', cutoffs.sequence_bits));
        if (const std::string_view second = words.next(); !second.empty())
            WARPSEQ_TRY(parse(second, '2', cutoffs.domain_bits));
        return {};
    }

    // ---- annotation of rows ----

    std::size_t row_named(std::string_view name) {
        const auto [entry, added] = index_.try_emplace(std::string(name), rows());
        if (added) alignment_.rows.emplace_back().name = name;
        return entry->second;
    }

    Status parse_row_line(std::string_view line) {
        AlignmentWords words(line);
        const std::string_view mark = words.next(), name = words.next(), tag = words.next();
        if (name.empty()) return fault("#=GS line missing <seqname>, <tag>, annotation");
        if (tag.empty()) return fault("#=GS line missing <tag>, annotation");
        if (mark != "#=GS") return fault("faux #=GS line?");
        const std::size_t at = guess_ < rows() && alignment_.rows[guess_].name == name ? guess_ : row_named(name);
        MultipleAlignment::Row& row = alignment_.rows[at];
        guess_ = at + 1;
        if (tag == "WT") {
            const std::string_view weight = words.next();
            if (weight.empty()) return fault("no weight value found on #=GS <seqname> WT line");
            if (row.weight) return fault("sequence has more than one #=GS <seqname> WT line");
            if (!words.rest().empty()) return fault("#=GS <seqname> WT line should have only one field, the weight");
            if (!is_number(weight)) return fault("value on #=GS <seqname> WT line isn't a real number");
            row.weight = number_of(weight);
            ++weights_;
        } else if (tag == "AC") {
            const std::string_view accession = words.next();
            if (accession.empty()) return fault("no accession found on #=GS <seqname> AC line");
            if (!row.accession.empty()) return fault("sequence has more than one #=GS <seqname> AC accession line");
            if (!words.rest().empty()) return fault("#=GS <seqname> AC line should have only one field, the accession");
            row.accession = accession;
        } else if (tag == "DE") {
            if (!row.description.empty()) return fault("sequence has more than one #=GS <seqname> DE accession line");
            row.description = words.rest();
        }
        return {};
    }

    // ---- lines of a block ----

    /// Checks the next line of the block. In later blocks it has to be of the same kind as in the
    /// first one.
    bool take_line(Kind kind, std::size_t row) {
        if (blocks_ == 0) {
            block_.push_back({kind, row});
            return true;
        }
        return at_ < block_.size() && block_[at_].kind == kind;
    }

    /// Ends a line. Returns false if it has not as many columns as the other lines of the block.
    bool end_line(std::size_t columns) {
        if (at_ > 0 && columns != block_columns_) return false;
        block_columns_ = columns;
        in_block_ = true;
        ++at_;
        return true;
    }

    Status parse_column_line(std::string_view line) {
        AlignmentWords words(line);
        const std::string_view mark = words.next(), tag = words.next(), text = without_blank_end(words.rest());
        if (tag.empty()) return fault("#=GC line missing <tag>, annotation");
        if (mark != "#=GC") return fault("faux #=GC line?");
        if (text.empty()) return fault("#=GC line missing annotation?");
        const std::string name(tag);
        std::string* whole = nullptr;
        Kind kind = Kind::kOther;
        if (tag == "SS_cons") {
            kind = Kind::kStructure;
            whole = &alignment_.structure;
        } else if (tag == "SA_cons") {
            kind = Kind::kSurface;
            whole = &alignment_.surface;
        } else if (tag == "PP_cons") {
            kind = Kind::kPosteriors;
            whole = &alignment_.posterior_consensus;
        } else if (tag == "RF") {
            kind = Kind::kReference;
            whole = &alignment_.reference;
        } else if (tag == "MM") {
            kind = Kind::kMask;
            whole = &alignment_.mask;
        }
        if (!take_line(kind, 0)) {
            return fault(whole != nullptr ? "unexpected #=GC " + name + "; earlier block(s) in different order?"
                                          : "unexpected #=GC line; earlier block(s) in different order?");
        }
        std::size_t& other = whole != nullptr ? unused_ : other_columns_[name];
        if ((whole != nullptr ? whole->size() : other) != columns_)
            return fault("more than one #=GC " + name + " line in block");
        whole != nullptr ? void(whole->append(text)) : void(other += text.size());
        if (!end_line(text.size())) return fault("unexpected # of aligned annotation in #=GC " + name + " line");
        return {};
    }

    Status parse_row_column_line(std::string_view line) {
        AlignmentWords words(line);
        const std::string_view mark = words.next(), name = words.next(), tag = words.next(),
                               text = without_blank_end(words.rest());
        if (name.empty()) return fault("#=GR line missing <seqname>, <tag>, annotation");
        if (tag.empty()) return fault("#=GR line missing <tag>, annotation");
        if (mark != "#=GR") return fault("faux #=GR line?");
        if (text.empty()) return fault("#=GR line missing annotation?");
        const Kind kind = tag == "SS"   ? Kind::kRowStructure
                          : tag == "SA" ? Kind::kRowSurface
                          : tag == "PP" ? Kind::kRowPosteriors
                                        : Kind::kRowOther;
        std::size_t at = 0;
        if (blocks_ == 0) {
            if (guess_ >= 1 && alignment_.rows[guess_ - 1].name == name) {
                at = guess_ - 1;
            } else if (guess_ < rows() && alignment_.rows[guess_].name == name) {
                at = guess_;
            } else {
                at = row_named(name);
            }
        } else if (at_ >= block_.size()) {
            return fault("more lines than expected in this alignment block; earlier blocks had fewer");
        }
        if (!take_line(kind, at)) {
            return fault(kind == Kind::kRowOther ? "unexpected #=GR line; earlier block(s) in different order?"
                                                 : "unexpected #=GR <seqname> " + std::string(tag) +
                                                       "; earlier block(s) in different order?");
        }
        at = block_[at_].row;
        MultipleAlignment::Row& row = alignment_.rows[at];
        if (row.name != name) {
            return fault("unexpected seqname " + std::string(name) + "; expected " + row.name + " from prev blocks");
        }
        const std::string what = std::string(name) + " " + std::string(tag) + " line";
        std::string* const whole = kind == Kind::kRowStructure    ? &row.structure
                                   : kind == Kind::kRowSurface    ? &row.surface
                                   : kind == Kind::kRowPosteriors ? &row.posteriors
                                                                  : nullptr;
        std::size_t& other = whole != nullptr ? unused_ : other_row_columns_[{at, std::string(tag)}];
        if ((whole != nullptr ? whole->size() : other) != columns_)
            return fault("more than one #=GR " + what + " in block");
        whole != nullptr ? void(whole->append(text)) : void(other += text.size());
        if (!end_line(text.size())) return fault("unexpected # of aligned annotation in #=GR " + what);
        return {};
    }

    Status parse_sequence(std::string_view line) {
        AlignmentWords words(line);
        const std::string_view name = words.next(), text = without_blank_end(words.rest());
        if (text.empty()) return fault("sequence line with no sequence?");
        std::size_t at = guess_;
        if (blocks_ == 0) {
            if (guess_ >= rows() || alignment_.rows[guess_].name != name) at = row_named(name);
        } else if (at_ >= block_.size()) {
            return fault("more lines than expected; earlier blocks had fewer");
        }
        if (!take_line(Kind::kSequence, at)) return fault("unexpected seq line; earlier block(s) in different order?");
        at = block_[at_].row;
        MultipleAlignment::Row& row = alignment_.rows[at];
        if (row.name != name) {
            return fault("unexpected seq name " + std::string(name) + "; expected " + row.name +
                         " from prev block order");
        }
        if (at_ > 0 && row.residues.size() == columns_ + block_columns_)
            return fault("duplicate seq name " + std::string(name));
        if (row.residues.size() != columns_) return fault("duplicate seq name " + std::string(name));
        if (!append_letters(text, kLetters, row.residues)) return fault("invalid sequence character(s) on line");
        if (!end_line(text.size())) return fault("unexpected number of aligned residues parsed on line");
        ++sequences_;
        guess_ = at + 1;
        return {};
    }

    AlignmentLines& lines_;
    MultipleAlignment& alignment_;
    std::unordered_map<std::string, std::size_t> index_;
    std::size_t weights_ = 0;
    std::vector<BlockLine> block_;  // the lines of every block
    std::size_t blocks_ = 0, columns_ = 0, rows_of_block_ = 0;
    std::map<std::string, std::size_t> other_columns_;
    std::map<std::pair<std::size_t, std::string>, std::size_t> other_row_columns_;
    std::size_t unused_ = 0;
    // State of the current block: its line, the row that probably comes next, sequence lines,
    // columns.
    bool in_block_ = false;
    std::size_t at_ = 0, guess_ = 0, sequences_ = 0, block_columns_ = 0;
};

}  // namespace

Result<bool> parse_stockholm(AlignmentLines& lines, MultipleAlignment& alignment) {
    return StockholmParser(lines, alignment).parse();
}

}  // namespace warpseq
