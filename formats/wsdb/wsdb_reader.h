// Reads a warpseq database (.wsdb) through a memory map. docs/format.md is the specification.
//
// open() checks the header, the section table and every index section (checksums, sizes against the
// file's own size, order), so that nothing read later through the index can leave the map. Residues
// are checked tile by tile when they are read. Everything damaged comes back as a Status that names
// the file and the byte offset.
//
// A file that somebody cuts or writes to while it is mapped ends no process and leads to no access
// outside of memory, but what is read then may be anything. verify_unchanged() tells, before a
// result is handed out.
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/taxonomy/taxonomy.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

enum class ResidueCodec : std::uint32_t { kPacked = 0, kZstd = 1 };

/// What the index says of a tile, copied out of the map.
struct WsdbTile {
    std::uint64_t offset_bytes = 0;     // of its words, packed, behind those of the tiles before
    std::uint64_t residues_before = 0;  // in all tiles before
    std::uint64_t word_rows = 0;
    std::uint64_t first_sequence = 0;
    std::uint64_t residues = 0;
    std::uint64_t checksum = 0;
    std::uint32_t lanes = 0;
    TileLayout layout = TileLayout::kInterleaved;
    std::array<std::uint64_t, kTileLanes> lengths_residues{};  // of its lanes

    std::span<const std::uint64_t> lengths() const { return std::span(lengths_residues).first(lanes); }
    std::uint64_t words() const { return tile_words(layout, lengths_residues.front()); }
    /// Its words stand at `first_word`. The view is valid as long as both stay where they are.
    TileView view(const std::uint32_t* first_word) const;
};

/// A block of a compressed database that was expanded.
struct WsdbBlock {
    std::uint64_t first_tile = 0, tiles = 0;
    std::uint64_t residues_before = 0;   // in all blocks before it
    std::uint64_t residue_count = 0;     // what it holds is the beginning of `residues`
    std::vector<std::uint8_t> residues;  // codes, one after another
    std::vector<std::uint8_t> frame;     // what it was expanded from
};

/// What read_tiles() and residues() need; reused from call to call, one per thread. The tiles of a
/// packed database stay in the map.
class TileBuffer {
   public:
    std::vector<TileView> views;       // filled by read_tiles(), valid until the next call or the reader's end
    std::vector<std::uint32_t> words;  // over-allocated so that the first tile is 128-byte aligned
    WsdbBlock block;

   private:
    friend class WsdbReader;
    std::vector<WsdbTile> tiles;  // of the views
    // Which block, or which tile, was read last: residues() asked in rank order reads each only
    // once.
    std::shared_ptr<const int> cached_reader;
    std::uint64_t cached_index = 0;
};

/// The last block of headers that was read with it; one per thread.
class HeaderBuffer {
   public:
    std::uint64_t first_sequence = 0;  // rank of its first header
    std::string text;                  // each header, and a newline behind it
    std::vector<std::size_t> ends;     // of the headers in it: where their newlines are
    std::vector<std::uint8_t> frame;   // what it was expanded from

   private:
    friend class WsdbReader;
    std::shared_ptr<const int> reader_;
    std::uint64_t block_ = 0;
};

/// Whether a regular file begins as a database, be it cut or damaged, so that WsdbReader::open() is
/// to say what it is.
bool begins_as_wsdb(const std::filesystem::path& file);
/// The lengths of sequences, or their input positions, by rank: numbers in the map that are checked
/// when they are first read. One that is damaged is a number that the format allows, and
/// verify_unchanged() is an error from then on.
class WsdbNumbers;

class WsdbReader {
   public:
    static Result<WsdbReader> open(const std::filesystem::path& file);
    /// Opens a database that nobody else can write to, such as an unnamed one; `file` is its name
    /// in messages. The caller may close the descriptor. verify_unchanged() takes it on trust that
    /// nobody did.
    static Result<WsdbReader> open_private(int descriptor, const std::filesystem::path& file);
    ~WsdbReader();
    WsdbReader(WsdbReader&&) noexcept;
    WsdbReader& operator=(WsdbReader&&) noexcept;

