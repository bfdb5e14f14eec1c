// Reads every sequence of a database once, with all threads, nearly in the database's own order so
// that reading is cheap.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/tile_unpack.h"

namespace warpseq {

/// The approximate number of residues in a piece, which is a run of consecutive tiles that a thread
/// reads at once. kScanRoundPieces is the number of pieces that are read before take() is called
/// for them.
inline constexpr std::uint64_t kScanPieceResidues = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kScanRoundPieces = 256;
/// The approximate number of tiles that are read before take() is called for their pieces. It
/// bounds the memory for pieces of short sequences.
inline constexpr std::uint64_t kScanRoundTiles = std::uint64_t{1} << 13;

/// Scans a database. Calls Status use(Piece&, unsigned thread, std::uint64_t rank, std::span<const
/// ResidueCode> residues) for each sequence, from all threads. The Piece collects the results for
/// one run of tiles. Then calls Status take(Piece&) for each piece, from the calling thread, in the
/// order of the database. Calls on_progress(residues) with the number of residues read so far.
/// Returns the first error of reading, use() or take(). The caller has to call verify_unchanged()
/// afterwards.
template <typename Piece, typename Use, typename Take>
Status scan_wsdb(const WsdbReader& reader, const ThreadPool& pool, const Use& use, const Take& take,
                 const std::function<void(std::uint64_t residues)>& on_progress) {
    struct Worker {
        TileBuffer tiles;
        std::vector<ResidueCode> residues;
    };
    std::vector<Worker> workers(pool.threads());
    std::uint64_t residues_done = 0;
    for (std::uint64_t tile = 0; tile < reader.tile_count();) {
        // The first tiles of the pieces. Pieces are whole blocks, so that none is expanded twice.
        // The number of tiles is limited, too, because empty sequences also take time and memory.
        std::vector<std::uint64_t> starts = {tile};
        while (starts.size() <= kScanRoundPieces && tile < reader.tile_count() &&
               tile - starts.front() < kScanRoundTiles) {
            std::uint64_t residues = 0, tiles = 0;
            while (tile < reader.tile_count() &&
                   ((residues < kScanPieceResidues && tiles < kScanPieceResidues / kTileLanes / 8) ||
                    reader.block_start(tile) != tile)) {
                residues += reader.tile_residues(tile++);
                ++tiles;
            }
            residues_done += residues;
            starts.push_back(tile);
        }
        std::vector<Piece> pieces(starts.size() - 1);
        WARPSEQ_TRY(pool.parallel_for(pieces.size(), [&](std::uint64_t piece, unsigned thread) -> Status {
            Worker& worker = workers[thread];
            WARPSEQ_TRY(reader.read_tiles(starts[piece], starts[piece + 1] - starts[piece], worker.tiles));
            for (const TileView& view : worker.tiles.views) {
                const std::uint64_t count = residues_of({&view, 1});
                if (worker.residues.size() < count) worker.residues.resize(count);
                unpack_tile(view, worker.residues.data());
                std::span<const ResidueCode> left(worker.residues);
                for (std::uint32_t lane = 0; lane < view.lanes(); ++lane) {
                    const std::uint64_t length = view.lengths_residues[lane];
                    WARPSEQ_TRY(use(pieces[piece], thread, view.first_sequence + lane, left.first(length)));
                    left = left.subspan(length);
                }
            }
            return {};
        }));
        for (Piece& piece : pieces) WARPSEQ_TRY(take(piece));
        if (on_progress) on_progress(residues_done);
    }
    return {};
}

}  // namespace warpseq
