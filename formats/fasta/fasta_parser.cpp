// FastaParser. It goes through blocks of bytes run by run, so that neither a line nor a record has
// to fit in a block.
#include "formats/fasta/fasta_parser.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "formats/fasta/hmmer_fasta.h"
#include "formats/io/shown_text.h"

namespace warpseq {

namespace {

/// The number of bytes of a file's beginning that are examined for an error message.
constexpr std::size_t kSampleBytes = 64;
constexpr std::string_view kBlanks = " \t\v\f";

bool is_line_end(std::uint8_t byte) { return byte == '\n' || byte == '\r'; }
bool is_space(std::uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f'; }

// The first byte in memory is the lowest one of a 64-bit number, as everywhere in this project.
static_assert(std::endian::native == std::endian::little);

/// Returns which byte of eight has the lowest set bit of a number other than 0.
std::size_t byte_of_lowest_bit(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)) / 8; }

/// Returns the first control character in [p, end), or end. Line ends, NUL and tabs are control
/// characters. One pass finds everything that matters in a header, and it never goes beyond the
/// line, whichever line end a file has.
const std::uint8_t* find_control(const std::uint8_t* p, const std::uint8_t* end) {
    for (; end - p >= 8; p += 8) {
        std::uint64_t bytes;
        std::memcpy(&bytes, p, 8);
        // A byte's highest bit is set here if the byte is below 0x20. Borrows reach only bytes
        // behind the first such one.
        const std::uint64_t below = (bytes - 0x2020202020202020u) & ~bytes & 0x8080808080808080u;
        if (below != 0) return p + byte_of_lowest_bit(below);
    }
    while (p < end && *p >= 0x20) ++p;
    return p;
}

/// Writes the codes of the residue letters at the front of [in, end) to `out`, which has room for
/// end - in codes. Returns how many letters there are before the first other byte.
std::size_t encode_run(const std::uint8_t* in, const std::uint8_t* end, ResidueCode* out) {
    constexpr std::ptrdiff_t kStep = 8;
    // Residue codes are below 32, and the classes of other bytes have bit 6 set.
    constexpr std::uint64_t kOther = 0x4040404040404040u;
    const std::uint8_t* p = in;
    for (; end - p >= kStep; p += kStep, out += kStep) {
        std::array<std::uint8_t, kStep> codes;
        for (std::size_t i = 0; i < kStep; ++i) codes[i] = kSymbolTable[p[i]];
        std::memcpy(out, codes.data(), kStep);
        if (const std::uint64_t other = std::bit_cast<std::uint64_t>(codes) & kOther; other != 0) {
            return static_cast<std::size_t>(p - in) + byte_of_lowest_bit(other);
        }
    }
    for (; p < end && kSymbolTable[*p] < kResidueCodes; ++p) *out++ = kSymbolTable[*p];
    return static_cast<std::size_t>(p - in);
}
static_assert((kSymbolGap & 0x40) != 0 && (kSymbolSpace & 0x40) != 0 && (kSymbolBad & 0x40) != 0 &&
              kResidueCodes <= 0x40);

/// Returns a byte for a message, such as "'1' (0x31)" or "the byte 0xE2".
std::string shown_byte(std::uint8_t byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (byte == 0) return "a NUL byte (0x00)";
    const std::string number = std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15];
    if (byte > ' ' && byte < 0x7f) return std::string("'") + static_cast<char>(byte) + "' (" + number + ")";
    return "the byte " + number;
}

/// Whether a line may be residues without a header. It then holds letters and '*', and between them
/// only digits, hyphens and blanks.
bool looks_like_residues(std::string_view line) {
    bool has_letter = false;
    for (const char byte : line) {
        const bool is_letter = kSymbolTable[static_cast<unsigned char>(byte)] < kResidueCodes;
        if (!is_letter && !is_blank(byte) && byte != '-' && (byte < '0' || byte > '9')) return false;
        has_letter |= is_letter;
    }
    return has_letter;
}

