#include "formats/wsdb/wsdb_quick_checks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "formats/io/checksum.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kPieceItems = std::uint64_t{1} << 16;

/// Calls work(begin, end, piece of the results) for pieces of [0, count) and returns one result for
/// each piece.
template <typename Piece, typename Work>
Result<std::vector<Piece>> in_pieces(std::uint64_t count, const ThreadPool& pool, const Work& work) {
    std::vector<Piece> pieces((count + kPieceItems - 1) / kPieceItems);
    WARPSEQ_TRY(pool.parallel_for(pieces.size(), [&](std::uint64_t piece, unsigned) {
        work(piece * kPieceItems, std::min(count, (piece + 1) * kPieceItems), pieces[piece]);
    }));
    return pieces;
}

/// A column by sequence as it is in the map. Its checksums are checked elsewhere. Values may change
/// while they are read, so nothing relies on them.
template <typename Number>
class Column {
   public:
    Column(const WsdbReader::Map& map, wsdb::SectionType type) : bytes_(map.section_bytes(type).data()) {}
    std::uint64_t operator[](std::uint64_t rank) const {
        Number number;
        std::memcpy(&number, bytes_ + rank * sizeof number, sizeof number);
        return number;
    }

   private:
    const std::uint8_t* bytes_;
};
using Lengths = Column<std::uint32_t>;
Lengths lengths_of(const WsdbReader::Map& map) { return {map, wsdb::SectionType::kLengths}; }

/// Calls work() with the column of input positions, in the width that they have.
template <typename Work>
auto with_positions(const WsdbReader::Map& map, const Work& work) {
    constexpr auto kType = wsdb::SectionType::kInputPositions;
    return map.section(kType).size_bytes == map.header.sequences * sizeof(std::uint32_t)
               ? work(Column<std::uint32_t>(map, kType))
               : work(Column<std::uint64_t>(map, kType));
}

bool are_blocks_sound(const WsdbReader::Map& map, wsdb::SectionType type, std::uint64_t begin_bytes,
                      std::uint64_t end_bytes) {
    WsdbFaults faults(false);
    return map.check_bytes(type, begin_bytes, end_bytes - begin_bytes, faults);
}

/// Whether entries [begin, end) of the index of tiles say what the lengths of their sequences say.
bool are_tiles_sound(const WsdbReader::Map& map, std::uint64_t begin, std::uint64_t end) {
    const Lengths lengths = lengths_of(map);
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

/// Returns the first rank behind `rank` whose sequence has another length, or `count` if there is
/// none. `rank` is below `count`. Lengths must descend.
std::uint64_t end_of_length(const Lengths& lengths, std::uint64_t rank, std::uint64_t count) {
    const std::uint64_t length = lengths[rank];
    std::uint64_t step = 1;
    while (step < count - rank && lengths[rank + step] == length) step *= 2;
    std::uint64_t low = rank + step / 2, high = std::min(count, rank + step);  // that length, another length
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        (lengths[middle] == length ? low : high) = middle;
    }
    return std::max(high, rank + 1);
}

/// Whether each input position of [first, behind) occurs once. Positions must ascend among
/// sequences of one length. So the positions of each length that are in the range follow each
/// other, and a small set of bits for the range is enough, which no other thread uses.
template <typename Positions>
bool are_all_there(const Lengths& lengths, const Positions& positions, std::uint64_t sequences, std::uint64_t first,
                   std::uint64_t behind) {
    constexpr std::uint64_t kBits = 64;
    std::vector<std::uint64_t> seen((behind - first + kBits - 1) / kBits);
    std::uint64_t count = 0;
    for (std::uint64_t rank = 0, end = 0; rank < sequences; rank = end) {
        end = end_of_length(lengths, rank, sequences);
        std::uint64_t low = rank, high = end;  // bounds of the first position that is not below `first`
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (positions[middle] < first) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (; low < end; ++low) {
            const std::uint64_t position = positions[low];
            if (position < first || position >= behind) break;
            std::uint64_t& word = seen[(position - first) / kBits];
            const std::uint64_t bit = std::uint64_t{1} << ((position - first) % kBits);
            if ((word & bit) != 0) return false;
            word |= bit;
            ++count;
        }
    }
    return count == behind - first;
}

template <typename Positions>
Result<bool> is_order_sound(const WsdbReader::Map& map, const Positions& positions, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
    };
    const std::uint64_t sequences = map.header.sequences;
    const Lengths lengths = lengths_of(map);
    const auto pieces = in_pieces<Piece>(sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
        bool is_sound = true;
        for (std::uint64_t rank = std::max<std::uint64_t>(begin, 1); rank < end; ++rank)
            is_sound &= lengths[rank] != lengths[rank - 1] || positions[rank] > positions[rank - 1];
        piece.is_sound = is_sound;
    });
    if (!pieces.ok()) return pieces.status();
    if (!std::ranges::all_of(*pieces, &Piece::is_sound)) return false;
    // Each part searches for its first position among the sequences of each length, so parts should
    // not be too small.
    constexpr std::uint64_t kLeastPart = std::uint64_t{1} << 16, kMostPart = std::uint64_t{1} << 22;
    const std::uint64_t part = std::clamp(sequences / (std::uint64_t{4} * pool.threads()), kLeastPart, kMostPart);
    std::atomic<bool> is_sound = true;
    WARPSEQ_TRY(pool.parallel_for((sequences + part - 1) / part, [&](std::uint64_t index, unsigned) {
        const std::uint64_t first = index * part, behind = std::min(sequences, first + part);
        if (!are_all_there(lengths, positions, sequences, first, behind)) is_sound = false;
    }));
    return is_sound.load();
}

}  // namespace

