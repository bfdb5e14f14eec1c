#include "formats/wsdb/record_source.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "formats/blast/blast_database_writer.h"
#include "formats/fasta/fasta_batch_reader.h"
#include "formats/fasta/hmmer_fasta.h"

namespace warpseq {

namespace {

/// The size, about, of a batch.
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

std::vector<RecordOrigin> origins_of(const std::vector<FastaSource>& files) {
    std::vector<RecordOrigin> origins;
    for (const FastaSource& file : files) origins.push_back({file.name, file.size_bytes, file.xxh3_128, {}});
    return origins;
}

/// Gives the sequences of a file as records, with the functions that FastaReader has.
class TitledRecords {
   public:
    TitledRecords(std::filesystem::path file, SequenceFileReader reader, RecordLimits limits)
        : file_(std::move(file)), reader_(std::move(reader)), limits_(std::move(limits)) {
        reader_.set_most_residues(limits_.residues);
    }

    Result<bool> next(FastaRecord& record) {
        const Result<bool> more = reader_.next(sequence_);
        if (!more.ok() || !*more) return more;
        record.header =
            header_of_title({sequence_.name, sequence_.description, sequence_.accession}) + sequence_.unscored;
        std::swap(record.residues, sequence_.residues);
        if (const std::uint64_t beyond = reader_.beyond_residues(); beyond > 0)
            return limits_.refuse(record.header, record.residues.size() + beyond, record.header.size());
        ++counts_.records;
        counts_.residues += record.residues.size();
        if (record.residues.empty()) ++counts_.empty_sequences;
        return true;
    }
    const FastaCounts& counts() const { return counts_; }
    std::vector<FastaSource> sources() const {
        return {{file_ == "-" ? "-" : file_.filename().string(), bytes_read(), {}}};
    }
    std::uint64_t bytes_read() const { return reader_.bytes_read(); }

   private:
    std::filesystem::path file_;
    SequenceFileReader reader_;
    RecordLimits limits_;
    NamedSequence sequence_;
    FastaCounts counts_;
};

template <typename Reader>
std::optional<BlastFacts> facts_of(const Reader&) {
    return std::nullopt;
}
std::optional<BlastFacts> facts_of(const BlastDatabaseReader& reader) { return reader.facts(); }
template <typename Reader>
bool marks_taxids(const Reader&) {
    return false;
}
bool marks_taxids(const BlastDatabaseReader& reader) { return reader.facts().has_taxids; }
template <typename Reader>
Status unchanged(const Reader&) {
    return {};  // ByteSource checks this
}
Status unchanged(const BlastDatabaseReader& reader) { return reader.verify_unchanged(); }

/// A source whose reader gives one record after another.
template <typename Reader>
class SingleRecords : public RecordSource {
   public:
    SingleRecords(Reader reader, RecordReading reading, std::uint64_t size_bytes)
        : reader_(std::move(reader)), reading_(std::move(reading)), size_bytes_(size_bytes) {}

    Status read(const Take& take, const std::function<Status()>& make_room) override {
        FastaRecord record;
        RecordBatch batch;
        PendingCopies copies;
        for (;;) {
            const auto more = reader_.next(record);
            if (!more.ok()) return more.status();
            if (!*more) break;
            nucleotides_.add(record.residues);
            if (reading_.blast_database != nullptr) {
                const auto taken = reading_.blast_database->add(record);
                if (!taken.ok()) return taken.status();
                if (!*taken) continue;
                disarm_marks(record.header);
            }
            if (reading_.on_record) WARPSEQ_TRY(reading_.on_record(record));
            if (reading_.selection != nullptr && !reading_.selection->wants(record.header, record.residues.size()))
                continue;
            const bool has_marks = marks_taxids(reader_);
            const bool chooses_taxa = reading_.selection != nullptr && !reading_.selection->taxids.empty();
            if (chooses_taxa &&
                (!has_marks || !RecordSelection::has_any(marked_taxids(record.header), reading_.selection->taxids)))
                continue;
            const bool takes_marks = has_marks && reading_.takes_marked_taxids;
            batch.add(record.header, record.residues, RecordBatch::kInOrder,
                      takes_marks ? marked_taxids(record.header) : std::vector<std::uint32_t>());
            if (batch.bytes().size() >= kBatchBytes) WARPSEQ_TRY(give_batch(batch, copies, take, make_room));
        }
        return batch.empty() ? Status() : give_batch(batch, copies, take, make_room);
    }
    std::uint64_t bytes_read() const override { return reader_.bytes_read(); }
    std::uint64_t size_bytes() const override { return size_bytes_; }
    FastaCounts counts() const override { return reader_.counts(); }
    NucleotideDetector nucleotides() const override { return nucleotides_; }
    std::vector<RecordOrigin> origins() const override { return origins_of(reader_.sources()); }
    std::optional<BlastFacts> blast_facts() const override { return facts_of(reader_); }
    Status verify_unchanged() const override { return unchanged(reader_); }