void add_column(std::uint64_t column, FastaLeftOut& left_out) {
    if (!left_out.columns.empty() && left_out.columns.back().second + 1 == column) {
        left_out.columns.back().second = column;
    } else {
        left_out.columns.emplace_back(column, column);
    }
}

/// Counts bytes in the first line of a record's residues. NCBI's reader uses these counts to tell
/// whether the line holds residues at all.
class PlausibilityCheck {
   public:
    void add_residues(std::uint64_t count) {
        good_ += std::min(count, kMostBytes - std::min(kMostBytes, bytes_));
        bytes_ += count;
        bytes_without_blanks_ = bytes_;
    }
    void add_other(char byte) {
        const bool is_first = bytes_++ < kMostBytes;
        if (is_blank(byte)) return;
        bytes_without_blanks_ = bytes_;
        if (is_first && byte == '-') ++good_;
        if (is_first && byte != '-' && (byte < '0' || byte > '9')) ++bad_;
    }
    bool fails() const {
        const std::uint64_t bytes = std::min(kMostBytes, bytes_without_blanks_);
        return bytes > 0 && bad_ >= good_ / 3 && (bytes > 3 || good_ == 0 || bad_ > good_);
    }

   private:
    static constexpr std::uint64_t kMostBytes = 70;
    std::uint64_t bytes_ = 0, bytes_without_blanks_ = 0, good_ = 0, bad_ = 0;
};

/// Returns why a text cannot be the start of a FASTA file. `sample` is its beginning.
std::string fault_of_start(std::string_view sample) {
    constexpr std::string_view kExpected = "; a FASTA file begins with a '>' header line";
    if (sample.front() == '@') {
        return "looks like FASTQ; convert it to FASTA first, proteins with '>' headers are expected";
    }
    if (sample.starts_with("\xff\xfe") || sample.starts_with("\xfe\xff")) return "is UTF-16 text; save it as UTF-8";
    constexpr std::array<std::pair<std::string_view, const char*>, 4> kPackers{{{"BZh", "bzip2"},
                                                                                {"\xfd"
                                                                                 "7zXZ",
                                                                                 "xz"},
                                                                                {"PK\x03\x04", "zip"},
                                                                                {"\x04\x22\x4d\x18", "lz4"}}};
    for (const auto& [magic, name] : kPackers) {
        if (sample.starts_with(magic)) {
            return std::string("is compressed with ") + name +
                   "; unpack it first, only gzip and zstd are read directly";
        }
    }
    const auto is_control = [](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 && !is_line_end(static_cast<std::uint8_t>(byte)) &&
               !is_blank(byte);
    };
    if (std::any_of(sample.begin(), sample.end(), is_control)) {
        return "is not text but binary data (it begins with " + shown_byte(static_cast<std::uint8_t>(sample.front())) +
               ")" + std::string(kExpected);
    }
    const std::string_view line = sample.substr(0, sample.find_first_of("\r\n"));
    const auto is_residue = [](char byte) { return kSymbolTable[static_cast<unsigned char>(byte)] < kResidueCodes; };
    if (std::all_of(line.begin(), line.end(), is_residue)) {
        return "has a sequence without a header before it (" + shown_text(line) + ")" + std::string(kExpected);
    }
    if (line.find_first_not_of(kBlanks) != std::string_view::npos && line[line.find_first_not_of(kBlanks)] == '>') {
        return "has blanks before the first '>'" + std::string(kExpected);
    }
    return "has text before the first '>' (" + shown_text(line) + ")" + std::string(kExpected);
}

}  // namespace

