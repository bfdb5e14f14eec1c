// Sequences to a database, from the first record to the finished file: of FASTA, of a BLAST
// database, of databases.
//
// formats/wsdb: warpseq's own databases and sets of them: layout, reading, writing, conversion,
// validation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/fasta/fasta.h"
#include "formats/fasta/record_selection.h"
#include "formats/io/run_files.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_set_mark.h"
#include "formats/wsdb/wsdb_writer.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class BlastDatabaseWriter;

struct ConvertOptions {
    /// FASTA, "-" is standard input, databases and sets, told apart by their first bytes; or one
    /// BLAST database (formats/blast/blast_database.h). They follow each other.
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path output;            // none of the inputs, which is checked
    std::filesystem::path temporary_folder;  // empty: beside the output
    ResidueCodec codec = ResidueCodec::kPacked;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    unsigned threads = ThreadPool::hardware_threads();
    bool replace = false;  // an existing output
    /// The files that the output is a copy of, as they were before the conversion. The list is
    /// filled where the output is kept as the copy of its input, with all that is in it. It is part
    /// of the output, whose bytes then differ from file to file of the same content.
    std::vector<CopiedFile> copied_files = {};
    FastaOptions reading = {};  // of FASTA, but for invalid records
    bool skip_invalid = false;  // leave bad records out instead of refusing the file
    /// Called for every record that skip_invalid leaves out, by one thread at a time, though not
    /// always the same one.
    std::function<void(const std::string&)> on_invalid_record;
    /// Called where most sequences look like nucleotides, with a clause that says so; an error
    /// refuses them.
    std::function<Status(const std::string& found)> on_nucleotides;
    /// Called as WsdbWriterOptions::on_duplicates is.
    std::function<Status(const std::string& example)> on_duplicates = {};
    /// Whether only the first of identical sequences is kept, with the headers of all. The headers
    /// are joined by Ctrl-A, in input order.
    bool unique = false;
    // Sources of the taxa of sequences: lists of accessions (formats/taxonomy/accession_taxids.h),
    // and a folder with NCBI's names.dmp and nodes.dmp. Both go before what the inputs say. Empty:
    // none.
    std::vector<std::filesystem::path> taxid_lists = {};
    std::filesystem::path taxonomy_folder = {};
    const RecordSelection* selection = nullptr;  // of the sequences; null: all. It outlives the conversion
    /// The names of the database (formats/wsdb/database_labels.h). None: those of the input where
    /// it is the only one and a database or a set; nothing otherwise.
    std::optional<std::string> title = {}, release = {};
    /// The mark of a volume of a set, and the place that gets the finished file, as in
    /// WsdbWriterOptions. That file has no name yet.
    std::optional<WsdbSetMark> set_mark = {};
    std::optional<AtomicFile>* uncommitted = nullptr;
    /// Called for every record before it is added, which it may change; an error ends the
    /// conversion.
    std::function<Status(FastaRecord& record)> on_record = {};
    /// Gets every record, of FASTA that is read as its add() needs it, and is finished before the
    /// output appears, which then is the same as if it had been converted from this BLAST database.
    /// Null: none.
    BlastDatabaseWriter* blast_database = nullptr;
};

struct ConvertReport {
    WsdbSummary summary;
    FastaCounts counts;
    std::uint64_t merged_sequences = 0;  // into an earlier one that is identical
};

/// The names by which messages call the files of a conversion.
struct ConversionNames {
    std::string input = "an input", output = "the output", taxid_list = "a list of taxonomy IDs",
                taxonomy = "the taxonomy";
};
/// Adds all files that a conversion reads, those of BLAST databases and sets among them, and those
/// that it writes: none for 0 parts.
void add_conversion_files(const ConvertOptions& options, unsigned parts, const ConversionNames& names, RunFiles& files);

/// The same input and options make the same bytes, whatever the threads and the memory. A usage
/// error where the output is one of the files that are read, by whatever name.
Result<ConvertReport> convert_fasta(const ConvertOptions& options, Observer& observer);

/// The same into several databases that hold the sequences one after the other: about as many
/// residues each, so that those who search them together, in their order, find what they find in
/// one. The report of each; what was noticed of the input is in the first. They appear one by one.
Result<std::vector<ConvertReport>> convert_in_parts(const ConvertOptions& options, unsigned parts, Observer& observer);
/// "OUT.part01of12.wsdb" of "OUT.wsdb", part 0 of 12.
std::filesystem::path part_of_output(const std::filesystem::path& output, unsigned part, unsigned parts);

/// All inputs into a database without a name, which messages call `file`.
Result<WsdbReader> convert_to_unnamed(const std::filesystem::path& file, const ConvertOptions& options,
                                      const ThreadPool& pool, Observer& observer);

/// The same of one input that is open already, `file`, into a database without a name
/// (WsdbWriter::create_unnamed), by the threads of `pool`. Messages call it as they call the input.
/// The inputs, output and threads of `options` say nothing, nor does what is to become of the
/// output.
Result<WsdbReader> convert_to_unnamed(ByteSource source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer);

/// The same of a BLAST database.
Result<WsdbReader> convert_to_unnamed(BlastDatabaseReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer);

}  // namespace warpseq
