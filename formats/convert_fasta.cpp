#include "formats/convert_fasta.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "formats/fasta_batch_reader.h"
#include "formats/json_writer.h"
#include "formats/nucleotide_detector.h"
#include "libcore/base/version.h"

namespace warpseq {

namespace {

/// Size of all inputs as stored; 0 where one of them is a pipe.
std::uint64_t input_bytes(const std::vector<std::filesystem::path>& inputs) {
    std::uint64_t total = 0;
    for (const auto& input : inputs) {
        std::error_code error;
        if (input == "-" || !std::filesystem::is_regular_file(input, error)) return 0;
        const auto size = std::filesystem::file_size(input, error);
        if (error) return 0;
        total += size;
    }
    return total;
}

/// What the database says about where it comes from. Only what decides its bytes: no clock time, no number of threads.
std::string provenance(const ConvertOptions& options, const std::vector<FastaSource>& sources,
                       const BlastFacts* blast) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kCompact);
    json.begin_object();
    json.member("program", "dbconv");
    json.member("version", program_version());
    json.member("codec", options.codec == ResidueCodec::kPacked ? "packed" : "zstd");
    json.member("skip_invalid", options.skip_invalid);
    json.key("sources").begin_array();
    for (const FastaSource& source : sources) {
        json.begin_object();
        json.member("name", source.name);  // of any bytes
        json.member("size_bytes", source.size_bytes);
        json.member("xxh3_128", source.xxh3_128);
        json.end_object();
    }
    json.end_array();
    if (blast != nullptr) {
        json.key("blast_database").begin_object();
        json.member("title", blast->title);
        json.member("date", blast->date);
        json.member("version", blast->version);
        json.member("parsed_ids", blast->has_parsed_ids);
        json.member("taxids", blast->has_taxids);
        json.end_object();
    }
    json.end_object();
    return text;
}

WsdbWriterOptions writer_options(const ConvertOptions& options, Progress& writing) {
    WsdbWriterOptions chosen;
    chosen.codec = options.codec;
    chosen.memory_bytes = options.memory_bytes;
    chosen.temporary_folder = options.temporary_folder;
    chosen.replace = options.replace;
    chosen.on_duplicates = options.on_duplicates;
    chosen.modification_time = options.modification_time;
    chosen.on_progress = [&writing](std::uint64_t done, std::uint64_t total) {
        writing.update(total == 0 ? 100 : done * 100 / total);
    };
    return chosen;
}

FastaOptions fasta_options(const ConvertOptions& options) {
    FastaOptions chosen = options.reading;
    chosen.skip_invalid_records = options.skip_invalid;
    chosen.on_invalid_record = options.on_invalid_record;
    return chosen;
}

const BlastFacts* blast_facts(const FastaReader&) { return nullptr; }
const BlastFacts* blast_facts(const BlastDatabaseReader& reader) { return &reader.facts(); }

Status verify_unchanged(const FastaReader&) { return {}; }  // it notices by itself, or its caller does
Status verify_unchanged(const BlastDatabaseReader& reader) { return reader.verify_unchanged(); }

/// The end of the file. `facts` are those of all that was read.
Result<ConvertReport> finish(WsdbWriter& writer, const ConvertOptions& options, const FastaCounts& counts,
                             const NucleotideDetector& nucleotides, const std::vector<FastaSource>& sources,
                             const BlastFacts* blast) {
    ConvertReport report;
    report.counts = counts;
    if (nucleotides.likely() && options.on_nucleotides) WARPSEQ_TRY(options.on_nucleotides(nucleotides.found()));
    WsdbInputFacts facts;
    facts.gaps_removed = report.counts.gaps_removed;
    facts.unnamed_sequences = report.counts.unnamed;
    facts.skipped_invalid = report.counts.skipped_invalid;
    facts.provenance_json = provenance(options, sources, blast);
    auto finished = writer.finish(facts);
    if (!finished.ok()) return finished.status();
    report.summary = *std::move(finished);
    return report;
}