std::optional<std::string> why_not_fasta(std::span<const std::uint8_t> start, bool takes_bare_residues) {
    std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && text.front() != '>') {
        const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
        if (text.front() != ';' && line.find_first_not_of(kBlanks) != std::string_view::npos) {
            if (takes_bare_residues && looks_like_residues(line)) break;
            return fault_of_start(text.substr(0, kSampleBytes));
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return std::nullopt;
}

struct FastaParser::State {
    FastaOptions options;
    FastaCounts counts;
    Status failure;                  // the error that every further call returns
    std::uint64_t records_seen = 0;  // including left-out records, over all files, and records_before

    // State of the current file. [p, end) is the rest of its current block.
    std::string name;
    NextBlock read_block;
    const std::uint8_t* p = nullptr;
    const std::uint8_t* end = nullptr;
    const std::uint8_t* block_begin = nullptr;
    std::uint64_t block_offset_bytes = 0;
    std::uint64_t line = 1;
    std::uint64_t line_offset_bytes = 0;  // of the line's first byte, in the decoded bytes
    std::uint64_t file_records_seen = 0, file_records_kept = 0;
    bool has_line_feeds = false;             // so far
    std::uint64_t line_ended_by_return = 0;  // the first header or comment that a CR alone has ended; 0: none

    Limits limits;
    Limits beyond{0, 0};             // of the current record
    std::vector<ResidueCode> codes;  // of the current record; as large as ever needed, only the front is in use
    std::size_t code_count = 0;
    std::vector<ResidueRange> lower_case;
    std::vector<UnscoredRun> unscored;  // only in HMMER's dialects
    std::vector<std::uint64_t> hyphens;
    std::uint64_t gaps = 0;

    // Makes sure that there is a byte at p. Returns false at the end of the file and after a
    // failure.
    bool more() { return p != end || next_block(); }

    bool next_block() {
        if (!failure.ok()) return false;
        Result<std::span<const std::uint8_t>> block = read_block();
        if (!block.ok()) {
            failure = block.status();
            return false;
        }
        block_offset_bytes += static_cast<std::uint64_t>(end - block_begin);
        p = block_begin = block->data();
        end = p + block->size();
        return p != end;
    }

    std::uint64_t offset_bytes() const { return block_offset_bytes + static_cast<std::uint64_t>(p - block_begin); }

    /// Skips the end, at p, of a line that is blank or belongs to a sequence. CR and LF mean the
    /// same here, because no text can be lost.
    void pass_line_end() {
        const bool carriage_return = *p == '\r';
        if (carriage_return) ++p;
        if (!carriage_return || (more() && *p == '\n')) pass_line_feed();
        ++line;
        line_offset_bytes = offset_bytes();
    }

    void pass_line_feed() {
        ++p;
        has_line_feeds = true;
        if (line_ended_by_return == 0 || !failure.ok()) return;
        failure = Status::invalid_input(
            name + ": line " + std::to_string(line_ended_by_return) + " ends with a carriage return (CR) and line " +
            std::to_string(line) +
            " with a line feed (LF), so the end of the header is ambiguous; end all lines with LF or "
            "CRLF, or all with CR");
        p = end;
    }

    /// Skips the end, at p, of a header or a comment. The following text counts as residues, so a
    /// CR alone ends such a line only in a file without any LF. CRs in front of an LF belong to the
    /// line end.
    Status pass_text_line_end(const char* what) {
        const std::uint64_t column = offset_bytes() - line_offset_bytes + 1;
        std::uint64_t returns = 0;
        for (; more() && *p == '\r'; ++p) ++returns;
        if (!failure.ok()) return failure;
        if (p != end && *p == '\n') {
            pass_line_feed();
        } else if (has_line_feeds && p != end) {
            return Status::invalid_input(
                name + ": line " + std::to_string(line) + ", column " + std::to_string(column) +
                ": found a carriage return (0x0D) inside a " + what +
                ", but the lines of this file end with line feeds; the text after it would be read as residues. "
                "Remove the carriage return");
        } else if (line_ended_by_return == 0) {
            line_ended_by_return = line;
        }
        line += std::max<std::uint64_t>(returns, 1);
        line_offset_bytes = offset_bytes();
        return failure;
    }

    /// Moves p to the end of the current line.
    void find_line_end() {
        while (more()) {
            p = find_control(p, end);
            if (p == end) continue;
            if (is_line_end(*p)) return;
            ++p;
        }
    }

    Status skip_comment() {
        find_line_end();
        return more() ? pass_text_line_end("comment") : failure;
    }

    std::string here() const {
        return name + ": line " + std::to_string(line) + ", column " +
               std::to_string(offset_bytes() - line_offset_bytes + 1) + ": ";
    }

    void begin_file(std::string shown_name, NextBlock next_block) {
        name = std::move(shown_name);
        read_block = std::move(next_block);
        p = end = block_begin = nullptr;
        block_offset_bytes = line_offset_bytes = 0;
        line = 1;
        file_records_seen = file_records_kept = 0;
        has_line_feeds = false;
        line_ended_by_return = 0;
    }

    // ---- HMMER's dialect ----

    Status hmmer_fault(const std::string& what) const {
        return hmmer_failure("Line " + std::to_string(line) + ": " + what);
    }
    Status hmmer_failure(const std::string& what) const {
        return Status::invalid_input(std::string(kHmmerParseFailure) + hmmer_name() + "):\n" + what);
    }

    bool hmmer_skip(std::string_view bytes) {
        while (more() && bytes.find(static_cast<char>(*p)) != std::string_view::npos) ++p;
        return p != end && failure.ok();
    }

    /// Appends the text from p up to one of `ends`, without the part that a NUL hides.
    Status hmmer_append(std::string_view ends, std::string& text) {
        bool is_hidden = false;
        while (more() && ends.find(static_cast<char>(*p)) == std::string_view::npos) {
            is_hidden |= *p == 0;
            if (!is_hidden) text += static_cast<char>(*p);
            if (text.size() >= kLongestHeaderBytes) return hmmer_fault("a header of 64 MiB; is a line end missing?");
            ++p;
        }
        return failure;
    }

    /// Moves p to the first byte of a record, as far as this can be told.
    Status hmmer_skip_to_first_record() {
        if (!more()) return failure.ok() ? misformatted_sequences(name) : failure;
        bool is_line_begin = true;
        while (more() && is_space(*p)) is_line_begin = *p++ == '\n';
        if (!failure.ok()) return failure;
        if (options.dialect == FastaDialect::kHmmpgmd) return skip_hmmpgmd_line();
        const bool is_known = options.dialect != FastaDialect::kHmmer || name.ends_with(".fa");
        if (!is_known && (p == end || *p != '>' || !is_line_begin)) return misformatted_sequences(name);
        return {};
    }

    Status skip_hmmpgmd_line() {
        constexpr int kEaselEnd = 3;  // Easel's number for the end of a file, which HMMER prints
        if (p != end && *p != '#') return misformatted_sequences(name);
        while (more() && !is_line_end(*p)) ++p;
        const bool has_end = more();
        while (more() && is_space(*p)) ++p;
        if (!failure.ok() || has_end) return failure;
        return Status::invalid_input("Unexpected error " + std::to_string(kEaselEnd) + " opening sequence file " +
                                     hmmer_name());
    }

    std::string hmmer_name() const { return name == "standard input" ? "-" : name; }

    Status hmmer_read_header(std::string& header) {
        header.clear();
        if (*p != '>') {
            return hmmer_fault(std::string("unexpected char ") + static_cast<char>(*p) +
                               "; expected FASTA to start with >");
        }
        ++p;
        hmmer_skip(" \t");
        if (failure.ok() && (p == end || is_space(*p))) return hmmer_fault("no FASTA name found");
        WARPSEQ_TRY(hmmer_append(" \t\n\v\f\r", header));
        hmmer_skip(" \t");
        std::string description;
        WARPSEQ_TRY(hmmer_append("\n\r\x01", description));
        if (!description.empty()) header += " " + description;
        disarm_marks(header);
        while (more() && !is_line_end(*p)) ++p;
        hmmer_skip("\n\r");
        ++line;
        return failure;
    }

    Status hmmer_read_residues() {
        while (more()) {
            const auto left = static_cast<std::size_t>(end - p);
            if (codes.size() < code_count + left) codes.resize(std::max(code_count + left, codes.size() * 2));
            const std::size_t run = encode_run(p, end, codes.data() + code_count);
            code_count += run;
            p += run;
            if (p == end) continue;
            if (*p == (is_daemon() ? '/' : '>')) return is_daemon() ? skip_daemon_end() : Status();
            if (*p == '\n') {
                ++line;
            } else if (options.dialect != FastaDialect::kHmmpgmd && (*p == '.' || *p == '_' || *p == '~')) {
                add_unscored(code_count, *p == '~' ? '~' : '-', unscored);
                codes[code_count++] = kCodeStop;
            } else if (*p != ' ' && *p != '\t' && *p != '\r') {
                const std::string shown(1, static_cast<char>(*p));
                return hmmer_fault(*p >= 0x80 ? "non-ASCII character " + shown + " in sequence"
                                              : "illegal character " + (*p == 0 ? "" : shown));
            }
            ++p;
        }
        return failure.ok() && is_daemon() ? hmmer_failure("Unexpected EOF; file truncated?") : failure;
    }

    bool is_daemon() const { return options.dialect == FastaDialect::kDaemon; }

    /// Skips the "//" at p, the rest of its line and what is lost with it.
    Status skip_daemon_end() {
        ++p;
        if (!more() || *p != '/') {
            return failure.ok() ? hmmer_fault("did not find // terminator at end of seq record") : failure;
        }
        while (more() && !is_line_end(*p)) ++p;
        while (more() && is_line_end(*p)) ++p;
        if (more()) ++p;
        while (more() && is_space(*p)) ++p;
        return failure;
    }

    Status hmmer_read_record(FastaRecord& record) {
        ++file_records_seen;
        record.line = line;
        code_count = 0;
        unscored.clear();
        WARPSEQ_TRY(hmmer_read_header(record.header));
        WARPSEQ_TRY(hmmer_read_residues());
        note_unscored(unscored, record.header);
        record.residues.assign(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(code_count));
        record.lower_case.clear();
        ++file_records_kept;
        ++counts.records;
        counts.residues += code_count;
        if (code_count == 0) ++counts.empty_sequences;
        return {};
    }

    bool is_hmmer() const { return warpseq::is_hmmer(options.dialect); }

    /// Moves p to the first '>', or to the end of the file.
    Status skip_to_first_record() {
        if (is_hmmer()) return hmmer_skip_to_first_record();
        constexpr std::array<std::uint8_t, 3> kByteOrderMark{0xef, 0xbb, 0xbf};
        std::string start;  // the beginning of the line, before p: part of a mark, or blanks
        while (start.size() < kByteOrderMark.size() && more() && *p == kByteOrderMark[start.size()]) {
            start += static_cast<char>(*p++);
        }
        if (start.size() == kByteOrderMark.size()) {
            start.clear();
            line_offset_bytes = offset_bytes();
        } else if (!start.empty()) {
            return not_fasta(std::move(start));
        }
        while (more()) {
            if (is_line_end(*p)) {
                pass_line_end();
                start.clear();
            } else if (start.empty() && *p == '>') {
                return {};
            } else if (start.empty() && (*p == ';' || (options.as_makeblastdb && (*p == '!' || *p == '#')))) {
                WARPSEQ_TRY(skip_comment());
            } else if (options.takes_bare_residues && !is_blank(static_cast<char>(*p)) && starts_with_residues()) {
                return {};
            } else if (is_blank(static_cast<char>(*p))) {
                // A line of blanks only is a blank line. For any other line, the text in the
                // message need not begin at the start of the line.
                if (start.size() < 8) start += static_cast<char>(*p);
                ++p;
            } else {
                return not_fasta(std::move(start));
            }
        }
        return failure;
    }

    /// Whether the line at p, as far as it is in this block, may be residues without a header.
    bool starts_with_residues() const {
        const std::string_view rest(reinterpret_cast<const char*>(p), static_cast<std::size_t>(end - p));
        return looks_like_residues(rest.substr(0, rest.find_first_of("\r\n")));
    }

    Status not_fasta(std::string sample) {
        if (options.as_makeblastdb)
            return Status::invalid_input("Input doesn't start with a defline or comment around line " +
                                         std::to_string(line));
        const std::string place = name + ": line " + std::to_string(line) + ": ";
        while (sample.size() < kSampleBytes && more()) sample += static_cast<char>(*p++);
        return Status::invalid_input(place + "this file " + fault_of_start(sample));
    }

    Status finish_file(std::uint64_t stored_bytes) const {
        if (!failure.ok()) return failure;
        if (file_records_kept > 0 || is_hmmer()) return {};
        if (options.as_makeblastdb) {
            if (stored_bytes == 0) return {};
            const bool ends_line = line_offset_bytes == offset_bytes();
            return Status::invalid_input("Expected defline around line " +
                                         std::to_string(line - (ends_line && line > 1 ? 1 : 0)));
        }
        const std::string why = file_records_seen > 0 ? "no sequence left in it: all " +
                                                            std::to_string(file_records_seen) + " records were invalid"
                                : stored_bytes == 0 ? "is empty: there is no sequence in it"
                                                    : "there is no sequence in it";
        return Status::invalid_input(name + ": " + why + "; FASTA with '>' headers was expected");
    }

    bool is_plain() const { return failure.ok() && counts.unnamed == 0 && line_ended_by_return == 0; }

    void take_over(const State& other, std::uint64_t bytes) {
        block_offset_bytes = offset_bytes() + bytes;
        p = block_begin = end;
        line += other.line - 1;
        line_offset_bytes = block_offset_bytes;
        has_line_feeds = true;
        records_seen += other.records_seen;
        file_records_seen += other.file_records_seen;
        file_records_kept += other.file_records_kept;
        counts.records += other.counts.records;
        counts.residues += other.counts.residues;
        counts.gaps_removed += other.counts.gaps_removed;
        counts.empty_sequences += other.counts.empty_sequences;
    }

    /// Reads the record whose '>' is at p. Moves p to the next '>' or to the end of the file.
    Status read_record(FastaRecord& record) {
        ++records_seen;
        if (is_hmmer()) return hmmer_read_record(record);
        ++file_records_seen;
        record.line = line;
        code_count = 0;
        beyond = {0, 0};
        lower_case.clear();
        hyphens.clear();
        gaps = 0;
        if (*p == '>') {
            WARPSEQ_TRY(read_header(record.header));
            if (options.on_header) WARPSEQ_TRY(options.on_header(record.header, record.line));
        } else {
            record.header.clear();
        }
        WARPSEQ_TRY(read_residues(record.header));
        if (!failure.ok()) return failure;

        record.residues.assign(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(code_count));
        record.lower_case = lower_case;
        record.hyphens = hyphens;
        if (record.header.empty() && options.empty_header) {
            record.header = *options.empty_header;
        } else if (!options.empty_header && identifier_of(record.header).empty()) {
            record.header.insert(0, made_up_name(records_seen));
            ++counts.unnamed;
        }
        ++file_records_kept;
        ++counts.records;
        counts.residues += code_count + beyond.residues;
        counts.gaps_removed += gaps;
        if (code_count == 0) ++counts.empty_sequences;
        return {};
    }

    Status read_header(std::string& header) {
        header.clear();
        ++p;
        while (!options.as_makeblastdb && more() && is_blank(static_cast<char>(*p))) ++p;
        while (more()) {
            const std::uint8_t* const stop = find_control(p, end);
            const auto bytes = static_cast<std::size_t>(stop - p);
            if (header.size() + beyond.header_bytes + bytes >= kLongestHeaderBytes) {
                return Status::invalid_input(here() + "the header " + shown_text(header) + " is longer than " +
                                             std::to_string(kLongestHeaderBytes >> 20) +
                                             " MiB; is a line end missing?");
            }
            const auto held =
                static_cast<std::size_t>(std::min<std::uint64_t>(bytes, limits.header_bytes - header.size()));
            header.append(reinterpret_cast<const char*>(p), held);
            beyond.header_bytes += bytes - held;
            p = stop;
            if (p == end) continue;
            if (is_line_end(*p)) {
                WARPSEQ_TRY(pass_text_line_end("header"));
                break;
            }
            if (*p == 0 && !options.leaves_out_others) {
                return Status::invalid_input(here() + "found a NUL byte (0x00) in the header " + shown_text(header) +
                                             "; is this text? Binary data cannot be read");
            }
            if (header.size() < limits.header_bytes) {
                // No text has a NUL. Any other control character means the same to NCBI's programs.
                header += *p == 0 ? '\x1f' : static_cast<char>(*p);
            } else {
                ++beyond.header_bytes;
            }
            ++p;
        }
        if (options.as_makeblastdb) return {};  // its messages tell all bytes
        if (header_without_trailing_blanks(header).empty()) header.clear();
        disarm_marks(header);
        return {};
    }

    Status read_residues(const std::string& header) {
        while (more()) {
            if (*p == '>') return {};
            if (*p == ';') {
                WARPSEQ_TRY(skip_comment());
            } else {
                WARPSEQ_TRY(read_sequence_line(header));
            }
        }
        return {};
    }

    Status read_sequence_line(const std::string& header) {
        FastaLeftOut left_out{.line = line};
        PlausibilityCheck check;
        const bool is_first = options.as_makeblastdb && code_count == 0 && hyphens.empty();
        const Status status = read_sequence_line(header, left_out, check);
        if (status.ok() && is_first && check.fails()) {
            return Status::invalid_input("Near line " + std::to_string(left_out.line) +
                                         ", there's a line that doesn't look like plausible data, but it's not marked "
                                         "as defline or comment.");
        }
        if (options.on_left_out && (left_out.has_hyphens || !left_out.columns.empty())) options.on_left_out(left_out);
        return status;
    }

    /// Reads a sequence line. Notes what is left out only if bytes may be left out.
    Status read_sequence_line(const std::string& header, FastaLeftOut& left_out, PlausibilityCheck& check) {
        std::uint64_t blanks = offset_bytes() - line_offset_bytes;  // blanks at the beginning of the line, so far
        while (more()) {
            const auto left = static_cast<std::size_t>(end - p);
            if (codes.size() < code_count + left) codes.resize(std::max(code_count + left, codes.size() * 2));
            const std::size_t run = encode_run(p, end, codes.data() + code_count);
            if (options.find_lower_case) add_lower_case(run);
            code_count += run;
            p += run;
            if (run > 0) check.add_residues(run);
            if (code_count > limits.residues) {
                beyond.residues += code_count - limits.residues;
                code_count = static_cast<std::size_t>(limits.residues);
            }
            if (p == end) continue;
            if (is_line_end(*p)) {
                pass_line_end();
                return {};
            }
            const std::uint8_t kind = kSymbolTable[*p];
            if (options.as_makeblastdb) {
                const bool is_at_front = offset_bytes() - line_offset_bytes == blanks;
                if (*p == ';' || (is_at_front && (*p == '!' || *p == '#'))) return skip_comment();
                check.add_other(static_cast<char>(*p));
            }
            if (options.leaves_out_others && kind != kSymbolSpace && (*p != '>' || options.as_makeblastdb)) {
                if (kind == kSymbolGap) ++gaps;
                if (*p == '-') {
                    if (options.as_makeblastdb) hyphens.push_back(code_count);
                    left_out.has_hyphens = true;
                } else {
                    add_column(offset_bytes() - line_offset_bytes - blanks + 1, left_out);
                }
            } else if (kind == kSymbolGap) {
                ++gaps;
            } else if (kind != kSymbolSpace) {
                return bad_symbol(header);
            } else if (offset_bytes() - line_offset_bytes == blanks) {
                ++blanks;
            }
            ++p;
        }
        return {};
    }

    /// Notes which of the `run` letters at p are lower-case. They become the residues from
    /// code_count on.
    void add_lower_case(std::size_t run) {
        for (std::size_t i = 0; i < run; ++i) {
            if (p[i] < 'a' || p[i] > 'z') continue;
            const std::uint64_t position = code_count + i;
            if (lower_case.empty() || lower_case.back().end != position) lower_case.push_back({position, position});
            ++lower_case.back().end;
        }
    }

    Status bad_symbol(const std::string& header) const {
        if (*p == '>') {
            return Status::invalid_input(here() + "found '>' inside a sequence line of " +
                                         shown_text(identifier_of(header)) + "; a header has to begin its line");
        }
        return Status::invalid_input(
                   here() + "found " + shown_byte(*p) + " in the sequence of " + shown_text(identifier_of(header)) +
                   "; letters, '*', '-' and '.' are expected. Correct the record, or leave invalid records out")
            .with(Advice::kSkipInvalid);
    }

    Status leave_out(const Status& why) {
        ++counts.skipped_invalid;
        if (options.on_invalid_record) options.on_invalid_record(why.message());
        // Skips the rest of the faulty line, and then all lines that do not begin a record.
        do {
            find_line_end();
            if (more()) pass_line_end();
        } while (more() && *p != '>');
        return failure;
    }

    Result<bool> next(FastaRecord& record) {
        for (;;) {
            if (!more()) {
                if (!failure.ok()) return failure;
                return false;
            }
            const Status status = read_record(record);
            if (status.ok()) return true;
            if (!options.skip_invalid_records || !failure.ok()) return status;
            WARPSEQ_TRY(leave_out(status));
        }
    }
};

FastaParser::FastaParser(FastaOptions options) : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
    state_->records_seen = state_->options.records_before;
}
void FastaParser::set_limits(const Limits& limits) { state_->limits = limits; }
const FastaParser::Limits& FastaParser::beyond_limits() const { return state_->beyond; }
FastaParser::~FastaParser() = default;
FastaParser::FastaParser(FastaParser&&) noexcept = default;
FastaParser& FastaParser::operator=(FastaParser&&) noexcept = default;

