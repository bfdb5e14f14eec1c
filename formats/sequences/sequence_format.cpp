#include "formats/sequences/sequence_format.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <utility>

#include "formats/alignments/alignment_reader.h"
#include "formats/io/byte_source.h"

namespace warpseq {

namespace {

using Kind = SequenceFileKind;

constexpr std::string_view kSpace = " \t\n\v\f\r";

std::string_view text_of(std::span<const std::uint8_t> start) {
    return {reinterpret_cast<const char*>(start.data()), start.size()};
}

/// Returns the first line that does not only have white space, or nothing.
std::string_view first_line(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    const std::size_t end_before = text.substr(0, first).rfind('\n');
    text.remove_prefix(end_before == std::string_view::npos ? 0 : end_before + 1);
    return text.substr(0, text.find('\n'));
}

/// Whether the first line that is not blank begins with '>' or ';', or all lines are blank.
bool looks_like_fasta(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == std::string_view::npos || text[first] == '>' || text[first] == ';';
}

/// Returns the format that a first line shows.
std::optional<Kind> kind_of_line(std::string_view line) {
    if (line.starts_with('>')) return Kind::kFasta;
    if (line.starts_with("ID   ")) return Kind::kEmbl;
    if (line.starts_with("LOCUS   ") || line.find("Genetic Sequence Data Bank") != std::string_view::npos)
        return Kind::kGenbank;
    return std::nullopt;
}

/// Whether `file` can be opened as alignments by its own name. `text` is its beginning.
bool holds_alignments(const std::filesystem::path& file, std::string_view text) {
    if (file == "-") return false;  // standard input is read once, also if a file has this name
    // A file without lines would be read into memory as a whole.
    if (text.size() >= kDefaultBlockBytes && text.find('\n') == std::string_view::npos) return false;
    const std::string_view name = file.native();
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return false;
    for (const std::string_view suffix : {".gz", ".fa", ".gb"})
        if (name.ends_with(suffix)) return false;
    AlignmentReader alignments(file);
    return alignments.open().ok();
}

Kind recognised_kind(const std::filesystem::path& file, std::string_view text, const SequenceFileFormat& format) {
    const std::string_view name = file.native();
    if (is_hmmer(format.dialect)) {
        if (name.ends_with(".fa")) return Kind::kFasta;
        if (name.ends_with(".gb")) return Kind::kGenbank;
    } else if (looks_like_fasta(text)) {
        return Kind::kFasta;
    }
    const std::string_view line = first_line(text);
    if (const std::optional<Kind> kind = kind_of_line(line)) return *kind;
    if (format.kind == Kind::kByContent) return Kind::kAlignments;
    return !line.empty() && holds_alignments(file, text) ? Kind::kAlignments : Kind::kFasta;
}

}  // namespace

bool SequenceFileFormat::is_asserted() const {
    return (kind != Kind::kByContent && kind != Kind::kAsHmmer && kind != Kind::kFasta) ||
           (dialect != FastaDialect::kWarpseq && dialect != FastaDialect::kHmmer);
}

std::optional<SequenceFileFormat> sequence_format_named(std::string_view name) {
    constexpr std::array<std::pair<const char*, SequenceFileFormat>, 9> kNames = {{
        {"fasta", {.kind = Kind::kFasta, .dialect = FastaDialect::kHmmerFasta}},
        {"embl", {.kind = Kind::kEmbl, .dialect = FastaDialect::kHmmer}},
        {"uniprot", {.kind = Kind::kEmbl, .dialect = FastaDialect::kHmmer}},
        {"genbank", {.kind = Kind::kGenbank, .dialect = FastaDialect::kHmmer}},
        {"ddbj", {.kind = Kind::kGenbank, .dialect = FastaDialect::kHmmer}},
        {"daemon", {.kind = Kind::kFasta, .dialect = FastaDialect::kDaemon}},
        {"hmmpgmd", {.kind = Kind::kFasta, .dialect = FastaDialect::kHmmpgmd}},
        {"ncbi", {.kind = Kind::kBlastDatabase, .dialect = FastaDialect::kHmmer}},
        {"fmindex", {.kind = Kind::kFmIndex, .dialect = FastaDialect::kHmmer}},
    }};
    const std::string text(name);
    for (const auto& [known, format] : kNames)
        if (strcasecmp(text.c_str(), known) == 0) return format;
    const std::optional<AlignmentFormat> alignments = alignment_format_named(name);
    if (!alignments || *alignments == AlignmentFormat::kA3m) return std::nullopt;  // A3M is warpseq's own
    return SequenceFileFormat{.kind = Kind::kAlignments, .alignments = alignments, .dialect = FastaDialect::kHmmer};
}

SequenceFileFormat recognised_format(const std::filesystem::path& file, std::span<const std::uint8_t> start,
                                     const SequenceFileFormat& format) {
    SequenceFileFormat found = format;
    if (format.kind == Kind::kByContent || format.kind == Kind::kAsHmmer)
        found.kind = recognised_kind(file, text_of(start), format);
    return found;
}

}  // namespace warpseq
