#include "engines/targets/share.h"

#include <algorithm>

namespace warpseq {

TargetShare whole_share(const DatabaseSet& databases) {
    TargetShare share;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const std::uint64_t tiles = databases.reader(d).tile_count();
        if (tiles != 0) share.push_back({static_cast<std::uint32_t>(d), 0, tiles});
    }
    return share;
}

TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::uint64_t parts) {
    constexpr std::uint64_t kPiecesPerPart = 16;
    const std::uint64_t piece_residues = std::max<std::uint64_t>(databases.residue_count() / parts / kPiecesPerPart, 1);
    TargetShare share;
    std::uint64_t pieces = 0;  // of all databases, so that small ones do not all go to the first part
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        std::uint64_t residues = 0;
        bool is_ours = false;
        for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
            if (tile == 0 || (residues >= piece_residues && reader.block_start(tile) == tile)) {
                // Forth and back, so that nobody has the longest of each round.
                const std::uint64_t round = pieces / parts, turn = pieces % parts;
                is_ours = (round % 2 == 0 ? turn : parts - 1 - turn) == part;
                if (is_ours) share.push_back({static_cast<std::uint32_t>(d), tile, 0});
                ++pieces;
                residues = 0;
            }
            residues += reader.tile_residues(tile);
            if (is_ours) ++share.back().tile_count;
        }
    }
    return share;
}

std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases) {
    std::uint64_t residues = 0;
    for (const TileRange& range : share) {
        for (std::uint64_t tile = range.first_tile; tile < range.first_tile + range.tile_count; ++tile)
            residues += databases.reader(range.database).tile_residues(tile);
    }
    return residues;
}

}  // namespace warpseq