    const std::filesystem::path& file() const;
    std::uint64_t file_bytes() const;
    ResidueCodec codec() const;
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
    std::uint64_t tile_count() const;
    std::uint64_t linear_tile_count() const;  // they come first; tile t < this holds sequence t alone
    std::string content_digest() const;  // XXH3-128 of the content, 32 hexadecimal digits; the same for every codec
    std::uint64_t longest_residues() const;

    /// By rank (0 is the longest sequence). They stand in the map, as those that follow: to make
    /// room for residues, take the length of a tile's view.
    WsdbNumbers lengths_residues() const;
    /// By rank: the position in the input, from 0.
    WsdbNumbers input_positions() const;

    /// Bytes of packed words of tile t (whatever the codec), and residues in it: for cutting a
    /// database into chunks.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    std::uint64_t tile_residues(std::uint64_t tile) const;
    /// The same of tiles [first, first + count) together, which takes no longer with more of them.
    std::uint64_t packed_bytes(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t residues_of(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    /// With the zstd codec tiles are stored in blocks; reading is cheapest in whole blocks. First
    /// tile of the block that holds `tile`; the tile itself with the packed codec.
    std::uint64_t block_start(std::uint64_t tile) const;

    /// Views of tiles [first, first + count) into buffer.views, checksums and residue codes
    /// verified. Thread-safe for distinct buffers.
    Status read_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const;
    /// The same in two steps. With the packed codec the first one does not look at the words, which
    /// may be anything until the second one has: for who copies them meanwhile.
    Status locate_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const;
    Status check_tiles(const TileBuffer& buffer) const;
    /// Where the words of all tiles stand in the map; nothing with the zstd codec.
    std::span<const std::uint8_t> packed_tiles() const;

    /// Enters the pages of packed tiles into the process's page table, in the file's order, as long
    /// as `more()` is true: for who has nothing better to do before they are read. Otherwise the
    /// first reads, and whoever pins them, are slowed down by it.
    void map_pages(const ThreadPool& pool, const std::function<bool()>& more) const;

    /// The residues of one sequence. Thread-safe for distinct buffers.
    Result<std::vector<ResidueCode>> residues(std::uint64_t rank, TileBuffer& buffer) const;

    /// The header line of one sequence, without '>'. Thread-safe; decompresses one block of names,
    /// so ask in rank order where many are needed (the last block is kept).
    Result<std::string> header(std::uint64_t rank) const;
    /// The same with a buffer of the caller's, so that threads do not wait for each other.
    /// Thread-safe for distinct buffers.
    Result<std::string> header(std::uint64_t rank, HeaderBuffer& buffer) const;

    /// The ranks of the sequences with this identifier, in input order, of whichever of their definition lines; where there are
    /// none, of those that have it for an accession or the like: "P68871" and "HBB_HUMAN" for "sp|P68871|HBB_HUMAN"
    /// (formats/fasta/sequence_names.h). Empty if there is none.
    Result<std::vector<std::uint64_t>> find(std::string_view identifier) const;

    /// Adds to `ranks` those that find() would look at, without reading their headers: their names'
    /// hashes are that of the identifier. For who looks up many, and reads headers in rank order
    /// then. Thread-safe.
    Status find_candidates(std::string_view identifier, std::vector<std::uint64_t>& ranks) const;

    /// Taxonomy IDs of the definition lines of a sequence: as many as its header has, which is
    /// `lines`; 0 where one is not known. All 0 where the database has none, or an error is
    /// returned, which is verify_unchanged()'s from then on. Thread-safe.
    bool has_taxids() const;
    Status taxids(std::uint64_t rank, std::size_t lines, std::vector<std::uint32_t>& taxids) const;
    /// The same without a look at the header: where all have the same one, it is there once.
    Status distinct_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids) const;
    /// What the database knows of its taxa; without any where it knows nothing. It is read at the
    /// first call. An error is verify_unchanged()'s from then on. Thread-safe.
    Result<std::shared_ptr<const Taxonomy>> taxonomy() const;

    /// An error that names the file where it was cut while it was read, or where something that was
    /// read since it was opened is damaged or not what it was then. To be called when nothing more
    /// is read, and before anything that was computed is handed out. Thread-safe.
    Status verify_unchanged(const ThreadPool& pool) const;
    /// The error for who finds that the file is not what it was.
    Status changed_status() const;

    struct Map;  // shared with the validator and inspect (formats/wsdb/wsdb_map.h)
    const Map& map() const;

   private:
    explicit WsdbReader(std::unique_ptr<Map> map);
    static Result<WsdbReader> open_map(std::unique_ptr<Map> map);
    std::unique_ptr<Map> map_;
};

class WsdbNumbers {
   public:
    using value_type = std::uint64_t;