void FastaParser::begin_file(std::string name, NextBlock next_block) {
    state_->begin_file(std::move(name), std::move(next_block));
}

void FastaParser::read_on(NextBlock next_block) { state_->read_block = std::move(next_block); }

Status FastaParser::skip_to_first_record() {
    if (!state_->failure.ok()) return state_->failure;
    Status status = state_->skip_to_first_record();
    if (!status.ok()) state_->failure = status;
    return status;
}

Result<bool> FastaParser::next(FastaRecord& record) {
    if (!state_->failure.ok()) return state_->failure;
    Result<bool> result = state_->next(record);
    if (!result.ok()) state_->failure = result.status();
    return result;
}

Status FastaParser::finish_file(std::uint64_t stored_bytes) const { return state_->finish_file(stored_bytes); }

void FastaParser::begin_piece(NextBlock next_block) {
    State& state = *state_;
    state.begin_file({}, std::move(next_block));
    state.failure = {};
    state.counts = {};
    state.records_seen = 0;
    state.has_line_feeds = true;
}

bool FastaParser::is_plain_piece() const { return state_->is_plain(); }
bool FastaParser::takes_plain_pieces() const { return state_->failure.ok() && state_->line_ended_by_return == 0; }
void FastaParser::take_over(const FastaParser& piece, std::uint64_t bytes) { state_->take_over(*piece.state_, bytes); }
const FastaCounts& FastaParser::counts() const { return state_->counts; }

}  // namespace warpseq
