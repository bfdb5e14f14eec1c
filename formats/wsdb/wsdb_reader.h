// Reads a warpseq database (.wsdb) through a memory map. docs/format.md is the specification.
//
// open() checks the header, the section table and section CHECKSUMS. Every other section is checked
// where it is first used, so that nothing read through an index can leave the map. Residues are
// checked tile by tile when they are read. All damage is returned as a Status that names the file
// and the byte offset.
//
// If a file is cut or written to while it is mapped, the process goes on and accesses no memory
// outside the map. The values that are read may be wrong then. verify_unchanged() detects this;
// call it before a result is handed out.
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

/// The entry of a tile in the index, and the values that follow from it, copied out of the map.
struct WsdbTile {
    std::uint64_t offset_bytes = 0;     // total size of the packed words of all tiles before
    std::uint64_t residues_before = 0;  // residues in all tiles before
    std::uint64_t word_rows = 0;
    std::uint64_t first_sequence = 0;
    std::uint64_t residues = 0;
    std::uint64_t checksum = 0;
    std::uint32_t lanes = 0;
    TileLayout layout = TileLayout::kInterleaved;
    std::array<std::uint64_t, kTileLanes> lengths_residues{};  // length of each lane's sequence

    std::span<const std::uint64_t> lengths() const { return std::span(lengths_residues).first(lanes); }
    std::uint64_t words() const { return tile_words(layout, lengths_residues.front()); }
    /// Returns a view of the tile, whose words are at `first_word`. The view is valid as long as
    /// the tile and its words stay in place.
    TileView view(const std::uint32_t* first_word) const;
};

/// An expanded block of a compressed database.
struct WsdbBlock {
    std::uint64_t first_tile = 0, tiles = 0;
    std::uint64_t residues_before = 0;   // residues in all blocks before
    std::uint64_t residue_count = 0;     // residues of the block, at the beginning of `residues`
    std::vector<std::uint8_t> residues;  // codes, one after another
    std::vector<std::uint8_t> frame;     // the compressed frame
};

/// The buffers of read_tiles() and residues(), which are reused from call to call. Each thread
/// needs one of its own. The tiles of a packed database stay in the map.
class TileBuffer {
   public:
    std::vector<TileView> views;       // filled by read_tiles(), valid until the next call or the reader's end
    std::vector<std::uint32_t> words;  // over-allocated so that the first tile is 128-byte aligned
    WsdbBlock block;

   private:
    friend class WsdbReader;
    std::vector<WsdbTile> tiles;  // the tiles of the views
    // The block or the tile that was read last. With it, calls of residues() in rank order read
    // each only once.
    std::shared_ptr<const int> cached_reader;
    std::uint64_t cached_index = 0;
};

/// The block of headers that was read last. Each thread needs a buffer of its own.
class HeaderBuffer {
   public:
    std::uint64_t first_sequence = 0;  // rank of its first header
    std::string text;                  // each header, and a newline behind it
    std::vector<std::size_t> ends;     // end of each header in `text`: the place of its newline
    std::vector<std::uint8_t> frame;   // the compressed frame

   private:
    friend class WsdbReader;
    std::shared_ptr<const int> reader_;
    std::uint64_t block_ = 0;
};

/// Whether `file` is a regular file that begins like a database. It may be cut or damaged, which
/// WsdbReader::open() then reports.
bool begins_as_wsdb(const std::filesystem::path& file);
/// The lengths of sequences, or their input positions, by rank. The numbers are in the map and are
/// checked when they are first read. If a number is damaged, the result is another number that the
/// format allows, and verify_unchanged() returns an error from then on.
class WsdbNumbers;

class WsdbReader {
   public:
    static Result<WsdbReader> open(const std::filesystem::path& file);
    /// Opens a database that no other process can write to, such as an unnamed one. `file` is its
    /// name in messages. The caller may close the descriptor afterwards. verify_unchanged() does
    /// not check such a database for changes.
    static Result<WsdbReader> open_private(int descriptor, const std::filesystem::path& file);
    /// Whether open_private() has opened the database.
    bool is_private() const;
    /// Opens a private database once more. The readers do not depend on each other. Thread-safe.
    Result<WsdbReader> reopen_private() const;
    /// Closes the descriptor that reopen_private() needs, which must not be called any more.
    void close_descriptor();
    /// Sets the name of a private database in messages.
    void set_name(const std::filesystem::path& name);
    ~WsdbReader();
    WsdbReader(WsdbReader&&) noexcept;
    WsdbReader& operator=(WsdbReader&&) noexcept;

    const std::filesystem::path& file() const;
    std::uint64_t file_bytes() const;
    ResidueCodec codec() const;
    std::uint64_t sequence_count() const;
    std::uint64_t residue_count() const;
    std::uint64_t tile_count() const;
    std::uint64_t linear_tile_count() const;  // linear tiles come first; linear tile t holds sequence t alone
    std::string content_digest() const;  // XXH3-128 of the content, 32 hexadecimal digits; the same for every codec
    std::uint64_t longest_residues() const;

