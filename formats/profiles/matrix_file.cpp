// Reads substitution matrices line by line, then fills in the letters that the file does not have.
#include "formats/profiles/matrix_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "formats/io/byte_source.h"
#include "formats/io/shown_text.h"
#include "libcore/scoring/nucleotide_matrix.h"

namespace warpseq {

namespace {

constexpr std::size_t kLargestFileBytes = std::size_t{1} << 20;
constexpr int kHighestScore = 127;

struct Word {
    std::string_view text;
    std::size_t column;  // from 1
};

std::vector<Word> words_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\v\f\r";
    std::vector<Word> words;
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        const std::size_t stop = std::min(line.find_first_of(kBlanks, at), line.size());
        words.push_back({line.substr(at, stop - at), at + 1});
        at = line.find_first_not_of(kBlanks, stop);
    }
    return words;
}

/// A parser of one matrix. It holds the scores by residue code, and which rows and columns the file
/// has.
class Parser {
   public:
    Parser(std::string_view text, std::string_view source, Alphabet alphabet)
        : text_(text), source_(source), alphabet_(alphabet) {}

    Status parse() {
        while (!text_.empty()) {
            const std::size_t stop = text_.find_first_of("\r\n");
            const std::string_view line = text_.substr(0, stop);
            ++line_number_;
            if (stop == std::string_view::npos) {
                text_ = {};
            } else {
                text_.remove_prefix(stop + (text_.substr(stop).starts_with("\r\n") ? 2 : 1));
            }
            if (line.starts_with('#')) continue;
            const std::vector<Word> words = words_of(line);
            if (words.empty()) continue;
            WARPSEQ_TRY(columns_.empty() ? read_columns(words) : read_row(words));
        }
        return check_complete();
    }

    SubstitutionMatrix matrix(std::string name) {
        if (alphabet_ == Alphabet::kNucleotide) return nucleotides(std::move(name));
        fill_missing();
        return {std::move(name), table_};
    }

   private:
    Status at(std::size_t column, const std::string& message) const {
        return Status::invalid_input(std::string(source_) + ": line " + std::to_string(line_number_) + ", column " +
                                     std::to_string(column) + ": " + message);
    }

    static std::optional<ResidueCode> residue_of(std::string_view word) {
        if (word.size() != 1) return std::nullopt;
        const std::uint8_t symbol = kSymbolTable[static_cast<unsigned char>(word[0])];
        return symbol < kResidueCodes ? std::optional<ResidueCode>(symbol) : std::nullopt;
    }

    Status read_columns(const std::vector<Word>& words) {
        for (const Word& word : words) {
            const std::optional<ResidueCode> code = residue_of(word.text);
            if (!code) {
                return at(word.column,
                          "found " + shown_text(word.text) +
                              "; the first line that is not a '#' comment has to name the columns, each by a residue "
                              "letter or '*'");
            }
            if (has_column_[*code]) return at(word.column, "the column " + shown_text(word.text) + " is there twice");
            has_column_[*code] = true;
            columns_.push_back(*code);
        }
        return {};
    }

