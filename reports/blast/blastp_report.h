// Writes blastp's hits as text, with one writer for each output format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_search.h"
#include "engines/blastp/blastp_settings.h"
#include "engines/targets/database_set.h"
#include "formats/io/run_files.h"
#include "formats/taxonomy/taxonomy.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "reports/blast/blast_defline.h"
#include "reports/blast/blastp_layout.h"
#include "reports/fields.h"

namespace warpseq {

/// Names that reports print for the program and for the databases that it searched.
struct BlastpNames {
    /// Facts about one of the databases.
    struct Database {
        std::string title;            // shown in the footer of format 0
        std::uint64_t taxid = 0;      // taxonomy ID of its sequences, or 0 if not known
        bool has_parsed_ids = false;  // whether identifiers precede titles (-parse_seqids, blast_defline.h)
        bool has_taxids = false;      // whether definition lines may end with their own taxonomy IDs (blast_defline.h)
        std::string date = {};        // when it was made, for the footer of format 0; empty if not known
        std::size_t place = 0;        // the footer lists databases in ascending order of this number
    };

    std::string version;    // the program's version: blastp_version(), or the text that a drop-in prints
    std::string databases;  // names of the databases as given, separated by blanks; not used by format 0
    std::string title;      // title of all databases together, for format 0
    /// Whether the targets are sequences given for this run (-subject) instead of databases. They
    /// are called "Subject_1" and so on, and have no titles in tables. XML names no database, and
    /// formats 13 to 16 list the sequences instead.
    bool are_subjects = false;
    /// The names of these sequences in the order of the input, from name_subjects(). Empty if they
    /// are called "Subject_1" and so on.
    std::vector<std::string> subjects = {};
    bool parses_queries = false;      // whether identifiers of queries are read from their headers (-parse_deflines)
    std::vector<Database> each = {};  // facts by index of database; if empty, the footer describes all as one
    /// Facts about the taxa of a database's sequences.
    struct Taxa {
        bool are_in_lines = false;  // whether headers come from marked_header() (engines/targets/headers.h)
        std::shared_ptr<const Taxonomy> tree = {};  // null if there is none
    };
    std::vector<Taxa> taxa = {};  // facts by index of database; empty if nothing is known