    /// Returns the lengths in residues by rank; rank 0 is the longest sequence. The numbers are in
    /// the map and may change with the file. A caller that allocates memory for residues must use
    /// the length in the view of a tile instead.
    WsdbNumbers lengths_residues() const;
    /// Returns the position in the input by rank, counted from 0.
    WsdbNumbers input_positions() const;

    /// Return the size in bytes of a tile's packed words (the same with either codec) and the
    /// number of its residues. They are meant for cutting a database into chunks.
    std::uint64_t tile_bytes(std::uint64_t tile) const;
    std::uint64_t tile_residues(std::uint64_t tile) const;
    /// Return the sums of these numbers over tiles [first, first + count), in a time that does not
    /// depend on their number.
    std::uint64_t packed_bytes(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t residues_of(std::uint64_t first, std::uint64_t count) const;
    std::uint64_t tile_of_sequence(std::uint64_t rank) const;
    /// Returns the first tile of the block that holds `tile`, or `tile` itself with the packed
    /// codec. With the zstd codec tiles are stored in blocks, and reading is cheapest in whole
    /// blocks.
    std::uint64_t block_start(std::uint64_t tile) const;

    /// Reads tiles [first, first + count) into buffer.views and verifies checksums and residue
    /// codes. Thread-safe for distinct buffers.
    Status read_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const;
    /// Do the same in two steps, so that the caller can copy words before they are checked. With
    /// the packed codec locate_tiles() does not read the words. They must not be relied on until
    /// check_tiles() has succeeded.
    Status locate_tiles(std::uint64_t first, std::uint64_t count, TileBuffer& buffer) const;
    Status check_tiles(const TileBuffer& buffer) const;
    /// Returns the words of all tiles in the map, or nothing with the zstd codec.
    std::span<const std::uint8_t> packed_tiles() const;

    /// Checks packed tiles, in the order of the file, as long as `more()` is true. check_tiles()
    /// then does not read those that were sound again, and reports the others. It does not see what
    /// is written to them after that; verify_unchanged() does. It is meant for idle time before the
    /// tiles are read. No other thread may use the reader meanwhile.
    void check_ahead(const ThreadPool& pool, const std::function<bool()>& more) const;

    /// Returns the residues of one sequence. Thread-safe for distinct buffers.
    Result<std::vector<ResidueCode>> residues(std::uint64_t rank, TileBuffer& buffer) const;

    /// Returns the header line of one sequence, without '>'. It decompresses one block of headers
    /// and keeps the last one, so many headers are best read in rank order. Thread-safe.
    Result<std::string> header(std::uint64_t rank) const;
    /// Returns the same with a buffer of the caller, so that threads do not wait for each other.
    /// Thread-safe for distinct buffers.
    Result<std::string> header(std::uint64_t rank, HeaderBuffer& buffer) const;

    /// Returns the ranks of the sequences with this identifier in any of their definition lines, in
    /// input order. If there are none, returns those of the sequences that have it as an accession
    /// or a similar name (formats/fasta/sequence_names.h). For example, "P68871" and "HBB_HUMAN"
    /// find "sp|P68871|HBB_HUMAN". Returns an empty list if there are none either.
    Result<std::vector<std::uint64_t>> find(std::string_view identifier) const;

    /// Adds to `ranks` the sequences whose headers find() would read: those with a name that has
    /// the hash of the identifier. Does not read the headers. With it, a caller can look up many
    /// identifiers first and then read the headers in rank order. Thread-safe.
    Status find_candidates(std::string_view identifier, std::vector<std::uint64_t>& ranks) const;

    /// has_taxids() returns whether the database has taxonomy IDs. taxids() reads those of the
    /// definition lines of a sequence, one for each line; `lines` is the number of lines of its
    /// header. An ID that is not known is 0. All are 0 if the database has none or if an error is
    /// returned. verify_unchanged() returns that error from then on. Thread-safe.
    bool has_taxids() const;
    Status taxids(std::uint64_t rank, std::size_t lines, std::vector<std::uint32_t>& taxids) const;
    /// Reads the taxonomy IDs of a sequence without the number of its lines. If all lines have the
    /// same ID, the result has it once. Thread-safe.
    Status distinct_taxids(std::uint64_t rank, std::vector<std::uint32_t>& taxids) const;
    /// Returns the tree of the database's taxa, or an empty one if the database has none. It is
    /// read at the first call. After an error, verify_unchanged() returns the error, too.
    /// Thread-safe.
    Result<std::shared_ptr<const Taxonomy>> taxonomy() const;

    /// Returns an error that names the file if it was cut while it was read, or if something that
    /// was read since it was opened is damaged or has changed. Call it when nothing more is read,
    /// and before any computed result is handed out. Thread-safe.
    Status verify_unchanged(const ThreadPool& pool) const;
    /// Returns the error that says that the file was changed, for a caller that has found this out
    /// itself.
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

    /// An iterator over the numbers, valid as long as they are.
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

    /// Returns one number. Asserts index < size().
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
    std::uint64_t first_block_ = 0;  // first block of the section in CHECKSUMS
    std::uint64_t first_ = 0, size_ = 0;
    std::uint64_t most_ = 0;  // largest value that a number may have
    std::uint32_t width_bytes_ = 4;
    std::uint32_t section_ = 0;
};

}  // namespace warpseq
