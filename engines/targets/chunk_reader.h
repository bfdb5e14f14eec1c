// A reader of the tiles of chunks that uses several threads, and the grouping of tiles for kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engines/targets/chunk.h"
#include "engines/targets/database_set.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A reader that makes verified views of the tiles of chunks. It decodes the blocks of compressed
/// databases in parallel. Its buffers are reused from call to call, so views are valid until the
/// next call.
class ChunkReader {
   public:
    /// Reads and checks the tiles of chunks of `reader`'s database.
    Status read(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    /// Reads those tiles of the chunks that are searched (DatabaseSet::is_tile_searched()), and
    /// leaves the others out of tiles(). In a compressed database, tiles between two searched tiles
    /// of the same block are read and checked, too.
    Status read_searched(const DatabaseSet& databases, const ChunkGroup& chunks, const ThreadPool& pool);
    /// Makes views of the tiles without checking them. Until check(), the words of a packed
    /// database may be damaged.
    Status locate(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    /// Checks the tiles that locate() found.
    Status check(const WsdbReader& reader, const ThreadPool& pool) const;
    const std::vector<TileView>& tiles() const { return tiles_; }

   private:
    struct Run {
        std::uint64_t first_tile, tile_count;
    };
    Status locate_runs(const WsdbReader& reader, const std::vector<Run>& runs, const ThreadPool& pool);

    std::vector<TileBuffer> buffers_;  // one for each run of tiles; an earlier call may have left more buffers
    std::size_t runs_ = 0;
    std::vector<TileView> tiles_;
};

/// A group of tiles that a kernel takes in one call: the tiles first .. first + count - 1 of those
/// that were read. They need not be consecutive in the database. A linear tile is a group by
/// itself.
struct TileGroup {
    std::size_t first, count;
};
std::vector<TileGroup> group_tiles(std::span<const TileView> tiles, std::size_t preferred_count);

}  // namespace warpseq