   private:
    Reader reader_;
    RecordReading reading_;
    std::uint64_t size_bytes_;
    NucleotideDetector nucleotides_;
};

/// A source that reads FASTA with all threads.
class FastaBatches : public RecordSource {
   public:
    FastaBatches(FastaBatchReader reader, std::uint64_t size_bytes)
        : reader_(std::move(reader)), size_bytes_(size_bytes) {}

    Status read(const Take& take, const std::function<Status()>& make_room) override {
        return reader_.read(take, make_room);
    }
    std::uint64_t bytes_read() const override { return reader_.bytes_read(); }
    std::uint64_t size_bytes() const override { return size_bytes_; }
    FastaCounts counts() const override { return reader_.counts(); }
    NucleotideDetector nucleotides() const override { return reader_.nucleotides(); }
    std::vector<RecordOrigin> origins() const override { return origins_of(reader_.sources()); }

   private:
    FastaBatchReader reader_;
    std::uint64_t size_bytes_;
};

/// Whether records may be read in batches: nothing has to see each record by itself.
bool may_read_in_batches(const RecordReading& reading) {
    return !reading.on_record && reading.blast_database == nullptr &&
           FastaBatchReader::may_read_in_batches(reading.fasta);
}

FastaBatchOptions batch_options(const RecordReading& reading) {
    FastaBatchOptions options;
    options.reading = reading.fasta;
    options.decoding_bytes = reading.decoding_bytes;
    options.limits = reading.limits;
    if (reading.selection != nullptr && !reading.selection->wants_all()) {
        options.wanted = [selection = reading.selection](std::string_view header, std::uint64_t residues) {
            return selection->wants(header, residues);
        };
    }
    return options;
}

}  // namespace

Status give_batch(RecordBatch& batch, PendingCopies& copies, const RecordSource::Take& take,
                  const std::function<Status()>& make_room) {
    Result<bool> taken = take(batch, copies);
    while (taken.ok() && !*taken) {
        WARPSEQ_TRY(make_room());
        taken = take(batch, copies);
    }
    make_copies(copies);
    batch.clear();
    return taken.status();
}

std::uint64_t stored_bytes_of(const std::vector<std::filesystem::path>& files) {
    std::uint64_t total = 0;
    for (const auto& file : files) {
        std::error_code error;
        if (file == "-" || !std::filesystem::is_regular_file(file, error)) return 0;
        const auto size = std::filesystem::file_size(file, error);
        if (error) return 0;
        total += size;
    }
    return total;
}

std::unique_ptr<RecordSource> make_fasta_source(std::vector<std::filesystem::path> files, const RecordReading& reading,
                                                const ThreadPool& pool) {
    const std::uint64_t size_bytes = stored_bytes_of(files);
    if (may_read_in_batches(reading)) {
        return std::make_unique<FastaBatches>(FastaBatchReader(std::move(files), batch_options(reading), pool),
                                              size_bytes);
    }
    return std::make_unique<SingleRecords<FastaReader>>(FastaReader(std::move(files), reading.fasta), reading,
                                                        size_bytes);
}

std::unique_ptr<RecordSource> make_fasta_source(std::filesystem::path file, ByteSource opened,
                                                const RecordReading& reading, const ThreadPool& pool) {
    const std::uint64_t size_bytes = stored_bytes_of({file});
    if (may_read_in_batches(reading)) {
        return std::make_unique<FastaBatches>(
            FastaBatchReader(std::move(file), std::move(opened), batch_options(reading), pool), size_bytes);
    }
    return std::make_unique<SingleRecords<FastaReader>>(FastaReader(std::move(file), std::move(opened), reading.fasta),
                                                        reading, size_bytes);
}

std::unique_ptr<RecordSource> make_sequence_source(std::filesystem::path file, SequenceFileReader reader,
                                                   const RecordReading& reading) {
    const std::uint64_t size_bytes = stored_bytes_of({file});
    return std::make_unique<SingleRecords<TitledRecords>>(
        TitledRecords(std::move(file), std::move(reader), reading.limits), reading, size_bytes);
}

std::unique_ptr<RecordSource> make_blast_source(BlastDatabaseReader reader, const RecordReading& reading) {
    const std::uint64_t size_bytes = reader.size_bytes();
    return std::make_unique<SingleRecords<BlastDatabaseReader>>(std::move(reader), reading, size_bytes);
}

}  // namespace warpseq