    Status read_row(const std::vector<Word>& words) {
        const std::optional<ResidueCode> code = residue_of(words[0].text);
        if (!code) {
            return at(words[0].column,
                      "found " + shown_text(words[0].text) + "; a row has to begin with its residue letter or '*'");
        }
        if (has_row_[*code]) return at(words[0].column, "the row " + shown_text(words[0].text) + " is there twice");
        has_row_[*code] = true;
        if (words.size() != columns_.size() + 1) {
            return at(words[0].column, "the row " + shown_text(words[0].text) + " has " +
                                           std::to_string(words.size() - 1) + " scores; the line of letters names " +
                                           std::to_string(columns_.size()) + " columns");
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            std::string_view number = words[i + 1].text;
            if (number.size() > 1 && number[0] == '+' && number[1] != '-') number.remove_prefix(1);
            int score = 0;
            const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), score);
            if (error != std::errc() || stop != number.data() + number.size() ||
                score < SubstitutionMatrix::kLowestMatrixScore || score > kHighestScore) {
                return at(words[i + 1].column, "found " + shown_text(words[i + 1].text) +
                                                   "; a score has to be a whole number from -127 to 127");
            }
            table_[*code][columns_[i]] = static_cast<std::int8_t>(score);
        }
        return {};
    }

    Status check_complete() const {
        const auto missing = [&](bool row, char letter, const char* needed) {
            return Status::invalid_input(std::string(source_) + ": has no " + (row ? "column" : "row") + " for " +
                                         letter + "; " + needed + " are needed as rows and as columns");
        };
        if (alphabet_ == Alphabet::kNucleotide) {
            for (const char letter : {'A', 'C', 'G', 'T'}) {
                const bool row = has_row_[file_code(letter, has_row_)];
                if (row && has_column_[file_code(letter, has_column_)]) continue;
                return missing(row, letter, "the bases A, C, G and T");
            }
            return {};
        }
        for (ResidueCode code = 0; code < kAminoAcids; ++code) {
            const bool row = has_row_[code];
            if (!row || !has_column_[code]) return missing(row, residue_letter(code), "all 20 amino acids");
        }
        return {};
    }

    /// Returns the code under which the file has a nucleotide letter. This is the code of U for a T
    /// that the file does not have.
    static ResidueCode file_code(char letter, const std::array<bool, kResidueCodes>& has) {
        return letter == 'T' && !has[code_of('T')] ? kCodeU : code_of(letter);
    }

    SubstitutionMatrix nucleotides(std::string name) const {
        SubstitutionMatrix::Table table{};
        std::array<bool, kNucleotideCodes> missing{};
        for (std::size_t q = 0; q < kNucleotideCodes; ++q) {
            const ResidueCode row = file_code(kNucleotideLetters[q], has_row_);
            missing[q] = !has_row_[row] || !has_column_[file_code(kNucleotideLetters[q], has_column_)];
            for (std::size_t t = 0; t < kNucleotideCodes; ++t) {
                table[q][t] = table_[row][file_code(kNucleotideLetters[t], has_column_)];
            }
        }
        fill_ambiguous_nucleotides(table, missing);
        return nucleotide_matrix(std::move(name), table);
    }

    /// Fills in the letters that the file lacks as a row or as a column.
    void fill_missing() {
        int lowest = 0;
        for (const ResidueCode row : all_codes()) {
            for (const ResidueCode column : all_codes()) {
                if (has_row_[row] && has_column_[column]) lowest = std::min<int>(lowest, table_[row][column]);
            }
        }
        // X comes before O, because O gets the scores of X. The other letters need only the amino
        // acids and the letters that were added before them.
        add(
            kCodeX, [](int, int) { return -1; }, kCodeX, kCodeX);
        add(
            kCodeStop, [lowest](int, int) { return lowest; }, kCodeStop, kCodeStop);
        if (!has_row_[kCodeStop] || !has_column_[kCodeStop]) table_[kCodeStop][kCodeStop] = 1;
        constexpr auto kRoundedDownMean = [](int a, int b) { return (a + b) >> 1; };
        constexpr auto kFirst = [](int a, int) { return a; };
        add(kCodeB, kRoundedDownMean, code_of('D'), code_of('N'));
        add(kCodeZ, kRoundedDownMean, code_of('E'), code_of('Q'));
        add(kCodeJ, kRoundedDownMean, code_of('I'), code_of('L'));
        add(kCodeU, kFirst, code_of('C'), code_of('C'));
        add(kCodeO, kFirst, kCodeX, kCodeX);
    }

    template <typename Combine>
    void add(ResidueCode code, Combine combine, ResidueCode a, ResidueCode b) {
        const bool row = has_row_[code], column = has_column_[code];
        for (const ResidueCode other : all_codes()) {
            if (!row) table_[code][other] = static_cast<std::int8_t>(combine(table_[a][other], table_[b][other]));
        }
        for (const ResidueCode other : all_codes()) {
            if (!column) table_[other][code] = static_cast<std::int8_t>(combine(table_[other][a], table_[other][b]));
        }
    }

    static ResidueCode code_of(char letter) { return kSymbolTable[static_cast<unsigned char>(letter)]; }

    static std::array<ResidueCode, kResidueCodes> all_codes() {
        std::array<ResidueCode, kResidueCodes> codes{};
        for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<ResidueCode>(i);
        return codes;
    }

    std::string_view text_, source_;
    Alphabet alphabet_;
    std::uint64_t line_number_ = 0;
    std::vector<ResidueCode> columns_;
    std::array<bool, kResidueCodes> has_row_{}, has_column_{};
    SubstitutionMatrix::Table table_{};
};

}  // namespace

Result<SubstitutionMatrix> parse_matrix(std::string_view text, std::string name, std::string_view source,
                                        Alphabet alphabet) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    Parser parser(text, source, alphabet);
    WARPSEQ_TRY(parser.parse());
    return parser.matrix(std::move(name));
}

Result<SubstitutionMatrix> read_matrix_file(const std::filesystem::path& file, Alphabet alphabet) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const Result<std::string> text = source->read_rest(kLargestFileBytes);
    if (!text.ok()) return text.status();
    if (text->size() > kLargestFileBytes) {
        return Status::invalid_input(source->name() +
                                     ": is larger than 1 MiB; a substitution matrix in NCBI's text format "
                                     "was expected");
    }
    return parse_matrix(*text, file.filename().string(), source->name(), alphabet);
}

}  // namespace warpseq
