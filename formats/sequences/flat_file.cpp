#include "formats/sequences/flat_file.h"

#include <algorithm>
#include <utility>

namespace warpseq {

namespace {

constexpr std::string_view kSpace = " \t\n\v\f\r";
constexpr std::size_t kEmblColumn = 5, kGenbankColumn = 12;  // where the text of a line begins

bool is_blank(std::string_view text) { return text.find_first_not_of(kSpace) == std::string_view::npos; }

/// Whether a byte between residues is skipped.
bool is_skipped(char byte) {
    return (byte >= '0' && byte <= '9') || byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

}  // namespace

FlatFileReader::FlatFileReader(ByteSource source, FlatFileLayout layout, FastaDialect dialect)
    : source_(std::move(source)), layout_(layout), dialect_(dialect) {}

/// Goes to the next line. Returns false at the end of the file and after a failure.
bool FlatFileReader::next_line() {
    kept_.clear();
    line_ = {};
    while (failure_.ok()) {
        if (block_.empty()) {
            const auto block = source_.next_block();
            if (!block.ok()) {
                failure_ = block.status();
                return false;
            }
            if (block->empty()) break;
            block_ = {reinterpret_cast<const char*>(block->data()), block->size()};
        }
        const std::size_t end = block_.find('\n');
        const std::string_view part = block_.substr(0, end == std::string_view::npos ? end : end + 1);
        block_.remove_prefix(part.size());
        if (end != std::string_view::npos && kept_.empty()) {
            line_ = part;
            ++number_;
            return true;
        }
        kept_ += part;
        if (end != std::string_view::npos) break;
        if (kept_.size() >= kLongestHeaderBytes) {
            ++number_;
            failure_ = fault("a line of 64 MiB; is a line end missing?", true);
        }
    }
    if (!failure_.ok() || kept_.empty()) return false;
    line_ = kept_;
    ++number_;
    return true;
}

/// Returns the current line up to its first NUL.
std::string_view FlatFileReader::text() const { return line_.substr(0, line_.find('\0')); }

/// Returns the part of text() behind the first `column` bytes.
std::string_view FlatFileReader::text_from(std::size_t column) const {
    return text().substr(std::min(column, text().size()));
}

/// Returns the first word behind the first `column` bytes. Words are set apart by any of `ends`.
/// Returns nothing if there is no word.
std::optional<std::string_view> FlatFileReader::first_word(std::size_t column, std::string_view ends) const {
    const std::string_view text = text_from(column);
    // HMMER keeps tabs and line ends, which would add columns and lines to tables.
    const auto ends_word = [&](char byte) {
        return ends.find(byte) != std::string_view::npos ||
               (!is_hmmer(dialect_) && static_cast<unsigned char>(byte) <= ' ');
    };
    const auto begin = std::ranges::find_if_not(text, ends_word);
    if (begin == text.end()) return std::nullopt;
    const auto end = std::find_if(begin, text.end(), ends_word);
    return text.substr(static_cast<std::size_t>(begin - text.begin()), static_cast<std::size_t>(end - begin));
}

/// Returns an error about the current record. `at_line` says whether HMMER's words have a line.
Status FlatFileReader::fault(const std::string& what, bool at_line) const {
    if (is_hmmer(dialect_)) {
        const std::string file = source_.name() == "standard input" ? "-" : source_.name();
        return Status::invalid_input(std::string(kHmmerParseFailure) + file + "):\n" + (at_line ? "Line 1: " : "") +
                                     what);
    }
    return Status::invalid_input(source_.name() + ": line " + std::to_string(number_) + ": " + what);
}

Result<bool> FlatFileReader::next(NamedSequence& sequence) {
    if (!failure_.ok()) return failure_;
    if (!begun_) {
        begun_ = true;
        if (!next_line() && failure_.ok()) {
            failure_ = is_hmmer(dialect_)
                           ? misformatted_sequences(source_.name())
                           : Status::invalid_input(source_.name() + ": is empty: there is no sequence in it");
        }
    }
    const Result<bool> got = read(sequence);
    // An error of reading the source comes before what is wrong with a record that it cut.
    if (failure_.ok() && !got.ok()) failure_ = got.status();
    if (!failure_.ok()) return failure_;
    return got;
}

Result<bool> FlatFileReader::read(NamedSequence& sequence) {
    if (!failure_.ok()) return failure_;
    sequence.name.clear();
    sequence.accession.clear();
    sequence.description.clear();
    sequence.unscored.clear();
    sequence.residues.clear();
    beyond_residues_ = 0;
    const Result<bool> begun =
        layout_ == FlatFileLayout::kEmbl ? read_embl_header(sequence) : read_genbank_header(sequence);
    if (!begun.ok() || !*begun) return begun;
    if (!next_line()) return fault("Failed to find any sequence", false);
    WARPSEQ_TRY(read_residues(sequence));
    return true;
}

/// Reads the lines up to the one with "SQ". Returns false if there is no further record.
Result<bool> FlatFileReader::read_embl_header(NamedSequence& sequence) {
    while (!line_.empty() && is_blank(text())) next_line();
    if (line_.empty()) return false;
    if (!text().starts_with("ID   ")) return fault("failed to find ID line", true);
    const auto name = first_word(kEmblColumn, " ;");
    if (!name) return fault("failed to parse name on ID line", true);
    sequence.name = *name;
    do {
        if (!next_line()) return fault("failed to find SQ line", true);
        if (text().starts_with("AC   ") && sequence.accession.empty()) {
            const auto accession = first_word(kEmblColumn, ";");
            if (!accession) return fault("failed to parse accession on AC line", true);
            sequence.accession = *accession;
        }
        if (text().starts_with("DE   ")) WARPSEQ_TRY(append_description(kEmblColumn, sequence));
    } while (!text().starts_with("SQ   "));
    return true;
}

/// Reads the lines up to the one with "ORIGIN". Returns false if there is no further record.
Result<bool> FlatFileReader::read_genbank_header(NamedSequence& sequence) {
    while (!line_.empty() && !text().starts_with("LOCUS   ")) next_line();
    if (line_.empty()) return false;
    const auto name = first_word(kGenbankColumn, " ");
    if (!name) return fault("failed to parse name on LOCUS line", true);
    sequence.name = *name;
    do {
        if (!next_line()) return fault("Failed to find ORIGIN line", false);
        if (text().starts_with("VERSION   ")) {
            const auto accession = first_word(kGenbankColumn, " \t\n");
            if (!accession) return fault("failed to parse VERSION line", true);
            sequence.accession = *accession;
        }
        if (text().starts_with("DEFINITION ")) WARPSEQ_TRY(append_description(kGenbankColumn, sequence));
    } while (!text().starts_with("ORIGIN"));
    return true;
}

/// Appends the text of the current line to the description, which may be as long as a header.
Status FlatFileReader::append_description(std::size_t column, NamedSequence& sequence) const {
    std::string_view added = line_.substr(std::min(column, line_.size()));
    added = added.substr(0, added.find_last_not_of(kSpace) + 1);
    if (sequence.description.size() + added.size() >= kLongestHeaderBytes)
        return fault("description of " + std::to_string(kLongestHeaderBytes >> 20) + " MiB or more", true);
    if (!sequence.description.empty()) sequence.description += ' ';
    sequence.description += added.substr(0, added.find('\0'));
    return {};
}

/// Reads residues, from those in the current line to the end of the record. Goes to the line behind
/// the record.
Status FlatFileReader::read_residues(NamedSequence& sequence) {
    unscored_.clear();
    for (bool ended = false; !ended;) {
        WARPSEQ_TRY(read_residue_line(sequence, ended));
        if (!ended && !next_line()) return fault("Unexpected EOF; file truncated?", false);
    }
    if (!text().starts_with("//")) return fault("did not find // terminator at end of seq record", true);
    note_unscored(unscored_, sequence.unscored);
    next_line();
    return {};
}

/// Adds a residue, or counts it if it is beyond the limit.
void FlatFileReader::add_residue(ResidueCode code, NamedSequence& sequence) {
    if (sequence.residues.size() < most_residues_) {
        sequence.residues.push_back(code);
    } else {
        ++beyond_residues_;
    }
}

/// Adds the residues of the current line. Sets `ended` if there is a '/' in it.
Status FlatFileReader::read_residue_line(NamedSequence& sequence, bool& ended) {
    for (const char byte : line_) {
        const std::uint8_t code = kSymbolTable[static_cast<unsigned char>(byte)];
        if (code < kResidueCodes) {
            add_residue(code, sequence);
        } else if (byte == '.' || byte == '_' || byte == '~') {
            add_unscored(sequence.residues.size(), byte == '~' ? '~' : '-', unscored_);
            add_residue(kCodeStop, sequence);
        } else if (byte == '/') {
            ended = true;
            return {};
        } else if (!is_skipped(byte)) {
            const std::string shown = byte == 0 ? std::string() : std::string(1, byte);
            return fault(static_cast<unsigned char>(byte) >= 0x80 ? "non-ASCII character " + shown + " in sequence"
                                                                  : "illegal character " + shown,
                         true);
        }
    }
    return {};
}

}  // namespace warpseq
