#include "formats/wsdb_quick_checks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "formats/checksum.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kPieceItems = std::uint64_t{1} << 16;

/// Calls work(begin, end, piece of the results) for pieces of [0, count) and returns one result for each piece.
template <typename Piece, typename Work>
Result<std::vector<Piece>> in_pieces(std::uint64_t count, const ThreadPool& pool, const Work& work) {
    std::vector<Piece> pieces((count + kPieceItems - 1) / kPieceItems);
    WARPSEQ_TRY(pool.parallel_for(pieces.size(), [&](std::uint64_t piece, unsigned) {
        work(piece * kPieceItems, std::min(count, (piece + 1) * kPieceItems), pieces[piece]);
    }));
    return pieces;
}

/// A set of sequences that threads share.
class SharedRankSet {
   public:
    explicit SharedRankSet(std::uint64_t size) : words_((size + 63) / 64) {}
    /// False where it was in already, or is none of the sequences.
    bool insert(std::uint64_t rank) {
        if (rank / 64 >= words_.size()) return false;
        const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
        return (words_[rank / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    }

   private:
    std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace

namespace {

bool are_blocks_sound(const WsdbReader::Map& map, wsdb::SectionType type, std::uint64_t begin_bytes,
                      std::uint64_t end_bytes) {
    WsdbFaults faults(false);
    return map.check_bytes(type, begin_bytes, end_bytes - begin_bytes, faults);
}

/// Whether entries [begin, end) of the index of tiles say what the lengths of their sequences say.
bool are_tiles_sound(const WsdbReader::Map& map, const WsdbNumbers& lengths, std::uint64_t begin, std::uint64_t end) {
    bool is_sound = true;
    wsdb::TileEntry next = copy_of(map.tiles[begin]);
    for (std::uint64_t tile = begin; tile < end; ++tile) {
        const wsdb::TileEntry entry = next;
        next = copy_of(map.tiles[tile + 1]);
        const std::uint64_t first = map.first_sequence_of(tile), behind = first + map.lanes_of(tile);
        const std::uint64_t bytes = tile_words(map.layout_of(tile), lengths[first]) * sizeof(std::uint32_t);
        std::uint64_t residues = 0;
        for (std::uint64_t rank = first; rank < behind; ++rank) residues += lengths[rank];
        if (next.offset_bytes - entry.offset_bytes != bytes || next.residues_before - entry.residues_before != residues)
            is_sound = false;
    }
    return is_sound;
}

}  // namespace

Result<bool> are_numbers_sound(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
        std::uint64_t residues = 0;
    };
    using wsdb::SectionType;
    const wsdb::FileHeader& header = map.header;
    const WsdbNumbers lengths = map.lengths();
    const auto* const stored = reinterpret_cast<const std::uint32_t*>(map.section_bytes(SectionType::kLengths).data());
    const std::uint64_t width = map.section(SectionType::kInputPositions).size_bytes / header.sequences;
    const std::uint8_t* const positions = map.section_bytes(SectionType::kInputPositions).data();
    const auto pieces =
        in_pieces<Piece>(header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            piece.is_sound =
                are_blocks_sound(map, SectionType::kLengths, begin * sizeof *stored, end * sizeof *stored) &&
                are_blocks_sound(map, SectionType::kInputPositions, begin * width, end * width);
            std::uint64_t before = begin == 0 ? header.longest_residues : copy_of(stored[begin - 1]);
            if (begin == 0 && copy_of(stored[0]) != header.longest_residues) piece.is_sound = false;
            for (std::uint64_t rank = begin; rank < end; ++rank) {
                const std::uint64_t length = copy_of(stored[rank]);
                std::uint64_t position = 0;
                std::memcpy(&position, positions + rank * width,
                            width == sizeof(std::uint32_t) ? sizeof(std::uint32_t) : sizeof position);
                if (length > before || position >= header.sequences) piece.is_sound = false;
                before = length;
                piece.residues += length;
            }
        });
    if (!pieces.ok()) return pieces.status();
    const auto tiles =
        in_pieces<Piece>(map.tile_count(), pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            piece.is_sound = are_blocks_sound(map, SectionType::kTileIndex, begin * sizeof(wsdb::TileEntry),
                                              (end + 1) * sizeof(wsdb::TileEntry)) &&
                             are_tiles_sound(map, lengths, begin, end);
        });
    if (!tiles.ok()) return tiles.status();
    std::uint64_t residues = 0;
    for (const Piece& piece : *pieces) residues += piece.residues;
    const wsdb::TileEntry first = copy_of(map.tiles.front()), last = copy_of(map.tiles.back());
    const bool packed = map.codec() == ResidueCodec::kPacked;
    return std::ranges::all_of(*pieces, &Piece::is_sound) && std::ranges::all_of(*tiles, &Piece::is_sound) &&
           residues == header.residues && first.offset_bytes == 0 && first.residues_before == 0 && last.checksum == 0 &&
           (!packed || last.offset_bytes == map.section(SectionType::kTiles).size_bytes);
}

