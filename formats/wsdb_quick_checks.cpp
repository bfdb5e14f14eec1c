#include "formats/wsdb_quick_checks.h"

#include <algorithm>
#include <atomic>
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

Result<bool> is_order_sound(const WsdbReader::Map& map, const ThreadPool& pool) {
    struct Piece {
        bool is_sound = true;
    };
    SharedRankSet seen(map.header.sequences);
    const WsdbNumbers positions = map.input_positions(), lengths = map.lengths();
    const auto pieces =
        in_pieces<Piece>(map.header.sequences, pool, [&](std::uint64_t begin, std::uint64_t end, Piece& piece) {
            for (std::uint64_t rank = begin; rank < end; ++rank) {
                const std::uint64_t position = positions[rank];
                const bool in_order =
                    rank == 0 || lengths[rank] != lengths[rank - 1] || position >= positions[rank - 1];
                if (!seen.insert(position) || !in_order) piece.is_sound = false;
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