    /// Valid as long as the numbers that it is of.
    class iterator {
       public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag;
        using value_type = std::uint64_t;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = std::uint64_t;

        iterator() = default;
        iterator(const WsdbNumbers& numbers, std::uint64_t index) : numbers_(&numbers), index_(index) {}
        std::uint64_t operator*() const { return (*numbers_)[index_]; }
        std::uint64_t operator[](difference_type n) const { return *(*this + n); }
        iterator& operator+=(difference_type n) {
            index_ += static_cast<std::uint64_t>(n);
            return *this;
        }
        iterator& operator-=(difference_type n) { return *this += -n; }
        iterator& operator++() { return *this += 1; }
        iterator& operator--() { return *this += -1; }
        iterator operator++(int) { return std::exchange(*this, *this + 1); }
        iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend iterator operator+(iterator it, difference_type n) { return it += n; }
        friend iterator operator+(difference_type n, iterator it) { return it += n; }
        friend iterator operator-(iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(const iterator& a, const iterator& b) {
            return static_cast<difference_type>(a.index_ - b.index_);
        }
        friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }
        friend auto operator<=>(const iterator& a, const iterator& b) { return a.index_ <=> b.index_; }

       private:
        const WsdbNumbers* numbers_ = nullptr;
        std::uint64_t index_ = 0;
    };

    WsdbNumbers() = default;

    /// Asserts index < size().
    std::uint64_t operator[](std::uint64_t index) const {
        assert(index < size_);
        const std::uint64_t place = (first_ + index) * width_bytes_;
        const std::uint64_t block = first_block_ + place / kBlockBytes;
        if ((checked_[block / 64].load(std::memory_order_relaxed) >> (block % 64) & 1) == 0) check(index);
        std::uint64_t value = 0;
        std::memcpy(&value, bytes_ + place, width_bytes_ == 4 ? 4 : 8);
        return value <= most_ ? value : refuse(index, value);
    }
    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint64_t front() const { return (*this)[0]; }
    std::uint64_t back() const { return (*this)[size_ - 1]; }
    WsdbNumbers subspan(std::uint64_t first, std::uint64_t count) const;
    iterator begin() const { return {*this, 0}; }
    iterator end() const { return {*this, size_}; }

   private:
    friend struct WsdbReader::Map;
    static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 16;
    void check(std::uint64_t index) const;
    std::uint64_t refuse(std::uint64_t index, std::uint64_t value) const;

    const WsdbReader::Map* map_ = nullptr;
    const std::uint8_t* bytes_ = nullptr;
    const std::atomic<std::uint64_t>* checked_ = nullptr;
    std::uint64_t first_block_ = 0;  // of the section, in CHECKSUMS
    std::uint64_t first_ = 0, size_ = 0;
    std::uint64_t most_ = 0;  // that a number may be
    std::uint32_t width_bytes_ = 4;
    std::uint32_t section_ = 0;
};

}  // namespace warpseq
