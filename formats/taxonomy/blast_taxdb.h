// Reads BLAST's taxdb, which has the names of taxa. NCBI distributes it as two files. Numbers are
// big-endian.
//
//   taxdb.bti, the index:
//     u32           0x8739.
//     u32           the number of taxa, n.
//     u32 [4]       reserved.
//     u32, u32      a taxonomy ID, and the offset of its names in taxdb.btd. This repeats for each
//                   taxon, in ascending order of the IDs.
//   taxdb.btd, the names of a taxon up to those of the next one:
//     text          scientific name, common name, BLAST name and kingdom, with tabs between them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/mapped_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The names of a taxon. The taxdb has "-" for a BLAST name or a kingdom that a taxon does not
/// have.
struct TaxdbNames {
    std::string scientific = {}, common = {}, blast = {}, kingdom = {};
};

/// The names of taxa in a taxdb. Thread-safe.
class BlastTaxdb {
   public:
    /// Opens the taxdb in `folder`. Returns an error, with the message of NCBI's programs, if the
    /// index is damaged. Returns a taxdb without taxa if a file is missing or cannot be read, or if
    /// the index ends before the first taxon.
    static Result<BlastTaxdb> open(const std::filesystem::path& folder);

    /// Returns the names of a taxon, or nothing if the taxdb does not have it. All names are empty
    /// if one of them is missing.
    std::optional<TaxdbNames> find(std::int64_t taxid) const;

   private:
    BlastTaxdb() = default;
    std::uint32_t number(std::size_t place) const;

    MappedFile index_, names_;
    std::size_t taxa_ = 0;
};

}  // namespace warpseq
