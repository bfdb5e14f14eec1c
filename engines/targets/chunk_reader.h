// Reader of a chunk's tiles, with several threads, and grouping of tiles for kernels.
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

/// Verified views of the tiles of chunks. If the database is compressed, its blocks are decoded in
/// parallel. The buffers are reused from call to call, so views are valid until the next call.
class ChunkReader {
   public:
    /// Reads the tiles of chunks, which are of the reader's database.
    Status read(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    /// Reads those tiles that are searched (DatabaseSet::is_tile_searched()). Other tiles may be
    /// read, too.
    Status read_searched(const DatabaseSet& databases, const ChunkGroup& chunks, const ThreadPool& pool);
    /// Finds the tiles without checking them, as WsdbReader does. The words of a packed database
    /// may be anything until check().
    Status locate(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    /// Checks the tiles that locate() found.
    Status check(const WsdbReader& reader, const ThreadPool& pool) const;
    const std::vector<TileView>& tiles() const { return tiles_; }

   private:
    struct Run {
        std::uint64_t first_tile, tile_count;
    };
    Status locate_runs(const WsdbReader& reader, const std::vector<Run>& runs, const ThreadPool& pool);

    std::vector<TileBuffer> buffers_;  // of runs of tiles; an earlier call may have left more
    std::size_t runs_ = 0;
    std::vector<TileView> tiles_;
};

/// Tiles [first, first + count) of those read, which a kernel takes in one call. They need not
/// follow each other in the database. A linear tile stands alone.
struct TileGroup {
    std::size_t first, count;
};
std::vector<TileGroup> group_tiles(std::span<const TileView> tiles, std::size_t preferred_count);

}  // namespace warpseq
