#include "engines/hmm/hmm_sequence_batch.h"

#include <algorithm>
#include <utility>

#include "formats/fasta/hmmer_fasta.h"
#include "formats/wsdb/wsdb_writer.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kConversionMemory = std::uint64_t{512} << 20;

}  // namespace

HmmSequenceReader::HmmSequenceReader(std::filesystem::path file, const HmmSequenceLimits& limits,
                                     SequenceFileFormat format)
    : file_(std::move(file)), limits_(limits), format_(format) {}

Result<std::optional<HmmSequenceBatch>> HmmSequenceReader::next_batch(const Session& machine) {
    HmmSequenceBatch batch;
    if (finished_) return std::optional<HmmSequenceBatch>();
    WsdbWriterOptions options;
    options.memory_bytes = std::max(kConversionMemory, WsdbWriter::min_memory_bytes(machine.pool().threads()));
    options.temporary_folder = machine.settings().targets.temporary_folder;
    auto writer = WsdbWriter::create_unnamed(std::move(options), machine.pool());
    if (!writer.ok()) return writer.status();
    if (!reader_) {
        auto opened = SequenceFileReader::open(file_, format_);
        if (!opened.ok()) return opened.status();
        reader_.emplace(*std::move(opened));
    }
    NamedSequence sequence;
    std::uint64_t residues = 0;
    while (batch.size() < limits_.sequences && residues < limits_.residues) {
        const auto more = reader_->next(sequence);
        if (!more.ok() && batch.size() > 0) break;  // the next call returns the error again
        if (!more.ok()) return more.status();
        if (!*more) {
            finished_ = true;
            break;
        }
        nucleotides_.add(sequence.residues);
        // The header only says in messages which sequence is meant.
        WARPSEQ_TRY(writer->add(header_of_title({sequence.name, sequence.description}), sequence.residues));
        residues += sequence.residues.size();
        batch.titles.push_back({sequence.name, sequence.accession, sequence.description, sequence.unscored});
        batch.residues.push_back(sequence.residues.size());
    }
    if (batch.size() == 0) return std::optional<HmmSequenceBatch>();
    auto finished = writer->finish({});
    if (!finished.ok()) return finished.status();
    auto reader = writer->open_unnamed(file_);
    if (!reader.ok()) return reader.status();
    batch.session = machine.with_database(file_, {.reader = *std::move(reader), .is_fasta = true});
    return std::optional(std::move(batch));
}

std::vector<std::string> HmmSequenceReader::warnings() const {
    std::vector<std::string> warnings;
    if (!reader_) return warnings;
    const FastaCounts& counts = reader_->counts();
    const auto warn = [&](std::uint64_t count, const std::string& what) {
        if (count > 0) warnings.push_back(file_.string() + ": " + std::to_string(count) + " " + what);
    };
    warn(counts.gaps_removed, "gap characters ('-' or '.') removed from queries");
    warn(counts.unnamed, "queries without a name were given one (unnamed_N)");
    auto nucleotides = nucleotides_;
    if (const auto answer = nucleotides.take_answer(file_.string())) warnings.push_back(*answer);
    return warnings;
}

}  // namespace warpseq
