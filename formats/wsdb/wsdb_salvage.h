// Saves whole sequences from a damaged database.
//
// No sequence is handed out unless its tile's checksum proves it. Residues are copied, hashed and
// compared with the checksum of their tile. The words of a tile also show the length of each
// sequence. An entry of an index is only a proposal for a place. If it fails, the places that its
// neighbours imply are tried. A header belongs to a sequence if the checksum of its block is right
// and its place is certain: two numbers of the index agree on it, or the checksum of the index
// proves it.
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

/// A run of consecutive sequences that were lost, or whose headers were lost, for one reason.
struct WsdbLoss {
    bool names_alone = false;  // only headers were lost; the sequences were handed out under made-up names
    std::uint64_t first_rank = 0, sequences = 0;
    std::uint64_t residues = 0;  // residues of lost sequences, as far as their lengths are known
    std::string why;
};

struct WsdbSalvage {
    static constexpr std::size_t kMostLosses = 1000;

    std::uint64_t sequences = 0;  // in the database, as its header says
    std::uint64_t saved_sequences = 0, saved_residues = 0;
    std::uint64_t lost_sequences = 0, lost_residues = 0;
    std::uint64_t lost_names = 0;
    /// The bytes of the file that the system could not read: their number, the offset of the first
    /// one, and the system's error text. Zeros were used in their place. A byte that was tried
    /// twice may be counted twice.
    std::uint64_t unreadable_bytes = 0, first_unreadable_byte = 0;
    std::string why_unreadable;
    std::string header_damage;     // what was wrong with the file's header; empty: nothing
    bool header_is_lost = false;   // it could not be repaired, so it is not known how much else is lost
    std::vector<WsdbLoss> losses;  // by rank; those beyond kMostLosses are only counted above
    bool is_whole() const { return lost_sequences == 0 && lost_names == 0 && !header_is_lost; }
};

/// Called with each saved sequence in the order of the database, longest first, and its header. A
/// lost header is replaced by "salvaged_rank_N".
using SalvageUse = std::function<Status(std::string_view header, std::span<const ResidueCode> residues)>;

/// Saves the sequences of a file. Reads it once, with one thread. Ranks in `removed`, if it is not
/// null, are skipped as if the database did not have them. Errors are those of use(), of the
/// system, and of a file that has lost even its header. Memory: one tile or block of residues, one
/// block of headers, and 8 bytes for each block of headers.
Result<WsdbSalvage> salvage_wsdb(const std::filesystem::path& file, const SalvageUse& use,
                                 const PositionSet* removed = nullptr);

}  // namespace warpseq
