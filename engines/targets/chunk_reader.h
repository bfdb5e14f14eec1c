// Reading a chunk's tiles on several threads, and grouping them for kernels.
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

/// Verified views of the tiles of chunks, decoded block by block in parallel where the database is
/// compressed. The buffers are reused from call to call; views are valid until the next call with
/// them.
class ChunkReader {
   public:
    /// The chunks are of the reader's database.
    Status read(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    /// Those of their tiles that are searched (DatabaseSet::is_tile_searched()); others may be
    /// there, too.
    Status read_searched(const DatabaseSet& databases, const ChunkGroup& chunks, const ThreadPool& pool);
    /// The same in two steps, as WsdbReader's: the words of a packed database may be anything until
    /// check().
    Status locate(const WsdbReader& reader, std::span<const Chunk> chunks, const ThreadPool& pool);
    Status check(const WsdbReader& reader, const ThreadPool& pool) const;
    const std::vector<TileView>& tiles() const { return tiles_; }

   private:
    struct Run {
        std::uint64_t first_tile, tile_count;
    };
    Status locate_runs(const WsdbReader& reader, const std::vector<Run>& runs, const ThreadPool& pool);

    std::vector<TileBuffer> buffers_;  // of runs of tiles, and more of earlier calls
    std::size_t runs_ = 0;
    std::vector<TileView> tiles_;
};

/// Tiles [first, first + count) of those read that a kernel takes in one call, which need not
/// follow each other in the database; a linear tile stands alone.
struct TileGroup {
    std::size_t first, count;
};
std::vector<TileGroup> group_tiles(std::span<const TileView> tiles, std::size_t preferred_count);

}  // namespace warpseq
