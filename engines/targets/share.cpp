#include "engines/targets/share.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "engines/targets/tile_cuts.h"

namespace warpseq {
namespace {

/// Returns the residues of those tiles of a range that are read: tiles with a searched sequence.
std::uint64_t read_residues(const DatabaseSet& databases, const TileRange& range) {
    const WsdbReader& reader = databases.reader(range.database);
    if (databases.searched(range.database) == nullptr) return reader.residues_of(range.first_tile, range.tile_count);
    std::uint64_t residues = 0;
    for (std::uint64_t tile = range.first_tile; tile < range.first_tile + range.tile_count; ++tile) {
        if (databases.is_tile_searched(range.database, tile)) residues += reader.tile_residues(tile);
    }
    return residues;
}

struct Piece {
    TileRange range;
    std::uint64_t residues;
};

/// Adds the pieces of a database. A piece has whole blocks and at least so many residues that are
/// read, except for the last one.
void cut_pieces(const DatabaseSet& databases, std::size_t database, std::uint64_t piece_residues,
                std::vector<Piece>& pieces) {
    const WsdbReader& reader = databases.reader(database);
    const auto number = static_cast<std::uint32_t>(database);
    if (databases.searched(database) != nullptr) {
        for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
            if (tile == 0 || (pieces.back().residues >= piece_residues && reader.block_start(tile) == tile))
                pieces.push_back({{number, tile, 0}, 0});
            ++pieces.back().range.tile_count;
            pieces.back().residues += read_residues(databases, {number, tile, 1});
        }
        return;
    }
    const auto residues = [&reader](std::uint64_t first, std::uint64_t count) {
        return reader.residues_of(first, count);
    };
    std::uint64_t tiles = 1;
    for (std::uint64_t first = 0; first < reader.tile_count(); first += tiles) {
        tiles = next_cut(reader, first, piece_residues, tiles, residues) - first;
        pieces.push_back({{number, first, tiles}, residues(first, tiles)});
    }
}

}  // namespace

TargetShare whole_share(const DatabaseSet& databases) {
    TargetShare share;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const std::uint64_t tiles = databases.reader(d).tile_count();
        if (tiles != 0) share.push_back({static_cast<std::uint32_t>(d), 0, tiles});
    }
    return share;
}

TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::uint64_t parts) {
    return dealt_share(databases, part, std::vector<std::uint32_t>(parts, 1));
}

TargetShare dealt_share(const DatabaseSet& databases, std::uint64_t part, std::span<const std::uint32_t> weights) {
    const std::uint64_t parts = weights.size();
    constexpr std::uint64_t kPiecesPerPart = 16;
    const std::uint64_t piece_residues =
        std::max<std::uint64_t>(residues_of(whole_share(databases), databases) / parts / kPiecesPerPart, 1);
    std::vector<Piece> pieces;
    for (std::size_t d = 0; d < databases.size(); ++d) cut_pieces(databases, d, piece_residues, pieces);
    // Each piece goes to the part with the least for its weight, with one more piece counted. The
    // large pieces are blocks that cannot be cut. They come first, the largest before the others.
    // The rest are about equal and come in the order of lengths, so that all parts get a piece of
    // long sequences before any part gets the next.
    const auto is_large = [&](const Piece& piece) { return piece.residues > piece_residues + piece_residues / 4; };
    const auto equal = std::stable_partition(pieces.begin(), pieces.end(), is_large);
    std::ranges::stable_sort(pieces.begin(), equal, std::ranges::greater(), &Piece::residues);
    struct Load {
        std::uint64_t residues, weight, part;
    };
    const auto has_more = [piece_residues](const Load& a, const Load& b) {
        const std::uint64_t of_a = (a.residues + piece_residues) * b.weight;
        const std::uint64_t of_b = (b.residues + piece_residues) * a.weight;
        return of_a != of_b ? of_a > of_b : a.part > b.part;
    };
    std::priority_queue<Load, std::vector<Load>, decltype(has_more)> loads(has_more);
    for (std::uint64_t p = 0; p < parts; ++p) loads.push({0, weights[p], p});
    TargetShare share;
    for (const Piece& piece : pieces) {
        const auto [residues, weight, least] = loads.top();
        loads.pop();
        loads.push({residues + piece.residues, weight, least});
        if (least == part) share.push_back(piece.range);
    }
    std::ranges::sort(share, {}, [](const TileRange& range) { return std::pair(range.database, range.first_tile); });
    return share;
}

std::vector<TargetShare> guided_units(const TargetShare& share, const DatabaseSet& databases,
                                      std::uint64_t least_residues) {
    std::vector<TargetShare> units;
    TargetShare left = share;
    while (left.size() > 1 && residues_of(left, databases) >= 2 * least_residues) {
        // The unit takes every second range, so that long and short sequences are in both halves.
        TargetShare unit, rest;
        for (std::size_t i = 0; i < left.size(); ++i) (i % 2 == 0 ? unit : rest).push_back(left[i]);
        units.push_back(std::move(unit));
        left = std::move(rest);
    }
    units.push_back(std::move(left));
    return units;
}

Status found_twice(const DatabaseSet& databases, std::uint32_t database, std::uint64_t rank) {
    return Status::invalid_input(
        databases.file(database).string() + ": sequence " +
        std::to_string(databases.reader(database).input_positions()[rank] + 1) +
        " was found in two parts of the search, so they divided the databases differently; search all parts again");
}

std::uint64_t residues_of(const TargetShare& share, const DatabaseSet& databases) {
    std::uint64_t residues = 0;
    for (const TileRange& range : share) residues += read_residues(databases, range);
    return residues;
}

}  // namespace warpseq
