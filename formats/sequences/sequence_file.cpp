#include "formats/sequences/sequence_file.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "formats/alignments/alignment_reader.h"
#include "formats/fasta/hmmer_fasta.h"
#include "formats/sequences/flat_file.h"

namespace warpseq {

namespace {

bool is_gap(char letter) { return letter == '-' || letter == '.' || letter == '_' || letter == '~'; }

}  // namespace

struct SequenceFileReader::State {
    FastaDialect dialect = FastaDialect::kWarpseq;
    std::string file = {};
    // One of these reads the file.
    std::optional<FastaReader> fasta = {};
    std::optional<FlatFileReader> flat = {};
    std::optional<AlignmentReader> alignments = {};

    FastaRecord record = {};
    FastaCounts no_counts = {};
    MultipleAlignment alignment = {};
    std::size_t row = 0;
    std::optional<Result<bool>> end = {};  // what every further call returns behind the last alignment

    Result<bool> next_record(NamedSequence& sequence) {
        const Result<bool> got = fasta->next(record);
        if (!got.ok() || !*got) return got;
        if (is_hmmer(dialect)) {
            HmmerTitle title = hmmer_title(record.header);
            sequence.name = std::move(title.name);
            sequence.accession = std::move(title.accession);
            sequence.description = std::move(title.description);
            sequence.unscored = unscored_note(record.header);
        } else {
            sequence.name = identifier_of(record.header);
            sequence.accession.clear();
            sequence.description = hmmer_description(record.header);
        }
        std::swap(sequence.residues, record.residues);
        return true;
    }

    /// Returns the result for an error of the alignments' reader.
    Result<bool> result_of(const Status& error) const {
        const AlignmentFault& fault = alignments->fault();
        if (is_hmmer(dialect) && fault.kind == AlignmentFault::Kind::kEmpty) return false;
        if (is_hmmer(dialect) && fault.kind == AlignmentFault::Kind::kMalformed)
            return Status::invalid_input(std::string(kHmmerParseFailure) + file + "):\n" + fault.what);
        return error;
    }

    Result<bool> next_row(NamedSequence& sequence) {
        if (end) return *end;
        if (row == alignment.rows.size()) {
            row = 0;
            const Result<bool> got = alignments->next(alignment);
            if (!got.ok() || !*got) {
                end = got.ok() ? got : result_of(got.status());
                return *end;
            }
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

Result<SequenceFileReader> SequenceFileReader::open(const std::filesystem::path& file,
                                                    const SequenceFileFormat& format) {
    Result<ByteSource> source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    return open(file, *std::move(source), format);
}

Result<SequenceFileReader> SequenceFileReader::open(const std::filesystem::path& file, ByteSource source,
                                                    const SequenceFileFormat& format) {
    auto state = std::make_unique<State>();
    state->dialect = format.dialect;
    state->file = file.string();
    const Result<std::span<const std::uint8_t>> start = source.peek_block();
    if (!start.ok()) return start.status();
    switch (recognised_format(file, *start, format).kind) {
        case SequenceFileKind::kEmbl:
            state->flat.emplace(std::move(source), FlatFileLayout::kEmbl, format.dialect);
            break;
        case SequenceFileKind::kGenbank:
            state->flat.emplace(std::move(source), FlatFileLayout::kGenbank, format.dialect);
            break;
        case SequenceFileKind::kAlignments:
            state->alignments.emplace(file, std::move(source), format.alignments);
            WARPSEQ_TRY(state->alignments->open());
            break;
        case SequenceFileKind::kBlastDatabase:
        case SequenceFileKind::kFmIndex: return misformatted_sequences(state->file);
        case SequenceFileKind::kByContent:
        case SequenceFileKind::kAsHmmer:
        case SequenceFileKind::kFasta:
            state->fasta.emplace(file, std::move(source), FastaOptions{.dialect = format.dialect});
            break;
    }
    return SequenceFileReader(std::move(state));
}

SequenceFileReader::SequenceFileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SequenceFileReader::~SequenceFileReader() = default;
SequenceFileReader::SequenceFileReader(SequenceFileReader&&) noexcept = default;

Result<bool> SequenceFileReader::next(NamedSequence& sequence) {
    return state_->fasta  ? state_->next_record(sequence)
           : state_->flat ? state_->flat->next(sequence)
                          : state_->next_row(sequence);
}

void SequenceFileReader::set_most_residues(std::uint64_t most) {
    if (state_->flat) state_->flat->set_most_residues(most);
}

std::uint64_t SequenceFileReader::beyond_residues() const { return state_->flat ? state_->flat->beyond_residues() : 0; }

const FastaCounts& SequenceFileReader::counts() const {
    return state_->fasta ? state_->fasta->counts() : state_->no_counts;
}

std::uint64_t SequenceFileReader::bytes_read() const {
    return state_->fasta  ? state_->fasta->bytes_read()
           : state_->flat ? state_->flat->stored_bytes()
                          : state_->alignments->bytes_read();
}

}  // namespace warpseq
