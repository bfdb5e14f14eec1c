#include "formats/alignments/sequence_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "formats/alignments/alignment_lines.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/fasta/hmmer_fasta.h"

namespace warpseq {

namespace {

/// Whether the first line that is not blank begins neither with '>' nor with ';', as FASTA does.
bool is_no_fasta(std::span<const std::uint8_t> start) {
    std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const std::size_t first = text.find_first_not_of(" \t\v\f\r\n");
    return first != std::string_view::npos && text[first] != '>' && text[first] != ';';
}

/// Returns an open alignment file if `file` holds alignments of queries. `start` is the beginning
/// of the file.
std::optional<AlignmentReader> alignments_of_queries(const std::filesystem::path& file,
                                                     std::span<const std::uint8_t> start) {
    const std::string_view name = file.native();
    std::error_code error;
    if (!is_no_fasta(start) || !std::filesystem::is_regular_file(file, error)) return std::nullopt;
    for (const std::string_view suffix : {".gz", ".fa", ".gb"})
        if (name.ends_with(suffix)) return std::nullopt;
    // These are other sequence formats. They could be mistaken for a table of names and letters.
    std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    std::size_t end = text.find('\n');
    for (; end != std::string_view::npos && is_blank_line(text.substr(0, end)); end = text.find('\n'))
        text.remove_prefix(end + 1);
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("ID   ") || line.starts_with("LOCUS   ") ||
        line.find("Genetic Sequence Data Bank") != std::string_view::npos) {
        return std::nullopt;
    }
    AlignmentReader alignments(file);  // a separate reader, so that no bytes are lost to a reader of FASTA
    return alignments.open().ok() ? std::optional(std::move(alignments)) : std::nullopt;
}

bool is_gap(char letter) { return letter == '-' || letter == '.' || letter == '_' || letter == '~'; }

}  // namespace

bool holds_alignments_of_queries(const std::filesystem::path& file, std::span<const std::uint8_t> start) {
    return alignments_of_queries(file, start).has_value();
}

struct SequenceFileReader::State {
    std::optional<FastaReader> fasta;
    FastaDialect dialect = FastaDialect::kWarpseq;
    std::string file = {};
    std::optional<AlignmentReader> alignments;
    FastaRecord record;
    FastaCounts no_counts = {};
    MultipleAlignment alignment;
    std::size_t row = 0;

    Result<bool> next_record(NamedSequence& sequence) {
        const Result<bool> got = fasta->next(record);
        if (!got.ok() || !*got) return got;
        sequence.accession.clear();
        if (dialect == FastaDialect::kHmmer) {
            const HmmerTitle title = hmmer_title(record.header);
            sequence.name = title.name;
            sequence.description = title.description;
            sequence.unscored = unscored_note(record.header);
        } else {
            sequence.name = identifier_of(record.header);
            sequence.description = hmmer_description(record.header);
        }
        std::swap(sequence.residues, record.residues);
        return true;
    }

    Result<bool> next_row(NamedSequence& sequence) {
        if (row == alignment.rows.size()) {
            row = 0;
            const Result<bool> got = alignments->next(alignment);
            const AlignmentFault& fault = alignments->fault();
            if (!got.ok() && dialect == FastaDialect::kHmmer && fault.kind == AlignmentFault::Kind::kMalformed)
                return Status::invalid_input(std::string(kHmmerParseFailure) + file + "):\n" + fault.what);
            if (!got.ok() || !*got) return got;
        }
        const MultipleAlignment::Row& from = alignment.rows[row++];
        sequence.name = from.name;
        sequence.accession = from.accession;
        sequence.description = from.description;
        sequence.unscored.clear();
        std::string letters;
        std::ranges::remove_copy_if(from.residues, std::back_inserter(letters), is_gap);
        sequence.residues = encode_residues(letters);
        return true;
    }
};

Result<SequenceFileReader> SequenceFileReader::open(const std::filesystem::path& file, SequenceFileKind kind,
                                                    std::optional<AlignmentFormat> format, FastaDialect dialect) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    return open(file, *std::move(source), kind, format, dialect);
}

Result<SequenceFileReader> SequenceFileReader::open(const std::filesystem::path& file, ByteSource source,
                                                    SequenceFileKind kind, std::optional<AlignmentFormat> format,
                                                    FastaDialect dialect) {
    auto state = std::make_unique<State>();
    state->dialect = dialect;
    state->file = file.string();
    if (kind == SequenceFileKind::kByContent || kind == SequenceFileKind::kByContentOfQueries) {
        const Result<std::span<const std::uint8_t>> start = source.peek_block();
        if (!start.ok()) return start.status();
        if (kind == SequenceFileKind::kByContentOfQueries) {
            state->alignments = alignments_of_queries(file, *start);
            if (state->alignments) return SequenceFileReader(std::move(state));
            kind = SequenceFileKind::kFasta;
        } else {
            kind = is_no_fasta(*start) ? SequenceFileKind::kAlignments : SequenceFileKind::kFasta;
        }
    }
    if (kind == SequenceFileKind::kFasta) {
        state->fasta.emplace(file, std::move(source), FastaOptions{.dialect = dialect});
    } else {
        state->alignments.emplace(file, std::move(source), format);
        WARPSEQ_TRY(state->alignments->open());
    }
    return SequenceFileReader(std::move(state));
}

SequenceFileReader::SequenceFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SequenceFileReader::~SequenceFileReader() = default;
SequenceFileReader::SequenceFileReader(SequenceFileReader&&) noexcept = default;

Result<bool> SequenceFileReader::next(NamedSequence& sequence) {
    return state_->fasta ? state_->next_record(sequence) : state_->next_row(sequence);
}

const FastaCounts& SequenceFileReader::counts() const {
    return state_->fasta ? state_->fasta->counts() : state_->no_counts;
}

}  // namespace warpseq
