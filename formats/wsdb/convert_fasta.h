// Converts sequences to a database, from the first record to the finished file. The input is FASTA,
// another file of sequences, a BLAST database, or databases.
//
// formats/wsdb: warpseq's own databases and sets of them: layout, reading, writing, conversion,
// validation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/fasta/fasta.h"
#include "formats/fasta/record_selection.h"
#include "formats/io/run_files.h"
#include "formats/sequences/sequence_file.h"
#include "formats/wsdb/wsdb_provenance.h"
#include "formats/wsdb/wsdb_set_mark.h"
#include "formats/wsdb/wsdb_writer.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class BlastDatabaseWriter;

struct ConvertOptions {
    /// The input files, whose sequences follow each other in this order: FASTA ("-" is standard
    /// input), databases and sets, which are told apart by their first bytes. A BLAST database
    /// (formats/blast/blast_database.h) must be the only input.
    std::vector<std::filesystem::path> inputs;
    std::filesystem::path output;            // must be none of the inputs, which is checked
    std::filesystem::path temporary_folder;  // empty: beside the output
    ResidueCodec codec = ResidueCodec::kPacked;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    unsigned threads = ThreadPool::hardware_threads();
    bool replace = false;  // whether an existing output is replaced
    /// The files that the output is a copy of, as they were before the conversion. Empty unless the
    /// output is kept as the copy of its input. The list is part of the output, so copies of
    /// different files with the same content have different bytes.
    std::vector<CopiedFile> copied_files = {};
    FastaOptions reading = {};  // for FASTA; its members about invalid records are ignored
    bool skip_invalid = false;  // leave invalid records out instead of refusing the file
    /// Called for every record that skip_invalid leaves out. Calls come from one thread at a time,
    /// though not always the same one.
    std::function<void(const std::string&)> on_invalid_record;
    /// Called if most sequences look like nucleotides. `found` is a clause that says this, such as
    /// "3 of 4 sequences look like nucleotides". An error that it returns ends the conversion.
    std::function<Status(const std::string& found)> on_nucleotides;
    /// The callback for duplicate identifiers, as in WsdbWriterOptions::on_duplicates.
    std::function<Status(const std::string& example)> on_duplicates = {};
    /// Whether only the first of identical sequences is kept, with the headers of all. The headers
    /// are joined by Ctrl-A, in input order.
    bool unique = false;
    // The sources of the taxa of sequences: lists of accessions
    // (formats/taxonomy/accession_taxids.h), and a folder with NCBI's names.dmp and nodes.dmp. Both
    // take precedence over what the inputs say. A member that is empty names no source.
    std::vector<std::filesystem::path> taxid_lists = {};
    std::filesystem::path taxonomy_folder = {};
    const RecordSelection* selection = nullptr;  // the sequences to convert; null: all. It outlives the conversion
    /// The title and the release of the database (formats/wsdb/database_labels.h). If one is not
    /// set, it is taken from the only input if that is a database or a set. With any other input it
    /// stays empty.
    std::optional<std::string> title = {}, release = {};
    /// `set_mark` is the mark of a volume of a set. It is part of the provenance, and the
    /// unfinished file begins with it. `uncommitted` is the variable that receives the finished
    /// file, which has no name yet, as in WsdbWriterOptions.
    std::optional<WsdbSetMark> set_mark = {};
    std::optional<AtomicFile>* uncommitted = nullptr;
    /// Called with every record before it is added. It may change the record. An error ends the
    /// conversion.
    std::function<Status(FastaRecord& record)> on_record = {};
    /// A BLAST database that is written beside the output; null: none. It receives every record and
    /// is finished before the output appears. The output is then the same as if it had been
    /// converted from this BLAST database. FASTA must be read as BlastDatabaseWriter::set_reading()
    /// demands.
    BlastDatabaseWriter* blast_database = nullptr;
    /// Ends the conversion soon with Status::interrupted() once a stop is requested. No output
    /// appears then.
    std::stop_token stop = {};
};

struct ConvertReport {
    WsdbSummary summary;
    FastaCounts counts;
    std::uint64_t merged_sequences = 0;  // sequences that were merged into an identical earlier one
};

/// The names by which messages call the files of a conversion.
struct ConversionNames {
    std::string input = "an input", output = "the output", taxid_list = "a list of taxonomy IDs",
                taxonomy = "the taxonomy";
};
/// Adds to `files` all files that a conversion reads, including those of BLAST databases and sets,
/// and all files that it writes. `parts` is the number of databases that it writes. With 0 parts it
/// adds no output.
void add_conversion_files(const ConvertOptions& options, unsigned parts, const ConversionNames& names, RunFiles& files);

/// Converts the inputs to one database. The same inputs and options give the same bytes with any
/// number of threads and any amount of memory. Returns a usage error if the output is one of the
/// files that are read, under any name.
Result<ConvertReport> convert_fasta(const ConvertOptions& options, Observer& observer);

/// Converts the inputs to several databases that hold the sequences one after the other, with about
/// as many residues each. A search of all parts in their order finds the same as a search of one
/// database. Returns the report of each part. Counts that concern the input are in the first
/// report. The parts appear one by one.
Result<std::vector<ConvertReport>> convert_in_parts(const ConvertOptions& options, unsigned parts, Observer& observer);
/// Returns the file name of a part, counted from 0: "OUT.part01of12.wsdb" is part 0 of 12 of
/// "OUT.wsdb".
std::filesystem::path part_of_output(const std::filesystem::path& output, unsigned part, unsigned parts);

/// Converts all inputs to a database without a name, which messages call `file`.
Result<WsdbReader> convert_to_unnamed(const std::filesystem::path& file, const ConvertOptions& options,
                                      const ThreadPool& pool, Observer& observer);

/// Converts one input that is open already, `file`, to a database without a name
/// (WsdbWriter::create_unnamed), with the threads of `pool`. In messages the database has the name
/// of the input. Ignores the inputs, the output and the threads of `options`, and all members about
/// the output file.
Result<WsdbReader> convert_to_unnamed(ByteSource source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer);

/// Converts a file of sequences in any format in the same way. Headers hold HMMER's titles
/// (make_sequence_source()).
Result<WsdbReader> convert_to_unnamed(SequenceFileReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer);

/// Converts a BLAST database in the same way.
Result<WsdbReader> convert_to_unnamed(BlastDatabaseReader source, const std::filesystem::path& file,
                                      const ConvertOptions& options, const ThreadPool& pool, Observer& observer);

}  // namespace warpseq
