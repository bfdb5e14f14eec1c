#include "formats/convert_fasta.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/json_writer.h"
#include "formats/record_source.h"
#include "libcore/base/version.h"

namespace warpseq {

namespace {

/// What is known once all inputs have been read.
struct InputFacts {
    FastaCounts counts, counts_before;
    NucleotideDetector nucleotides;
    std::vector<RecordOrigin> origins;
    std::vector<std::optional<BlastFacts>> blast;  // of each source
};

void add(const FastaCounts& some, FastaCounts& all) {
    all.records += some.records;
    all.residues += some.residues;
    all.gaps_removed += some.gaps_removed;
    all.empty_sequences += some.empty_sequences;
    all.unnamed += some.unnamed;
    all.skipped_invalid += some.skipped_invalid;
}

/// What is true of a database whose inputs came from BLAST databases: headers mean what they mean in all of them, or there
/// is nothing to say.
std::optional<BlastFacts> common_facts(const std::vector<std::optional<BlastFacts>>& sources) {
    if (sources.empty() || !sources.front()) return std::nullopt;
    BlastFacts common = *sources.front();
    for (std::size_t s = 1; s < sources.size(); ++s) {
        const auto& other = sources[s];
        if (!other || other->has_parsed_ids != common.has_parsed_ids) return std::nullopt;
        if (other->title != common.title) common.title += "; " + other->title;
        common.version = std::max(common.version, other->version);
        common.has_taxids = common.has_taxids || other->has_taxids;
    }
    return common;
}

/// What the database says about where it comes from. Only what decides its bytes: no clock time, no number of threads.
std::string provenance(const ConvertOptions& options, const InputFacts& input) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kCompact);
    json.begin_object();
    json.member("program", "dbconv");
    json.member("version", program_version());
    json.member("codec", options.codec == ResidueCodec::kPacked ? "packed" : "zstd");
    json.member("skip_invalid", options.skip_invalid);
    json.key("sources").begin_array();
    for (const RecordOrigin& origin : input.origins) {
        json.begin_object();
        json.member("name", origin.name);  // of any bytes
        json.member("size_bytes", origin.size_bytes);
        if (origin.content_digest.empty()) {
            json.member("xxh3_128", origin.xxh3_128);
        } else {
            json.member("kind", "wsdb");
            json.member("content_digest", origin.content_digest);
        }
        json.end_object();
    }
    json.end_array();
    if (const auto blast = common_facts(input.blast)) {
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

/// The end of the file.
Result<ConvertReport> finish(WsdbWriter& writer, const ConvertOptions& options, const InputFacts& input) {
    ConvertReport report;
    report.counts = input.counts;
    if (input.nucleotides.likely() && options.on_nucleotides)
        WARPSEQ_TRY(options.on_nucleotides(input.nucleotides.found()));
    WsdbInputFacts facts;
    facts.gaps_removed = input.counts.gaps_removed + input.counts_before.gaps_removed;
    facts.unnamed_sequences = input.counts.unnamed + input.counts_before.unnamed;
    facts.skipped_invalid = input.counts.skipped_invalid + input.counts_before.skipped_invalid;
    facts.provenance_json = provenance(options, input);
    auto finished = writer.finish(facts);
    if (!finished.ok()) return finished.status();
    report.summary = *std::move(finished);
    return report;
}

RecordReading reading_of(const ConvertOptions& options, std::uint64_t records_before = 0) {
    RecordReading reading{fasta_options(options), options.selection, options.on_record};
    reading.fasta.records_before = records_before;
    return reading;
}

/// All of a source into the writer. Its memory is free when the file is written.
Status read_source(std::unique_ptr<RecordSource> source, WsdbWriter& writer, Progress& reading,
                   std::uint64_t bytes_before, InputFacts& input) {
    writer.begin_input();
    WARPSEQ_TRY(source->read(
        [&](const WsdbRecordBatch& batch) {
            reading.update(bytes_before + source->bytes_read());
            return writer.add(batch);
        },
        [&] { return writer.make_room(); }));
    WARPSEQ_TRY(source->verify_unchanged());
    add(source->counts(), input.counts);
    add(source->counts_before(), input.counts_before);
    input.nucleotides.add(source->nucleotides());
    for (RecordOrigin& origin : source->origins()) input.origins.push_back(std::move(origin));
    input.blast.push_back(source->blast_facts());
    return {};
}

/// A database, or FASTA files up to the next one: opened when its turn comes but for databases, so that what is wrong with one
/// of those is known before the rest is read.
struct Input {
    std::vector<std::filesystem::path> fasta;
    std::optional<WsdbReader> database;
};

Result<std::vector<Input>> open_databases(const std::vector<std::filesystem::path>& files) {
    std::vector<Input> inputs;
    for (const std::filesystem::path& file : files) {
        if (begins_as_wsdb(file)) {
            auto reader = WsdbReader::open(file);
            if (!reader.ok()) return reader.status();
            inputs.push_back({{}, *std::move(reader)});
            continue;
        }
        if (inputs.empty() || inputs.back().database) inputs.emplace_back();
        inputs.back().fasta.push_back(file);
    }
    return inputs;
}

Result<ConvertReport> convert(std::vector<Input> inputs, WsdbWriter& writer, const ConvertOptions& options,
                              const ThreadPool& pool, Observer& observer) {
    std::uint64_t total_bytes = 0, bytes_before = 0;
    std::vector<std::uint64_t> sizes_bytes;
    for (const Input& each : inputs) {
        sizes_bytes.push_back(each.database ? each.database->file_bytes() : stored_bytes_of(each.fasta));
        total_bytes += sizes_bytes.back();
    }
    if (std::ranges::count(sizes_bytes, 0) > 0) total_bytes = 0;
    InputFacts facts;
    {
        const auto reading = observer.begin("reading", total_bytes);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            Input input = std::move(inputs[i]);
            const RecordReading of_input = reading_of(options, facts.counts.records);
            auto source = input.database ? make_wsdb_source(*std::move(input.database), of_input, pool)
                                         : make_fasta_source(std::move(input.fasta), of_input, pool);
            WARPSEQ_TRY(read_source(std::move(source), writer, *reading, bytes_before, facts));
            bytes_before += sizes_bytes[i];
        }
    }
    return finish(writer, options, facts);
}

/// The same of one source.
Result<ConvertReport> convert(std::unique_ptr<RecordSource> source, WsdbWriter& writer, const ConvertOptions& options,
                              Observer& observer) {
    InputFacts facts;
    {
        const auto reading = observer.begin("reading", source->size_bytes());
        WARPSEQ_TRY(read_source(std::move(source), writer, *reading, 0, facts));
    }
    return finish(writer, options, facts);
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
        return convert(make_blast_source(*std::move(blast), reading_of(options)), *writer, options, observer);
    }
    auto inputs = open_databases(options.inputs);
    if (!inputs.ok()) return inputs.status();
    return convert(*std::move(inputs), *writer, options, pool, observer);
}

Result<WsdbReader> convert_to_unnamed(ByteSource source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const std::string name = source.name();
    const auto report =
        convert(make_fasta_source(file, std::move(source), reading_of(options), pool), *writer, options, observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(name);
}

Result<WsdbReader> convert_to_unnamed(BlastDatabaseReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const auto report = convert(make_blast_source(std::move(source), reading_of(options)), *writer, options, observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(file);
}

}  // namespace warpseq