Result<bool> are_numbers_sound(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
        std::uint64_t residues = 0;
    };
    using wsdb::SectionType;
    const wsdb::FileHeader& header = map.header;
    const Lengths lengths = lengths_of(map);
    const std::uint64_t width = map.section(SectionType::kInputPositions).size_bytes / header.sequences;
    const auto check_piece = [&](const auto& positions, std::uint64_t begin, std::uint64_t end, Piece& piece) {
        bool is_sound =
            are_blocks_sound(map, SectionType::kLengths, begin * sizeof(std::uint32_t), end * sizeof(std::uint32_t)) &&
            are_blocks_sound(map, SectionType::kInputPositions, begin * width, end * width);
        if (begin == 0 && lengths[0] != header.longest_residues) is_sound = false;
        std::uint64_t before = begin == 0 ? header.longest_residues : lengths[begin - 1];
        std::uint64_t residues = 0;
        for (std::uint64_t rank = begin; rank < end; ++rank) {
            const std::uint64_t length = lengths[rank];
            is_sound &= length <= before;
            is_sound &= positions[rank] < header.sequences;
            before = length;
            residues += length;
        }
        piece = {is_sound, residues};
    };
    const auto pieces = with_positions(map, [&](const auto& positions) {
        return in_pieces<Piece>(header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            check_piece(positions, begin, end, piece);
        });
    });
    if (!pieces.ok()) return pieces.status();
    const auto tiles =
        in_pieces<Piece>(map.tile_count(), pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            piece.is_sound = are_blocks_sound(map, SectionType::kTileIndex, begin * sizeof(wsdb::TileEntry),
                                              (end + 1) * sizeof(wsdb::TileEntry)) &&
                             are_tiles_sound(map, begin, end);
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
    return with_positions(map, [&](const auto& positions) { return is_order_sound(map, positions, pool); });
}

Result<NameIndexSummary> summarize_name_index(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
        std::uint64_t sum = 0, equal_hashes = 0;
    };
    using wsdb::NameEntry;
    const std::uint8_t* const in_map = map.section_bytes(wsdb::SectionType::kNameIndex).data();
    const auto entry_at = [in_map](std::uint64_t index) {
        NameEntry entry;
        std::memcpy(&entry, in_map + index * sizeof entry, sizeof entry);
        return entry;
    };
    const auto pieces =
        in_pieces<Piece>(map.names.size(), pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            map.begin_stretch(wsdb::SectionType::kNameIndex, begin * sizeof(NameEntry),
                              (end - begin) * sizeof(NameEntry));
            bool is_sound = are_blocks_sound(map, wsdb::SectionType::kNameIndex, begin * sizeof(NameEntry),
                                             end * sizeof(NameEntry));
            // A zero entry before the first one compares as less than, or equal to, any entry.
            NameEntry before = begin == 0 ? NameEntry{0, 0} : entry_at(begin - 1);
            std::uint64_t sum = 0, equal_hashes = 0;
            for (std::uint64_t i = begin; i < end; ++i) {
                const NameEntry entry = entry_at(i);
                const bool equal = i > 0 && entry.hash == before.hash;
                equal_hashes += equal ? 1 : 0;
                is_sound &= entry.rank < map.header.sequences;
                is_sound &= equal ? entry.rank > before.rank : entry.hash >= before.hash;
                sum += mixed(entry);
                before = entry;
            }
            piece = {is_sound, sum, equal_hashes};
            map.end_stretch(wsdb::SectionType::kNameIndex, begin * sizeof(NameEntry),
                            (end - begin) * sizeof(NameEntry));
        });
    if (!pieces.ok()) return pieces.status();
    NameIndexSummary summary;
    summary.is_sound = true;
    for (const Piece& piece : *pieces) {
        summary.is_sound = summary.is_sound && piece.is_sound;
        summary.sum += piece.sum;
        summary.equal_hashes += piece.equal_hashes;
    }
    return summary;
}

Result<wsdb::Statistics> statistics_of_lengths(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        std::array<std::uint64_t, wsdb::kHistogramBins> histogram{};
        std::uint64_t residue_words = 0;
    };
    const Lengths lengths = lengths_of(map);
    const auto pieces =
        in_pieces<Piece>(map.header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            std::uint64_t residue_words = 0;
            for (std::uint64_t rank = begin; rank < end; ++rank) residue_words += words_for(lengths[rank]);
            piece.residue_words = residue_words;
            for (std::uint64_t rank = begin, behind = begin; rank < end; rank = behind) {
                // Most lengths are in the same bin as the one before.
                const std::size_t bin = wsdb::histogram_bin(lengths[rank]);
                const std::uint64_t least = wsdb::histogram_bin_start(bin);
                for (behind = rank + 1; behind < end && lengths[behind] >= least;) ++behind;
                piece.histogram[bin] += behind - rank;
            }
        });
    if (!pieces.ok()) return pieces.status();
    wsdb::Statistics statistics{};
    for (const Piece& piece : *pieces) {
        for (std::size_t bin = 0; bin < piece.histogram.size(); ++bin)
            statistics.length_histogram[bin] += piece.histogram[bin];
        statistics.residue_words += piece.residue_words;
    }
    const std::uint64_t words = copy_of(map.tiles.back()).offset_bytes / sizeof(std::uint32_t);
    statistics.padding_words = words - statistics.residue_words;
    statistics.empty_sequences = statistics.length_histogram[wsdb::histogram_bin(0)];
    statistics.longest_residues = lengths[0];
    statistics.shortest_residues = lengths[map.header.sequences - 1];
    return statistics;
}

}  // namespace warpseq
