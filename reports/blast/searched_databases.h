// Names the databases of a blastp search, and the sequences that it found in them, for reports.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/blastp/blastp_engine.h"
#include "engines/targets/database_set.h"
#include "libcore/base/status.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// Returns the names for a search of these files by warpseq itself.
BlastpNames names_of_files(const std::vector<std::filesystem::path>& files);

/// Names the databases by their own titles. Databases that came from BLAST's keep what those said
/// about themselves.
void name_databases(const DatabaseSet& databases, BlastpNames& names);

/// Reads what the databases' sections say about taxa. The tree is read only if names are wanted.
Status find_taxa(const DatabaseFacts& databases, bool with_names, BlastpNames& names);

/// Returns the definition lines of a hit's header that a report shows.
using ShownLines = std::function<std::string(const BlastpHit& hit, std::string_view header)>;

/// Turns the headers that the engine has read into those that reports take: with marks of the taxa
/// that are in the databases' sections (marked_header()), and with the shown lines alone. If
/// `shown_lines` is empty, all lines are shown. If `are_joined`, hits with the same sequence of
/// several databases are joined (join_targets()).
void prepare_headers(const DatabaseSet& databases, const BlastpNames& names, const ShownLines& shown_lines,
                     bool are_joined, BlastpQueryResult& result);

}  // namespace warpseq
