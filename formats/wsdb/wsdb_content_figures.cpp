#include "formats/wsdb/wsdb_content_figures.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "formats/io/external_sort.h"
#include "formats/wsdb/wsdb_scan.h"
#include "libcore/sequence/seg.h"

namespace warpseq {
namespace {

using Figures = WsdbContentFigures;

/// The hash of a sequence's residues, and its rank.
struct Hashed {
    std::uint64_t low, high, rank;
};

struct Piece {
    std::vector<Hashed> hashed;
};

void count_letters(std::span<const ResidueCode> residues, Figures& figures) {
    std::array<std::uint64_t, kResidueTableSize> counts{};
    for (const ResidueCode code : residues) ++counts[code & (kResidueTableSize - 1)];
    for (std::size_t code = 0; code < counts.size(); ++code) {
        figures.letter_residues[code] += counts[code];
        if (counts[code] > 0) ++figures.letter_sequences[code];
    }
}

void count_masked(std::span<const ResidueCode> residues, Figures& figures) {
    std::uint64_t masked = 0;
    for (const SegStretch& stretch : seg_stretches(residues, SegParameters())) masked += stretch.end - stretch.begin;
    figures.masked_residues += masked;
    if (masked > 0) ++figures.masked_sequences;
    if (masked > 0 && masked >= residues.size() - masked) ++figures.mostly_masked_sequences;
}

/// Adds up groups of identical sequences and keeps the largest.
class Groups {
   public:
    Groups(const WsdbReader& reader, std::size_t most, Figures& figures)
        : reader_(reader), most_(most), figures_(figures) {}

    /// Adds a group: the ranks of all sequences with the same residues.
    void add(const std::vector<std::uint64_t>& ranks) {
        if (ranks.size() < 2) return;
        const std::uint64_t length = reader_.lengths_residues()[ranks.front()];
        ++figures_.groups;
        figures_.group_sequences += ranks.size();
        figures_.copies += ranks.size() - 1;
        figures_.copy_residues += (ranks.size() - 1) * length;
        // Sequences of one length are in input order, so the lowest rank is the first in the input.
        largest_.push_back({ranks.size(), length, *std::ranges::min_element(ranks)});
        if (largest_.size() >= 2 * most_ + 100) keep_largest();
    }
    void finish() {
        keep_largest();
        figures_.largest_groups = std::move(largest_);
    }

   private:
    void keep_largest() {
        std::ranges::sort(largest_, {}, [](const Figures::Group& group) {
            return std::tuple(~group.sequences, ~group.length_residues, group.first_rank);
        });
        if (largest_.size() > most_) largest_.resize(most_);
    }
    const WsdbReader& reader_;
    std::size_t most_;
    Figures& figures_;
    std::vector<Figures::Group> largest_;
};

Status find_groups(ExternalSort& sort, Groups& groups) {
    WARPSEQ_TRY(sort.finish());
    // Sequences with the same half of the hash, by rank. They are one group, except by chance.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> same_half;  // the other half, rank
    std::uint64_t half = 0;
    const auto use = [&] {
        std::ranges::sort(same_half);
        std::vector<std::uint64_t> ranks;
        for (std::size_t i = 0; i < same_half.size(); ++i) {
            if (i > 0 && same_half[i].first != same_half[i - 1].first) {
                groups.add(ranks);
                ranks.clear();
            }
            ranks.push_back(same_half[i].second);
        }
        groups.add(ranks);
        same_half.clear();
    };
    SortItem item;
    for (;;) {
        const auto more = sort.next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        if (item.key[0] != half) use();
        half = item.key[0];
        std::uint64_t high = 0;
        std::memcpy(&high, item.payload.data(), sizeof high);
        same_half.emplace_back(high, item.key[1]);
        sort.release();
    }
    use();
    return {};
}

}  // namespace

Result<WsdbContentFigures> wsdb_content_figures(const WsdbReader& reader, const ThreadPool& pool,
                                                const WsdbContentFiguresOptions& options) {
    std::vector<Figures> by_thread(pool.threads());
    ExternalSort sort(std::max<std::uint64_t>(options.memory_bytes, std::uint64_t{1} << 20), options.temporary_folder,
                      &pool);
    WARPSEQ_TRY(scan_wsdb<Piece>(
        reader, pool,
        [&](Piece& piece, unsigned thread, std::uint64_t rank, std::span<const ResidueCode> residues) {
            if (options.letters) count_letters(residues, by_thread[thread]);
            if (options.low_complexity) count_masked(residues, by_thread[thread]);
            if (options.duplicates) {
                const XXH128_hash_t hash = XXH3_128bits(residues.data(), residues.size());
                piece.hashed.push_back({hash.low64, hash.high64, rank});
            }
            return Status();
        },
        [&](const Piece& piece) -> Status {
            for (const Hashed& each : piece.hashed) {
                std::array<std::uint8_t, sizeof each.high> payload;
                std::memcpy(payload.data(), &each.high, sizeof each.high);
                WARPSEQ_TRY(sort.add({each.low, each.rank}, {payload}));
            }
            return {};
        },
        [&](std::uint64_t residues) {
            if (options.on_progress) options.on_progress(residues, reader.residue_count());
        }));
    Figures figures;
    for (const Figures& part : by_thread) {
        for (std::size_t code = 0; code < figures.letter_residues.size(); ++code) {
            figures.letter_residues[code] += part.letter_residues[code];
            figures.letter_sequences[code] += part.letter_sequences[code];
        }
        figures.masked_residues += part.masked_residues;
        figures.masked_sequences += part.masked_sequences;
        figures.mostly_masked_sequences += part.mostly_masked_sequences;
    }
    if (options.duplicates) {
        Groups groups(reader, options.largest_groups, figures);
        WARPSEQ_TRY(find_groups(sort, groups));
        groups.finish();
    }
    WARPSEQ_TRY(reader.verify_unchanged(pool));
    return figures;
}

}  // namespace warpseq
