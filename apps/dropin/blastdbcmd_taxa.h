// The names of taxa that `blastdbcmd` prints, and the list of -tax_info.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/dropin/blastdbcmd_source.h"
#include "formats/io/output_sink.h"
#include "formats/taxonomy/blast_taxdb.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq::blastdbcmd {

/// The names of taxa in BLAST's taxdb, which is looked for in the folders of
/// database_search_path(), and in the databases. Not thread-safe.
class TaxonLookup {
   public:
    /// `sources` must outlive this object.
    explicit TaxonLookup(const std::vector<std::unique_ptr<Source>>& sources) : sources_(&sources) {}

    /// Opens the taxdb and the taxonomies of the databases, unless they are open. Prints why a
    /// taxdb cannot be used.
    void open();
    /// Returns the names of a taxon, or nothing if they are not known. The taxdb comes first. Opens
    /// what is not open.
    std::optional<TaxdbNames> find(std::int64_t taxid);

   private:
    const std::vector<std::unique_ptr<Source>>* sources_;
    bool is_open_ = false;
    std::optional<BlastTaxdb> taxdb_;
    std::vector<std::shared_ptr<const Taxonomy>> taxonomies_;
};

/// Prints a line for each taxon of the databases, in the format of -outfmt. Returns the exit
/// status.
int print_taxa(const std::vector<std::unique_ptr<Source>>& sources, const std::string& format, OutputSink& output);

/// The message that databases of version 4 have no list of taxa.
inline constexpr const char* kNoTaxa = "Taxonomy list is not supported in v4 BLAST db";

/// Whether the first database is of version 4.
bool are_of_version_4(const std::vector<std::unique_ptr<Source>>& sources);

}  // namespace warpseq::blastdbcmd