/// All records of the reader, and the end of the file. `total_bytes` is what there is to read, 0 where nobody knows.
template <typename Reader>
Result<ConvertReport> convert(Reader& reader, WsdbWriter& writer, const ConvertOptions& options,
                              std::uint64_t total_bytes, Observer& observer) {
    NucleotideDetector nucleotides;
    {
        const auto reading = observer.begin("reading", total_bytes);
        FastaRecord record;
        for (std::uint64_t records = 0;; ++records) {
            auto more = reader.next(record);
            if (!more.ok()) return more.status();
            if (!*more) break;
            nucleotides.add(record.residues);
            if (options.on_record) WARPSEQ_TRY(options.on_record(record));
            if (!record.residues.empty() || !options.leave_out_empty)
                WARPSEQ_TRY(writer.add(record.header, record.residues));
            if (records % 1024 == 0) reading->update(reader.bytes_read());
        }
    }
    WARPSEQ_TRY(verify_unchanged(reader));
    return finish(writer, options, reader.counts(), nucleotides, reader.sources(), blast_facts(reader));
}

/// Whether nobody looks at each record.
bool may_read_in_batches(const ConvertOptions& options) {
    return !options.on_record && FastaBatchReader::may_read_in_batches(options.reading);
}

FastaBatchOptions batch_options(const ConvertOptions& options) {
    return {.reading = fasta_options(options), .leave_out_empty = options.leave_out_empty};
}

/// The same by all threads. The reader's memory is free when the file is written.
Result<ConvertReport> convert(FastaBatchReader reader, WsdbWriter& writer, const ConvertOptions& options,
                              std::uint64_t total_bytes, Observer& observer) {
    {
        const auto reading = observer.begin("reading", total_bytes);
        WARPSEQ_TRY(reader.read(
            [&](const WsdbRecordBatch& batch) {
                reading->update(reader.bytes_read());
                return writer.add(batch);
            },
            [&] { return writer.make_room(); }));
    }
    const FastaCounts counts = reader.counts();
    const NucleotideDetector nucleotides = reader.nucleotides();
    const std::vector<FastaSource> sources = reader.sources();
    { const FastaBatchReader read = std::move(reader); }
    return finish(writer, options, counts, nucleotides, sources, nullptr);
}

}  // namespace

Result<ConvertReport> convert_fasta(const ConvertOptions& options, Observer& observer) {
    ThreadPool pool(options.threads);
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create(options.output, writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    for (const std::filesystem::path& input : options.inputs) {
        const auto name = blast_database_of(input);
        if (!name) continue;
        if (options.inputs.size() > 1)
            return Status::invalid_input(input.string() + ": is a BLAST database, which is converted alone");
        auto blast = BlastDatabaseReader::open(*name);
        if (!blast.ok()) return blast.status();
        return convert(*blast, *writer, options, blast->size_bytes(), observer);
    }
    if (may_read_in_batches(options)) {
        return convert(FastaBatchReader(options.inputs, batch_options(options), pool), *writer, options,
                       input_bytes(options.inputs), observer);
    }
    FastaReader reader(options.inputs, fasta_options(options));
    return convert(reader, *writer, options, input_bytes(options.inputs), observer);
}

Result<WsdbReader> convert_to_unnamed(ByteSource source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const std::string name = source.name();
    const auto report = [&] {
        if (may_read_in_batches(options)) {
            return convert(FastaBatchReader(file, std::move(source), batch_options(options), pool), *writer, options,
                           input_bytes({file}), observer);
        }
        FastaReader reader(file, std::move(source), fasta_options(options));
        return convert(reader, *writer, options, input_bytes({file}), observer);
    }();
    if (!report.ok()) return report.status();
    return writer->open_unnamed(name);
}

Result<WsdbReader> convert_to_unnamed(BlastDatabaseReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const auto report = convert(source, *writer, options, source.size_bytes(), observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(file);
}

}  // namespace warpseq
