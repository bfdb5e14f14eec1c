// Whole sequences out of a damaged database.
//
// Nothing is handed out that its tile's checksum does not prove: residues are copied, hashed, and
// held against the checksum of their tile, whose words tell every length, too. What an index says
// is a proposal; where it fails, what its neighbours say is tried. A header belongs to a sequence
// where the checksum of its block is right and two numbers of the index agree on its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/position_set.h"
#include "libcore/base/status.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Consecutive sequences that were lost, or whose headers were, for one reason.
struct WsdbLoss {
    bool names_alone = false;  // the sequences were handed out under names that were made up
    std::uint64_t first_rank = 0, sequences = 0;
    std::uint64_t residues = 0;  // of lost sequences, as far as their lengths are known
    std::string why;
};

struct WsdbSalvage {
    static constexpr std::size_t kMostLosses = 1000;

    std::uint64_t sequences = 0;  // in the database, as its header says
    std::uint64_t saved_sequences = 0, saved_residues = 0;
    std::uint64_t lost_sequences = 0, lost_residues = 0;
    std::uint64_t lost_names = 0;
    /// The bytes of the file that the system did not read: their number, the offset of the first
    /// one, and the system's words. Zeros stood for them. Some of them may have been tried, and
    /// counted, twice.
    std::uint64_t unreadable_bytes = 0, first_unreadable_byte = 0;
    std::string why_unreadable;
    std::string header_damage;     // of the file; empty: none
    bool header_is_lost = false;   // it could not be put right, so that nobody knows what else is lost
    std::vector<WsdbLoss> losses;  // by rank; those beyond kMostLosses are counted above alone
    bool is_whole() const { return lost_sequences == 0 && lost_names == 0 && !header_is_lost; }
};

/// Gets each sequence in the order of the database, longest first, and its header,
/// "salvaged_rank_N" where it is lost.
using SalvageUse = std::function<Status(std::string_view header, std::span<const ResidueCode> residues)>;

/// Reads the file once, with one thread. Memory: a tile or block, one of headers, and 8 bytes for
/// each block of headers. Errors are those of use(), of the system, and of a file of which not even
/// the header is there. Where `removed` is not null its ranks are passed over, as if the database
/// did not have them.
Result<WsdbSalvage> salvage_wsdb(const std::filesystem::path& file, const SalvageUse& use,
                                 const PositionSet* removed = nullptr);

}  // namespace warpseq
