#include "formats/wsdb/convert_fasta.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "formats/blast/blast_database_writer.h"
#include "formats/io/json_writer.h"
#include "formats/io/plain_file.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/database_labels.h"
#include "formats/wsdb/record_source.h"
#include "formats/wsdb/unique_records.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/version.h"

namespace warpseq {

namespace {

/// The facts that are known once all inputs have been read.
struct InputFacts {
    FastaCounts counts, counts_before;
    bool skipped_invalid_before = false;
    NucleotideDetector nucleotides;
    std::vector<RecordOrigin> origins;
    std::vector<std::optional<BlastFacts>> blast;  // facts of each source
    std::uint64_t merged_sequences = 0;
    Taxonomy taxonomy;  // taxa of all sources
};

void add(const FastaCounts& some, FastaCounts& all) {
    all.records += some.records;
    all.residues += some.residues;
    all.gaps_removed += some.gaps_removed;
    all.empty_sequences += some.empty_sequences;
    all.unnamed += some.unnamed;
    all.skipped_invalid += some.skipped_invalid;
}

/// Returns the facts about a database whose inputs came from BLAST databases. Returns nothing where
/// one of them did not, or where headers do not mean the same in all of them.
std::optional<BlastFacts> common_facts(const std::vector<std::optional<BlastFacts>>& sources) {
    if (sources.empty() || !sources.front()) return std::nullopt;
    BlastFacts common = *sources.front();
    for (std::size_t s = 1; s < sources.size(); ++s) {
        const auto& other = sources[s];
        if (!other || other->has_parsed_ids != common.has_parsed_ids) return std::nullopt;
        if (other->title != common.title) common.title += "; " + other->title;
        common.modified.clear();
        common.version = std::max(common.version, other->version);
        common.has_taxids = common.has_taxids || other->has_taxids;
    }
    return common;
}

/// Returns what the database says about where it comes from, as JSON. It has only what decides the
/// database's bytes, so no clock time and no number of threads. The files that a copy is of are the
/// exception.
std::string provenance(const ConvertOptions& options, const InputFacts& input) {
    std::string text;
    JsonWriter json(text, JsonWriter::Layout::kCompact);
    json.begin_object();
    json.member("program", "dbconv");
    json.member("version", program_version());
    json.member("codec", options.codec == ResidueCodec::kPacked ? "packed" : "zstd");
    json.member("skip_invalid", options.skip_invalid || input.skipped_invalid_before);
    if (options.unique) json.member("unique", true);
    const DatabaseLabels labels = labels_of(options.inputs);
    const std::string title = options.title.value_or(labels.title), release = options.release.value_or(labels.release);
    if (!title.empty()) json.member("title", title);
    if (!release.empty()) json.member("release", release);
    if (!options.taxid_lists.empty()) {
        json.key("taxid_lists").begin_array();
        for (const std::filesystem::path& list : options.taxid_lists) json.value(list.filename().string());
        json.end_array();
    }
    if (!options.taxonomy_folder.empty()) json.member("taxonomy", options.taxonomy_folder.filename().string());
    json.key("sources").begin_array();
    for (const RecordOrigin& origin : input.origins) {
        json.begin_object();
        json.member("name", origin.name);  // may have any bytes
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
    if (!options.copied_files.empty()) {
        json.key("copied_files").begin_array();
        for (const CopiedFile& file : options.copied_files) file.write(json);
        json.end_array();
    }
    if (const auto blast = common_facts(input.blast)) {
        json.key("blast_database").begin_object();
        json.member("title", blast->title);
        json.member("date", blast->date);
        json.member("version", blast->version);
        json.member("parsed_ids", blast->has_parsed_ids);
        json.member("taxids", blast->has_taxids);
        if (!blast->modified.empty()) json.member("modified", blast->modified);
        json.end_object();
    }
    if (options.set_mark) {
        json.key("set").begin_object();
        json.member("identity", options.set_mark->set);
        json.member("number", options.set_mark->number);
        json.member("update", options.set_mark->update);
        json.end_object();
    }
    json.end_object();
    return text;
}

/// Returns the options of the writer. Other parts of the conversion use `taken_bytes` of the
/// memory.
WsdbWriterOptions writer_options(const ConvertOptions& options, Progress& writing, std::uint64_t taken_bytes = 0) {
    WsdbWriterOptions chosen;
    chosen.codec = options.codec;
    chosen.memory_bytes = options.memory_bytes - taken_bytes;
    chosen.temporary_folder = options.temporary_folder;
    chosen.replace = options.replace;
    chosen.on_duplicates = options.on_duplicates;
    chosen.taxid_lists = options.taxid_lists;
    chosen.uncommitted = options.uncommitted;
    if (options.set_mark) chosen.unfinished_mark = set_mark_bytes(*options.set_mark);
    chosen.on_progress = [&writing](std::uint64_t done, std::uint64_t total) {
        writing.update(total == 0 ? 100 : done * 100 / total);
    };
    return chosen;
}

std::filesystem::path temporary_folder(const ConvertOptions& options) {
    return options.temporary_folder.empty() ? options.output.parent_path() : options.temporary_folder;
}

FastaOptions fasta_options(const ConvertOptions& options) {
    FastaOptions chosen = options.reading;
    chosen.skip_invalid_records = options.skip_invalid;
    chosen.on_invalid_record = options.on_invalid_record;
    return chosen;
}

/// Finishes the output and makes the report.
Result<ConvertReport> finish(WsdbWriter& writer, const ConvertOptions& options, const InputFacts& input) {
    ConvertReport report;
    report.counts = input.counts;
    report.merged_sequences = input.merged_sequences;
    if (input.nucleotides.likely() && options.on_nucleotides)
        WARPSEQ_TRY(options.on_nucleotides(input.nucleotides.found()));
    WsdbInputFacts facts;
    facts.gaps_removed = input.counts.gaps_removed + input.counts_before.gaps_removed;
    facts.unnamed_sequences = input.counts.unnamed + input.counts_before.unnamed;
    facts.skipped_invalid = input.counts.skipped_invalid + input.counts_before.skipped_invalid;
    facts.provenance_json = provenance(options, input);
    facts.taxonomy = std::make_shared<const Taxonomy>(input.taxonomy);
    auto finished = writer.finish(facts);
    if (!finished.ok()) return finished.status();
    report.summary = *std::move(finished);
    return report;
}

RecordReading reading_of(const ConvertOptions& options, const RecordLimits& limits, std::uint64_t records_before = 0,
                         std::uint64_t decoding_bytes = 0, bool takes_marked_taxids = false) {
    RecordReading reading{fasta_options(options), options.selection, options.on_record, options.blast_database};
    reading.limits = limits;
    reading.decoding_bytes = decoding_bytes;
    reading.fasta.records_before = records_before;
    reading.takes_marked_taxids =
        takes_marked_taxids || !options.taxonomy_folder.empty() || !options.taxid_lists.empty();
    return reading;
}

/// The shares of the memory that do not go to the writer.
struct MemoryShares {
    std::uint64_t sorting_bytes = 0;   // for finding identical sequences
    std::uint64_t decoding_bytes = 0;  // for gzip that is decoded before its turn, beside ByteSource::kDecoderBytes
    std::uint64_t all_bytes() const { return sorting_bytes + decoding_bytes; }
};

/// Returns the memory for decoding gzip files ahead of their turn. It is not known in advance
/// whether ordinary gzip files have members to decode in parallel, and how large these are.
std::uint64_t decoding_memory(const ConvertOptions& options, std::uint64_t least_bytes) {
    std::uint64_t stored_bytes = 0;
    for (const std::filesystem::path& file : options.inputs) {
        if (compression_of_file(file) == Compression::kGzip) stored_bytes += stored_bytes_of({file});
    }
    if (options.memory_bytes <= least_bytes) return 0;
    return std::min({options.memory_bytes / 8, (options.memory_bytes - least_bytes) / 2, stored_bytes * 2});
}

Result<MemoryShares> memory_shares(const ConvertOptions& options, const ThreadPool& pool) {
    constexpr std::uint64_t kLeastSortingBytes = std::uint64_t{32} << 20;
    const std::uint64_t least_bytes =
        WsdbWriter::min_memory_bytes(pool.threads()) + (options.unique ? kLeastSortingBytes : 0);
    MemoryShares shares;
    if (pool.threads() > 1) shares.decoding_bytes = decoding_memory(options, least_bytes);
    if (!options.unique) return shares;
    if (options.memory_bytes < least_bytes) {
        return Status::usage(std::to_string(options.memory_bytes) +
                             " bytes of memory are too few to find identical sequences; with " +
                             std::to_string(pool.threads()) + " threads at least " + std::to_string(least_bytes >> 20) +
                             "M are needed")
            .with(Advice::kMemory);
    }
    shares.sorting_bytes = kLeastSortingBytes / 2 + (options.memory_bytes - shares.decoding_bytes - least_bytes) / 2;
    return shares;
}

/// Reads all of a source into the sink. The memory of the source is free when the file is written.
template <typename Sink>
Status read_source(std::unique_ptr<RecordSource> source, Sink& sink, Progress& reading, std::uint64_t bytes_before,
                   InputFacts& input, const std::stop_token& stop) {
    sink.begin_input();
    WARPSEQ_TRY(source->read(
        [&](const RecordBatch& batch, PendingCopies& copies) -> Result<bool> {
            if (stop.stop_requested()) return Status::interrupted();
            reading.update(bytes_before + source->bytes_read());
            return sink.add(batch, copies);
        },
        [&] { return sink.make_room(); }));
    WARPSEQ_TRY(source->verify_unchanged());
    add(source->counts(), input.counts);
    add(source->counts_before(), input.counts_before);
    input.skipped_invalid_before = input.skipped_invalid_before || source->skipped_invalid_before();
    input.nucleotides.add(source->nucleotides());
    for (RecordOrigin& origin : source->origins()) input.origins.push_back(std::move(origin));
    input.blast.push_back(source->blast_facts());
    const auto taxonomy = source->taxonomy();
    if (!taxonomy.ok()) return taxonomy.status();
    if (*taxonomy) input.taxonomy.add(**taxonomy);
    return {};
}

/// Whether definition lines of a database end with taxonomy IDs.
bool has_marked_taxids(const WsdbReader& reader) {
    const auto provenance = provenance_of(reader);
    return provenance && provenance->blast && provenance->blast->has_taxids;
}
bool knows_taxa(const WsdbReader& reader) { return reader.has_taxids() || has_marked_taxids(reader); }

/// A database, or the FASTA files up to the next database. FASTA files are opened when their turn
/// comes. Databases are opened first, so that their faults are known before the rest is read.
struct Input {
    std::vector<std::filesystem::path> fasta;
    std::shared_ptr<const WsdbReader> database;
    std::optional<BlastDatabaseReader> blast;
    std::shared_ptr<const PositionSet> removed = nullptr;  // ranks removed from the database

    bool is_fasta() const { return !database && !blast; }
    /// Returns the number of records of a database without the removed ones, or nothing for other
    /// inputs.
    std::optional<std::uint64_t> database_records() const {
        if (database) return database->sequence_count() - (removed ? removed->size() : 0);
        return std::nullopt;
    }
    std::uint64_t size_bytes() const {
        return database ? database->file_bytes() : blast ? blast->size_bytes() : stored_bytes_of(fasta);
    }
};

Result<std::vector<Input>> open_databases(const std::vector<std::filesystem::path>& files,
                                          const RecordSelection* selection) {
    const bool chooses_taxa = selection != nullptr && !selection->taxids.empty();
    std::vector<Input> inputs;
    for (const std::filesystem::path& file : files) {
        if (const auto name = blast_database_of(file)) {
            if (files.size() > 1)
                return Status::invalid_input(file.string() + ": is a BLAST database and has to be the only input");
            auto reader = BlastDatabaseReader::open(*name);
            if (!reader.ok()) return reader.status();
            inputs.push_back({{}, nullptr, *std::move(reader)});
            continue;
        }
        if (is_wsdb_set(file)) {
            auto set = WsdbSet::open(file);
            if (!set.ok()) return set.status();
            const bool some_know_taxa = std::ranges::any_of(
                set->volumes(), [](const WsdbSet::Volume& volume) { return knows_taxa(volume.reader); });
            for (WsdbSet::Volume& volume : set->volumes()) {
                // Skips a volume that knows no taxa, because none of its sequences can match. If no
                // volume knows any, reading reports it.
                if (chooses_taxa && some_know_taxa && !knows_taxa(volume.reader)) continue;
                inputs.push_back({{},
                                  std::make_shared<const WsdbReader>(std::move(volume.reader)),
                                  std::nullopt,
                                  std::move(volume.removed)});
            }
            continue;
        }
        if (chooses_taxa && !begins_as_wsdb(file)) {
            if (const auto source = ByteSource::open(file); !source.ok()) return source.status();
            return Status::invalid_input(file.string() +
                                         ": is FASTA, which has no taxonomy IDs; convert it with a list of them before "
                                         "choosing taxa");
        }
        if (begins_as_wsdb(file)) {
            auto reader = WsdbReader::open(file);
            if (!reader.ok()) return reader.status();
            inputs.push_back({{}, std::make_shared<const WsdbReader>(*std::move(reader)), std::nullopt});
            continue;
        }
        if (inputs.empty() || !inputs.back().is_fasta()) inputs.emplace_back();
        inputs.back().fasta.push_back(file);
    }
    return inputs;
}

template <typename Sink>
Result<InputFacts> read_inputs(std::vector<Input> inputs, Sink& sink, const ConvertOptions& options,
                               const RecordLimits& limits, std::uint64_t decoding_bytes, const ThreadPool& pool,
                               Observer& observer) {
    std::uint64_t total_bytes = 0, bytes_before = 0;
    std::vector<std::uint64_t> sizes_bytes;
    for (const Input& each : inputs) {
        sizes_bytes.push_back(each.size_bytes());
        total_bytes += sizes_bytes.back();
    }
    if (std::ranges::count(sizes_bytes, 0) > 0) total_bytes = 0;
    InputFacts facts;
    if (!options.taxonomy_folder.empty()) {
        auto taxonomy = Taxonomy::read_dump(options.taxonomy_folder);
        if (!taxonomy.ok()) return taxonomy.status();
        facts.taxonomy = *std::move(taxonomy);
    }
    const auto reading = observer.begin("reading", total_bytes);
    // If definition lines of all inputs end with taxonomy IDs, the provenance of the new database
    // says so. If some inputs lack them, or have IDs of their own, the IDs of the lines are stored
    // with the others.
    const auto is_marked = [](const Input& each) { return each.database && has_marked_taxids(*each.database); };
    const bool takes_marks =
        std::ranges::any_of(inputs, is_marked) &&
        std::ranges::any_of(inputs, [&](const Input& each) { return !is_marked(each) || each.database->has_taxids(); });
    std::uint64_t records_before = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Input input = std::move(inputs[i]);
        const RecordReading of_input = reading_of(options, limits, records_before, decoding_bytes, takes_marks);
        const FastaCounts before = facts.counts;
        const auto of_database = input.database_records();
        auto source = input.database ? make_wsdb_source(std::move(input.database), of_input, pool,
                                                        {.removed = std::move(input.removed)})
                      : input.blast  ? make_blast_source(*std::move(input.blast), of_input)
                                     : make_fasta_source(std::move(input.fasta), of_input, pool);
        WARPSEQ_TRY(read_source(std::move(source), sink, *reading, bytes_before, facts, options.stop));
        bytes_before += sizes_bytes[i];
        // Records that are not selected count, too.
        records_before += of_database.value_or(facts.counts.records - before.records + facts.counts.skipped_invalid -
                                               before.skipped_invalid);
    }
    return facts;
}

/// Reads all inputs into the writer. Does not finish the file.
Result<InputFacts> fill(std::vector<Input> inputs, WsdbWriter& writer, const ConvertOptions& options,
                        const MemoryShares& shares, const ThreadPool& pool, Observer& observer) {
    const std::uint64_t decoding_bytes = shares.decoding_bytes;
    const RecordLimits limits = writer.limits();
    if (!options.unique) return read_inputs(std::move(inputs), writer, options, limits, decoding_bytes, pool, observer);
    UniqueRecords unique(shares.sorting_bytes, temporary_folder(options), pool);
    auto facts = read_inputs(std::move(inputs), unique, options, limits, decoding_bytes, pool, observer);
    if (!facts.ok()) return facts;
    const auto add = [&](const RecordBatch& batch, PendingCopies& copies) -> Result<bool> {
        if (options.stop.stop_requested()) return Status::interrupted();
        return writer.add(batch, copies);
    };
    WARPSEQ_TRY(unique.read(add, [&] { return writer.make_room(); }));
    facts->merged_sequences = unique.merged();
    return facts;
}

/// Finishes the BLAST database. From here on it stands for all input in the facts.
Status finish_blast_database(BlastDatabaseWriter& database, InputFacts& input) {
    WARPSEQ_TRY(database.finish());
    const FastaSource& source = database.source();
    input.counts = database.counts();
    input.origins = {{source.name, source.size_bytes, source.xxh3_128, {}}};
    input.blast = {database.facts()};
    return {};
}

/// Returns the positions in the input at which the parts of a database begin, and the end of the
/// last part.
std::vector<std::uint64_t> cut_input(const WsdbReader& reader, unsigned parts) {
    // Residues are summed over ranges of neighbouring positions. The ranges are few enough to be
    // held and many enough for parts of about equal size.
    constexpr std::uint64_t kMostSums = std::uint64_t{1} << 20;
    const std::uint64_t sequences = reader.sequence_count(), width = (sequences + kMostSums - 1) / kMostSums;
    std::vector<std::uint64_t> sums((sequences + width - 1) / width);
    std::uint64_t total = 0;
    for (std::uint64_t rank = 0; rank < sequences; ++rank) {
        const auto residues = std::uint64_t{reader.lengths_residues()[rank]};
        const auto position = std::uint64_t{reader.input_positions()[rank]};
        if (position < sequences) sums[position / width] += residues;
        total += residues;
    }
    std::vector<std::uint64_t> begins = {0};
    std::uint64_t before = 0;
    std::size_t next = 0;
    for (unsigned part = 1; part < parts; ++part) {
        const auto wanted = static_cast<std::uint64_t>(static_cast<long double>(total) / parts * part);
        // The range that crosses the wanted sum goes to the side where more of it lies.
        while (next < sums.size() && before + sums[next] / 2 < wanted) before += sums[next++];
        begins.push_back(std::clamp(next * width, begins.back() + 1, sequences - (parts - part)));
    }
    begins.push_back(sequences);
    return begins;
}

/// Reads one source into the writer and finishes the file.
Result<ConvertReport> convert(std::unique_ptr<RecordSource> source, WsdbWriter& writer, const ConvertOptions& options,
                              Observer& observer) {
    InputFacts facts;
    {
        const auto reading = observer.begin("reading", source->size_bytes());
        WARPSEQ_TRY(read_source(std::move(source), writer, *reading, 0, facts, options.stop));
    }
    return finish(writer, options, facts);
}

}  // namespace

void add_conversion_files(const ConvertOptions& options, unsigned parts, const ConversionNames& names,
                          RunFiles& files) {
    for (const std::filesystem::path& list : options.taxid_lists) files.add_input(names.taxid_list, list);
    if (!options.taxonomy_folder.empty()) {
        for (const char* const name : {"nodes.dmp", "names.dmp"})
            files.add_input(names.taxonomy, options.taxonomy_folder / name);
    }
    for (const std::filesystem::path& input : options.inputs) {
        files.add_input(names.input, input);
        for (const auto& file : files_of_blast_database(input)) files.add_input(names.input, file);
        if (!is_wsdb_set(input)) continue;
        for (const auto& file : files_of_wsdb_set(input)) files.add_input(names.input, file);
    }
    if (parts == 1) files.add_output(names.output, options.output);
    for (unsigned part = 0; parts > 1 && part < parts; ++part)
        files.add_output(names.output, part_of_output(options.output, part, parts));
}

namespace {

Status check_files(const ConvertOptions& options, unsigned parts) {
    RunFiles files;
    add_conversion_files(options, parts, {}, files);
    return files.check_names();
}

}  // namespace

Result<ConvertReport> convert_fasta(const ConvertOptions& options, Observer& observer) {
    WARPSEQ_TRY(check_files(options, 1));
    const ThreadPool pool = ThreadPool(options.threads).with_stop(options.stop);
    const auto writing = observer.begin("writing", 100);
    const auto shares = memory_shares(options, pool);
    if (!shares.ok()) return shares.status();
    auto writer = WsdbWriter::create(options.output, writer_options(options, *writing, shares->all_bytes()), pool);
    if (!writer.ok()) return writer.status();
    auto inputs = open_databases(options.inputs, options.selection);
    if (!inputs.ok()) return inputs.status();
    auto facts = fill(*std::move(inputs), *writer, options, *shares, pool, observer);
    if (!facts.ok()) return facts.status();
    if (options.blast_database != nullptr) WARPSEQ_TRY(finish_blast_database(*options.blast_database, *facts));
    return finish(*writer, options, *facts);
}

std::filesystem::path part_of_output(const std::filesystem::path& output, unsigned part, unsigned parts) {
    const std::string count = std::to_string(parts);
    std::string number = std::to_string(part + 1);
    number.insert(0, count.size() - number.size(), '0');  // so that sorted names are in the order of the parts
    std::filesystem::path name = output;
    name.replace_filename(output.stem().string() + ".part" + number + "of" + count + output.extension().string());
    return name;
}

Result<std::vector<ConvertReport>> convert_in_parts(const ConvertOptions& options, unsigned parts, Observer& observer) {
    WARPSEQ_TRY(check_files(options, parts));
    const ThreadPool pool = ThreadPool(options.threads).with_stop(options.stop);
    for (unsigned part = 0; part < parts && !options.replace; ++part) {
        const std::filesystem::path file = part_of_output(options.output, part, parts);
        std::error_code error;
        if (std::filesystem::exists(file, error))
            return Status::io(file.string() + ": exists already").with(Advice::kReplace);
    }
    auto inputs = open_databases(options.inputs, options.selection);
    if (!inputs.ok()) return inputs.status();
    std::shared_ptr<const WsdbReader> whole;
    InputFacts facts;
    std::vector<ConvertReport> reports;
    if (inputs->size() == 1 && inputs->front().database && !inputs->front().removed && options.selection == nullptr &&
        !options.unique && !options.on_record && options.taxid_lists.empty() && options.taxonomy_folder.empty()) {
        whole = inputs->front().database;
        facts.origins = {origin_of(*whole)};
        auto provenance = provenance_of(*whole);
        facts.blast = {provenance ? std::move(provenance->blast) : std::nullopt};
    } else {
        const auto writing = observer.begin("writing", 100);
        const auto shares = memory_shares(options, pool);
        if (!shares.ok()) return shares.status();
        WsdbWriterOptions chosen = writer_options(options, *writing, shares->all_bytes());
        chosen.temporary_folder = temporary_folder(options);
        auto writer = WsdbWriter::create_unnamed(chosen, pool);
        if (!writer.ok()) return writer.status();
        auto read = fill(*std::move(inputs), *writer, options, *shares, pool, observer);
        if (!read.ok()) return read.status();
        const auto report = finish(*writer, options, *read);
        if (!report.ok()) return report.status();
        reports.push_back(*report);
        auto reader = writer->open_unnamed(options.output);
        if (!reader.ok()) return reader.status();
        whole = std::make_shared<const WsdbReader>(*std::move(reader));
        facts.origins = read->origins;
        facts.blast = read->blast;
    }
    if (whole->sequence_count() < parts) {
        return Status::invalid_input("cannot make " + std::to_string(parts) + " parts of " +
                                     std::to_string(whole->sequence_count()) +
                                     " sequences; each part needs at least one");
    }
    const std::vector<std::uint64_t> begins = cut_input(*whole, parts);
    const auto writing = observer.begin("writing", std::uint64_t{100} * parts);
    for (unsigned part = 0; part < parts; ++part) {
        WsdbWriterOptions chosen = writer_options(options, *writing);
        chosen.taxid_lists.clear();  // what the lists say is in the database already
        chosen.on_progress = [&](std::uint64_t done, std::uint64_t total) {
            writing->update(100 * part + (total == 0 ? 100 : done * 100 / total));
        };
        auto writer = WsdbWriter::create(part_of_output(options.output, part, parts), std::move(chosen), pool);
        if (!writer.ok()) return writer.status();
        InputFacts of_part;
        Progress silent;
        RecordReading reading;
        reading.limits = writer->limits();
        WARPSEQ_TRY(read_source(make_wsdb_source(whole, reading, pool, {begins[part], begins[part + 1], nullptr}),
                                *writer, silent, 0, of_part, options.stop));
        of_part.origins = facts.origins;
        of_part.blast = facts.blast;
        of_part.nucleotides = {};
        const auto report = finish(*writer, options, of_part);
        if (!report.ok()) return report.status();
        if (part == 0 && !reports.empty()) {
            reports.front().summary = report->summary;
        } else {
            reports.push_back(*report);
        }
    }
    return reports;
}

Result<WsdbReader> convert_to_unnamed(const std::filesystem::path& file, const ConvertOptions& options,
                                      const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    const auto shares = memory_shares(options, pool);
    if (!shares.ok()) return shares.status();
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing, shares->all_bytes()), pool);
    if (!writer.ok()) return writer.status();
    auto inputs = open_databases(options.inputs, options.selection);
    if (!inputs.ok()) return inputs.status();
    const auto facts = fill(*std::move(inputs), *writer, options, *shares, pool, observer);
    if (!facts.ok()) return facts.status();
    const auto report = finish(*writer, options, *facts);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(file);
}

Result<WsdbReader> convert_to_unnamed(ByteSource source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const std::string name = source.name();
    const auto report = convert(make_fasta_source(file, std::move(source), reading_of(options, writer->limits()), pool),
                                *writer, options, observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(name);
}

Result<WsdbReader> convert_to_unnamed(SequenceFileReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const auto report = convert(make_sequence_source(file, std::move(source), reading_of(options, writer->limits())),
                                *writer, options, observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(file == "-" ? std::filesystem::path("standard input") : file);
}

Result<WsdbReader> convert_to_unnamed(BlastDatabaseReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer) {
    const auto writing = observer.begin("writing", 100);
    auto writer = WsdbWriter::create_unnamed(writer_options(options, *writing), pool);
    if (!writer.ok()) return writer.status();
    const auto report = convert(make_blast_source(std::move(source), reading_of(options, writer->limits())), *writer,
                                options, observer);
    if (!report.ok()) return report.status();
    return writer->open_unnamed(file);
}

}  // namespace warpseq
