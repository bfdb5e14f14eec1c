// How blastp's hits become text. One writer per output format.
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

namespace warpseq {

/// What reports call the program and what it searched.
struct BlastpNames {
    /// What is known of one of the databases.
    struct Database {
        std::string title;            // in the footer of format 0
        std::uint64_t taxid = 0;      // of its sequences; 0: not known
        bool has_parsed_ids = false;  // made with -parse_seqids: titles begin behind identifiers (blast_defline.h)
        bool has_taxids = false;      // definition lines may end with their own (blast_defline.h)
        std::string date = {};        // when it was made, in the footer of format 0; empty: not known
        std::size_t place = 0;        // among those of the footer, which are in the order of their places
    };

    std::string version;    // of the program: blastp_version(), or what a drop-in says
    std::string databases;  // as given, separated by blanks: in all formats but 0
    std::string title;      // of the databases, in format 0
    /// What is searched is no database but sequences given for this run (-subject): "Subject_1" and
    /// so on, without titles in tables; XML has no database, and formats 13 to 16 list the
    /// sequences instead.
    bool are_subjects = false;
    /// That list, in the order of the input, where it is not of "Subject_1" and so on:
    /// name_subjects().
    std::vector<std::string> subjects = {};
    bool parses_queries = false;      // identifiers of queries are read from their headers (-parse_deflines)
    std::vector<Database> each = {};  // none: nothing is known, and the footer speaks of all as one
    /// What is known of the taxa of a database's sequences besides.
    struct Taxa {
        bool are_in_lines = false;  // headers are as marked_header() has them (engines/targets/headers.h)
        std::shared_ptr<const Taxonomy> tree = {};  // null: none is known
    };
    std::vector<Taxa> taxa = {};  // of each database; none: nothing is

    const Database& of(std::size_t database) const {
        static const Database kUnknown;
        return database < each.size() ? each[database] : kUnknown;
    }
    /// Whether definition lines may end with taxonomy IDs.
    bool has_taxids(std::size_t database) const {
        return of(database).has_taxids || (database < taxa.size() && taxa[database].are_in_lines);
    }
    const Taxonomy* tree(std::size_t database) const {
        return database < taxa.size() ? taxa[database].tree.get() : nullptr;
    }
};

/// What a report calls a target. Of merged definition lines one stands for all: the first that has
/// a GI, else the first.
struct TargetNames {
    std::string id;         // "sp|P12345|NAME"
    std::string accession;  // with its version; the same where identifiers are not parsed
    std::string bare_accession;
    std::string gi = "0";
    std::string title;  // of the first definition line; may be empty
    std::string shown;  // in the table of format 0
    /// Of all definition lines, as tables separate them.
    std::string all_ids, all_accessions, all_gis = "0", all_titles;
    std::uint64_t taxid = 0;            // the first that is known; 0: none is
    std::vector<std::uint64_t> taxids;  // of all definition lines, ascending, each once
    std::string all_taxids;             // likewise, as tables have them
    std::string heading;                // above the alignments of format 0, with its line breaks
    /// Each definition line; one without identifiers where they are not parsed.
    std::vector<BlastDefline> lines;
    std::size_t best = 0;  // the one that stands for all
    std::string label;     // of rows in formats 1 to 4
    std::string anchor;    // in HTML, what links within the report name
    /// HTML's `shown` begins with that many bytes of an identifier, which is a link where it is one
    /// of a public database.
    std::size_t shown_id_bytes = 0;
    bool is_public_id = false;
};
TargetNames name_target(const BlastpNames& names, const BlastpHit& hit, std::string_view header);

/// The labels of sequences given for this run whose identifiers are parsed, for
/// BlastpNames::subjects. Reads all headers.
Result<std::vector<std::string>> name_subjects(const DatabaseSet& databases, const ThreadPool& pool);

/// What a report calls a query.
struct QueryNames {
    std::string id;         // "Query_1", or the label of its identifier
    std::string row_label;  // "Query_1", or what rows of formats 1 to 4 call it
    std::string table_id;   // in tables; the accessions likewise
    std::string accession;  // with its version
    std::string bare_accession;
    std::string gi = "0";
    std::string title;  // "unnamed protein product" where there is none
    std::string shown;  // in text; may be empty
};
QueryNames name_query(const BlastpNames& names, std::string_view header, std::uint64_t number);

/// What a run is about; outlives the writer's calls.
struct BlastpRun {
    const DatabaseSet& databases;
    const BlastpNames& names;
    const BlastpSettings& settings;
    const AlignmentStatistics& statistics;
    BlastpLayout layout = {};
    std::uint64_t query_begin = 0;     // residues of each query before those that were searched with
    std::uint64_t query_residues = 0;  // of the range that was asked for, which may go beyond a query; 0: no range
    std::uint64_t target_begin = 0;    // residues of each target before those that were searched
};

/// A query with its hits and what the report says about both.
struct BlastpResult {
    const BlastpQuery& query;
    std::uint64_t number;                  // of the query in its file, from 1
    std::uint64_t whole_residues;          // of the query, though only a range of it was searched with
    std::uint64_t effective_search_space;  // 0: the query could not be searched
    std::uint64_t length_adjustment;       // likewise
    std::span<const BlastpHit> hits;
    std::span<const std::string> headers;  // of the hits' sequences, if the writer needs them
};

class BlastpReport {
   public:
    virtual ~BlastpReport() = default;
    /// Each appends to `out`; add() may write files of its own besides.
    virtual void begin(const BlastpRun& run, std::string& out) = 0;
    virtual Status add(const BlastpRun& run, const BlastpResult& result, std::string& out) = 0;
    virtual void end(const BlastpRun& run, std::string& out) = 0;
    /// Adds the files of its own that are there already and that add() may replace.
    virtual void add_outputs(RunFiles& files) const { static_cast<void>(files); }
    /// Whether it needs BlastpNames::subjects.
    virtual bool lists_subjects() const { return false; }
    /// Whether it names taxa, and needs BlastpNames::Taxa::tree.
    virtual bool names_taxa() const { return false; }
};

/// "0" to "5", "13" to "16"; "6", "7" and "10", which field names may follow. Anything else is a
/// usage error that lists them. `output_file` is where the report goes, nothing for standard
/// output: 13 and 14 name their files after it. `existing` is what becomes of those that exist.
Result<std::unique_ptr<BlastpReport>> make_blastp_report(std::string_view outfmt,
                                                         const std::optional<std::filesystem::path>& output_file,
                                                         ExistingFile existing = ExistingFile::kReplace);

/// What formats 0 to 4 show below the table of hits.
enum class BlastpView {
    kPairwise,            // 0: each alignment by itself
    kAnchoredIdentities,  // 1: all below the query, letters equal to its as points; insertions in lines of their own
    kAnchored,            // 2: likewise, all letters
    kFlatIdentities,      // 3: as 1, but insertions in columns of their own
    kFlat                 // 4: likewise, all letters
};
std::unique_ptr<BlastpReport> make_blastp_text_report(BlastpView view);
/// `fields` are as parse_blastp_fields() takes them, which may name another separator.
Result<std::unique_ptr<BlastpReport>> make_blastp_table(std::string_view fields, std::string_view separator,
                                                        bool comments);
std::unique_ptr<BlastpReport> make_blastp_xml_report();

enum class BlastpNotation { kJson, kXml };
std::unique_ptr<BlastpReport> make_blastp_documents(BlastpNotation notation);
std::unique_ptr<BlastpReport> make_blastp_document_files(BlastpNotation notation, const std::filesystem::path& list,
                                                         ExistingFile existing);

}  // namespace warpseq