    /// Returns the facts about a database, or the default ones if none are known.
    const Database& of(std::size_t database) const {
        static const Database kUnknown;
        return database < each.size() ? each[database] : kUnknown;
    }
    /// Whether definition lines of a database may end with taxonomy IDs.
    bool has_taxids(std::size_t database) const {
        return of(database).has_taxids || (database < taxa.size() && taxa[database].are_in_lines);
    }
    /// Returns the taxonomy of a database, or null if there is none.
    const Taxonomy* tree(std::size_t database) const {
        return database < taxa.size() ? taxa[database].tree.get() : nullptr;
    }
};

/// Names that a report prints for a target. If definition lines are merged, one stands for all of
/// them: the first that has a GI, or the first one if none has.
struct TargetNames {
    std::string id;         // "sp|P12345|NAME"
    std::string accession;  // with its version; the same as `id` if identifiers are not parsed
    std::string bare_accession;
    std::string gi = "0";
    std::string title;  // title of the first definition line; may be empty
    std::string shown;  // text in the table of format 0
    /// The names of all definition lines. ';' separates them, and "<>" separates titles.
    std::string all_ids, all_accessions, all_gis = "0", all_titles;
    std::uint64_t taxid = 0;            // the first that is known, or 0 if none is
    std::vector<std::uint64_t> taxids;  // IDs of all definition lines, ascending, each once
    std::string all_taxids;             // the same as text, separated by ';'
    std::string heading;                // text above the alignments of format 0, with its line breaks
    /// The definition lines. If identifiers are not parsed there is one, without identifiers.
    std::vector<BlastDefline> lines;
    std::size_t best = 0;  // index of the line that stands for all
    std::string label;     // name in rows of formats 1 to 4
    std::string anchor;    // name that links within an HTML report refer to
    /// Number of bytes at the front of `shown` that are an identifier and the blank after it, or 0
    /// if identifiers are not parsed.
    std::size_t shown_id_bytes = 0;
};
/// Returns the names of a hit's target, whose stored header is `header`.
TargetNames name_target(const BlastpNames& names, const BlastpHit& hit, std::string_view header);

/// Returns the labels of sequences that were given for this run and whose identifiers are parsed,
/// for BlastpNames::subjects. Reads all headers.
Result<std::vector<std::string>> name_subjects(const DatabaseSet& databases, const ThreadPool& pool);

/// Names that a report prints for a query.
struct QueryNames {
    std::string id;              // "Query_1", or the label of its identifier
    std::string row_label;       // "Query_1", or the name in rows of formats 1 to 4
    std::string table_id;        // identifier in tables
    std::string accession;       // accession in tables, with its version
    std::string bare_accession;  // the same without its version
    std::string gi = "0";
    std::string title;  // "unnamed protein product" if the query has no title
    std::string shown;  // name and title in text reports; may be empty
};
/// Returns the names of the query with this header. `number` is its number in the file, from 1.
QueryNames name_query(const BlastpNames& names, std::string_view header, std::uint64_t number);

/// The description of a run. It must outlive the writer's calls.
struct BlastpRun {
    const DatabaseFacts& databases;
    const BlastpNames& names;
    const BlastpSettings& settings;
    const AlignmentStatistics& statistics;
    BlastpLayout layout = {};
    /// Position in each query where the requested range begins, from 0, and the length of that
    /// range, which may go beyond a query's end. Both are 0 if no range was requested.
    std::uint64_t query_begin = 0;
    std::uint64_t query_residues = 0;
    std::uint64_t target_begin = 0;  // position in each target where the searched part begins, from 0
};

/// A query with its hits, and the numbers that the report prints about both.
struct BlastpResult {
    const BlastpQuery& query;
    std::uint64_t number;                  // the query's number in its file, from 1
    std::uint64_t whole_residues;          // length of the whole query, even if only a range of it was used
    std::uint64_t effective_search_space;  // 0 if the query could not be searched
    std::uint64_t length_adjustment;       // 0 if the query could not be searched
    std::span<const BlastpHit> hits;
    std::span<const std::string> headers;  // headers of the hits' sequences, if the writer needs them
};

/// A writer of blastp reports. begin() is called first, then add() for each query, then end().
class BlastpReport {
   public:
    virtual ~BlastpReport() = default;
    /// Each call appends to `out`. add() may also write files of its own.
    virtual void begin(const BlastpRun& run, std::string& out) = 0;
    virtual Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) = 0;
    virtual void end(const BlastpRun& run, std::string& out) = 0;
    /// Adds to `files` the existing files that add() may replace. Only formats 13 and 14 have such
    /// files.
    virtual void add_outputs(RunFiles& files) const { static_cast<void>(files); }
    /// Whether the report needs BlastpNames::subjects.
    virtual bool lists_subjects() const { return false; }
    /// Whether the report names taxa and so needs BlastpNames::Taxa::tree.
    virtual bool names_taxa() const { return false; }
};

/// Returns the writer of a format: "0" to "5", "13" to "16", or "6", "7" and "10", which field
/// names may follow. Any other text is a usage error that lists the formats. `output_file` is the
/// report's file, or nothing for standard output. Formats 13 and 14 write a file for each query and
/// name these files after `output_file`, so they need an ordinary file there; otherwise the result
/// is a usage error. `existing` says how they treat files that exist already. `header` asks for a
/// first row with the names of the columns, which 6 and 10 can have. Fields are quoted only then,
/// since NCBI's blastp does not quote them.
Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt,
                                                         const std::optional<std::filesystem::path>& output_file,
                                                         ExistingFile existing = ExistingFile::kReplace,
                                                         bool header = false);

/// The alignments that formats 0 to 4 show below the table of hits.
enum class BlastpView {
    kPairwise,            // 0: each alignment by itself
    kAnchoredIdentities,  // 1: all below the query, with points for equal letters and extra lines for insertions
    kAnchored,            // 2: as 1, with all letters
    kFlatIdentities,      // 3: as 1, but insertions have columns of their own
    kFlat                 // 4: as 3, with all letters
};
std::unique_ptr<BlastpReport> make_blastp_text_report(BlastpView view);
/// Returns the writer of formats 6, 7 and 10. `fields` is a text for parse_blastp_fields(), which
/// may name another separator than that of `layout`.
Result<std::unique_ptr<BlastpReport>> make_blastp_table(std::string_view fields, TableLayout layout);
std::unique_ptr<BlastpReport> make_blastp_xml_report();

/// The notation of formats 13 to 16.
enum class BlastpNotation { kJson, kXml };
std::unique_ptr<BlastpReport> make_blastp_documents(BlastpNotation notation);
/// Returns the writer of formats 13 and 14. It writes a file for each query. The report itself,
/// which the caller writes to the file `list`, lists these files.
std::unique_ptr<BlastpReport> make_blastp_document_files(BlastpNotation notation, const std::filesystem::path& list,
                                                         ExistingFile existing);

}  // namespace warpseq