Result<bool> is_order_sound(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
    };
    SharedRankSet seen(map.header.sequences);
    const WsdbNumbers positions = map.input_positions(), lengths = map.lengths();
    const auto pieces =
        in_pieces<Piece>(map.header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            std::uint64_t length_before = begin == 0 ? 0 : lengths[begin - 1],
                          position_before = begin == 0 ? 0 : positions[begin - 1];
            for (std::uint64_t rank = begin; rank < end; ++rank) {
                const std::uint64_t position = positions[rank], length = lengths[rank];
                const bool in_order = length != length_before || position >= position_before;
                if (!seen.insert(position) || !in_order) piece.is_sound = false;
                length_before = length;
                position_before = position;
            }
        });
    if (!pieces.ok()) return pieces.status();
    return std::ranges::all_of(*pieces, &Piece::is_sound);
}

Result<NameIndexSummary> summarize_name_index(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
        std::uint64_t sum_of_hashes = 0, equal_hashes = 0;
    };
    const auto pieces =
        in_pieces<Piece>(map.names.size(), pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            wsdb::NameEntry before = copy_of(map.names[begin == 0 ? 0 : begin - 1]);
            for (std::uint64_t i = begin; i < end; ++i) {
                const wsdb::NameEntry entry = copy_of(map.names[i]);
                if (entry.rank >= map.header.sequences) piece.is_sound = false;
                if (i > 0) {
                    const bool equal = entry.hash == before.hash;
                    if (equal ? entry.rank <= before.rank : entry.hash < before.hash) piece.is_sound = false;
                    if (equal) ++piece.equal_hashes;
                }
                piece.sum_of_hashes += checksum_of(&entry, sizeof entry);
                before = entry;
            }
        });
    if (!pieces.ok()) return pieces.status();
    NameIndexSummary summary;
    summary.is_sound = true;
    for (const Piece& piece : *pieces) {
        summary.is_sound = summary.is_sound && piece.is_sound;
        summary.sum_of_hashes += piece.sum_of_hashes;
        summary.equal_hashes += piece.equal_hashes;
    }
    return summary;
}

Result<wsdb::Statistics> statistics_of_lengths(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        std::array<std::uint64_t, wsdb::kHistogramBins> histogram{};
        std::uint64_t residue_words = 0, empty_sequences = 0;
    };
    const WsdbNumbers lengths = map.lengths();
    const auto pieces =
        in_pieces<Piece>(map.header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            for (std::uint64_t rank = begin; rank < end; ++rank) {
                const std::uint64_t length = lengths[rank];
                ++piece.histogram[wsdb::histogram_bin(length)];
                piece.residue_words += words_for(length);
                if (length == 0) ++piece.empty_sequences;
            }
        });
    if (!pieces.ok()) return pieces.status();
    struct Words {
        std::uint64_t count = 0;
    };
    const auto words =
        in_pieces<Words>(map.tile_count(), pool, [&](std::uint64_t begin, std::uint64_t end, Words& piece) {
            for (std::uint64_t tile = begin; tile < end; ++tile)
                piece.count += map.tile_bytes(tile) / sizeof(std::uint32_t);
        });
    if (!words.ok()) return words.status();
    wsdb::Statistics statistics{};
    for (const Piece& piece : *pieces) {
        for (std::size_t bin = 0; bin < piece.histogram.size(); ++bin)
            statistics.length_histogram[bin] += piece.histogram[bin];
        statistics.residue_words += piece.residue_words;
        statistics.empty_sequences += piece.empty_sequences;
    }
    for (const Words& piece : *words) statistics.padding_words += piece.count;
    statistics.padding_words -= statistics.residue_words;
    statistics.longest_residues = lengths.front();
    statistics.shortest_residues = lengths.back();
    return statistics;
}

}  // namespace warpseq
