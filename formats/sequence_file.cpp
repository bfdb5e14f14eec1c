#include "formats/sequence_file.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "formats/alignment_reader.h"
#include "formats/byte_source.h"
#include "formats/fasta.h"

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

bool is_gap(char letter) { return letter == '-' || letter == '.' || letter == '_' || letter == '~'; }

}  // namespace

struct SequenceFileReader::State {
    std::optional<FastaReader> fasta;
    std::optional<AlignmentReader> alignments;
    FastaRecord record;
    MultipleAlignment alignment;
    std::size_t row = 0;

    Result<bool> next_record(NamedSequence& sequence) {
        const Result<bool> got = fasta->next(record);
        if (!got.ok() || !*got) return got;
        sequence.name = identifier_of(record.header);
        sequence.accession.clear();
        sequence.description = description_of(record.header);
        sequence.residues = record.residues;
        return true;
    }

    Result<bool> next_row(NamedSequence& sequence) {
        if (row == alignment.rows.size()) {
            row = 0;
            const Result<bool> got = alignments->next(alignment);
            if (!got.ok() || !*got) return got;
        }
        const MultipleAlignment::Row& from = alignment.rows[row++];
        sequence.name = from.name;
        sequence.accession = from.accession;
        sequence.description = from.description;
        std::string letters;
        std::ranges::remove_copy_if(from.residues, std::back_inserter(letters), is_gap);
        sequence.residues = encode_residues(letters);
        return true;
    }
};

Result<SequenceFileReader> SequenceFileReader::open(const std::filesystem::path& file, SequenceFileKind kind,
                                                    std::optional<AlignmentFormat> format) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    if (kind == SequenceFileKind::kByContent) {
        const Result<std::span<const std::uint8_t>> start = source->peek_block();
        if (!start.ok()) return start.status();
        kind = is_no_fasta(*start) ? SequenceFileKind::kAlignments : SequenceFileKind::kFasta;
    }
    auto state = std::make_unique<State>();
    if (kind == SequenceFileKind::kFasta) {
        state->fasta.emplace(file, std::move(*source));
    } else {
        state->alignments.emplace(file, std::move(*source), format);
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

}  // namespace warpseq
