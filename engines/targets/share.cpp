#include "engines/targets/share.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

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
    struct Piece {
        TileRange range;
        std::uint64_t residues;
    };
    std::vector<Piece> pieces;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
            if (tile == 0 || (pieces.back().residues >= piece_residues && reader.block_start(tile) == tile))
                pieces.push_back({{static_cast<std::uint32_t>(d), tile, 0}, 0});
            ++pieces.back().range.tile_count;
            pieces.back().residues += reader.tile_residues(tile);
        }
    }
    // The largest first, each to who has least.
    std::ranges::stable_sort(pieces, std::ranges::greater(), &Piece::residues);
    using Load = std::pair<std::uint64_t, std::uint64_t>;  // residues, part
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (std::uint64_t p = 0; p < parts; ++p) loads.emplace(0, p);
    TargetShare share;
    for (const Piece& piece : pieces) {
        const auto [residues, least] = loads.top();
        loads.pop();
        loads.emplace(residues + piece.residues, least);
        if (least == part) share.push_back(piece.range);
    }
    std::ranges::sort(share, {}, [](const TileRange& range) { return std::pair(range.database, range.first_tile); });
    return share;
}

std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases) {
    std::uint64_t residues = 0;
    for (const TileRange& range : share) {
        const WsdbReader& reader = databases.reader(range.database);
        if (range.tile_count == reader.tile_count()) {  // all of it: no need to look at each tile
            residues += reader.residue_count();
            continue;
        }
        for (std::uint64_t tile = range.first_tile; tile < range.first_tile + range.tile_count; ++tile)
            residues += reader.tile_residues(tile);
    }
    return residues;
}

}  // namespace warpseq
