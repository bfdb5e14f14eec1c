// The file that -taxid_map of `makeblastdb` names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "formats/blast/blast_seqid.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Taxonomy IDs by identifiers, read from a file. A line has an identifier and a taxonomy ID, with
/// a blank or a tab between them. Other lines are ignored, as in BLAST+. If several lines name the
/// same sequence, the last one counts.
class TaxidMap {
   public:
    /// Reads a file. Returns an error, with makeblastdb's message, if a taxonomy ID is not a valid
    /// number.
    static Result<TaxidMap> read(const std::string& file);
    /// Returns the taxonomy ID of the first known identifier of a definition line, or 0 if none is
    /// known.
    std::uint32_t find(std::span<const BlastSeqId> ids);
    /// Whether the map names sequences, but none was looked up with success.
    bool is_in_vain() const { return !taxids_.empty() && !has_found_; }

   private:
    std::unordered_map<std::string, std::uint32_t> taxids_;
    bool has_found_ = false;
};

}  // namespace warpseq
