// Which sequences of the databases a search is restricted to: by lists of identifiers and of
// taxonomy IDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/option_set.h"
#include "apps/search/defline_choice.h"
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "formats/io/run_files.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// Sequences of a database by their places in its input, from 0.
struct RepeatedSequences {
    std::size_t database = 0;
    std::uint64_t first = 0, end = 0;
};

/// What a command line says of it.
struct TargetChoice {
    std::optional<SequenceList> sequences = {};
    std::optional<TaxonList> taxa = {};
    std::vector<std::pair<std::string, std::filesystem::path>> files = {};  // lists, with the options that name them
    // No option sets these: what a database shares with one before it, which is searched once; what
    // is known of the databases' taxonomy IDs; and whether nothing may be left to search.
    std::vector<RepeatedSequences> repeated = {};
    std::vector<TaxidsOfDatabase> taxids_of_databases = {};
    bool may_be_empty = false;

    /// Of headers as marked_header() has them, where the database has a section of taxonomy IDs.
    TaxidsOfDatabase taxids_of(const WsdbReader& reader, std::size_t database) const {
        TaxidsOfDatabase taxids =
            database < taxids_of_databases.size() ? taxids_of_databases[database] : TaxidsOfDatabase();
        taxids.are_in_lines = taxids.are_in_lines || reader.has_taxids();
        return taxids;
    }
    bool is_everything() const { return !sequences && !taxa && repeated.empty(); }
};

/// Adds --seqidlist and the like to the group "Targets".
void add_target_options(OptionSet& options);
/// Adds --taxids and the like alone.
void add_taxid_options(OptionSet& options, const std::string& group);
/// Reads them back; none where they are not defined.
Result<TargetChoice> read_target_options(const ParsedOptions& parsed);
void add_inputs(const TargetChoice& choice, RunFiles& files);

/// The same with all descendants of its taxa that the databases know of.
Result<std::optional<TaxonList>> with_descendants(const DatabaseSet& databases, const std::optional<TaxonList>& taxa);

/// What is chosen of each database, `lines` being read of the choice. An error where nothing is
/// left, or no taxonomy ID is found.
Result<std::vector<TargetMembers>> choose_targets(const DatabaseSet& databases, const TargetChoice& choice,
                                                  const DeflineChoice& lines, const ThreadPool& pool);

}  // namespace warpseq
