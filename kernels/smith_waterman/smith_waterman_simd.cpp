// The scorer around the vector kernels. It groups lanes of tiles into vectors and runs every query
// against each group. Sequences that saturated or never shared a tile go through wider lanes until
// their score is exact.
#include "kernels/smith_waterman/smith_waterman_simd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/backends/kernel_table.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {
namespace {

enum Width : std::size_t { k8Bit, k16Bit, k32Bit };
constexpr std::size_t kWidths = 3;
constexpr std::size_t kMostLanes = 64;

// Fraction of lanes, as a divisor, from which a whole group is computed again. When one in this
// many of a 16-bit group's lanes saturated in 8 bits, computing the whole group again in 16 bits
// costs less than computing those lanes one by one (docs/lab-notes.md has the measurement).
constexpr std::size_t kWholeGroupDivisor = 4;

constexpr std::uint32_t kNeverStop = std::numeric_limits<std::uint32_t>::max();

struct Query {
    std::vector<ResidueCode> residues;
    std::vector<std::uint8_t> letter_of_row;  // index into letters
    std::vector<ResidueCode> letters;         // the distinct residue codes
};

// The gap costs that a lane of a width can hold, and the score up to which it is exact;
// smith_waterman_kernels_simd.h has the argument.
struct WidthLimits {
    std::int32_t gap_first = 0, gap_extend = 0;
    std::int32_t limit_raw = 0;
};

WidthLimits width_limits(const GapCosts& gaps, std::int32_t highest_lane) {
    return {std::min(gaps.first(), highest_lane), std::min(gaps.extend, highest_lane),
            gaps.first() <= highest_lane ? 2 * highest_lane : highest_lane};
}

// One lane of a group: a sequence of a tile, or nothing.
struct Slot {
    const TileView* tile = nullptr;
    std::uint32_t lane = 0;
    std::size_t output = 0;  // its number among all lanes of the call
    std::uint64_t residues = 0;
};

// The sequences of one vector of 8-bit lanes. They are two tiles, one tile, or half of one.
struct Group {
    std::array<Slot, kMostLanes> slots;
    std::uint32_t sequences = 0;
    std::uint64_t residues = 0;
    std::uint64_t longest_residues = 0;
    const std::uint8_t* columns = nullptr;  // decoded residues, a row of 8-bit lanes per column
    std::size_t column_count = 0;
};

// A sequence that is scored alone, at `width` first.
struct Single {
    std::size_t query = 0;
    Slot slot;
    Width width = k8Bit;
};

class CpuWorkspace final : public SmithWatermanScorer::Workspace {
   public:
    AlignedBytes columns, borders, letter_scores, striped_columns, striped_letters;
    std::array<AlignedBytes, kWidths> profiles;
    std::array<std::size_t, kWidths> profile_owner{};  // 1 + the query whose profile is there; 0: none
    std::vector<ResidueCode> target;
    std::vector<Single> singles;
};

// The objects that one call of score() works on.
struct Call {
    CpuWorkspace& work;
    std::span<std::int32_t> scores_raw;
    std::size_t lanes;
    std::int32_t& output(std::size_t query, const Slot& slot) const { return scores_raw[query * lanes + slot.output]; }
};

class SimdScorer final : public SmithWatermanScorer {
   public:
    SimdScorer(const KernelTable& kernels, std::span<const std::span<const ResidueCode>> queries,
               const ScoringScheme& scheme)
        : kernels_(kernels), scores_(scheme.matrix.table()) {
        for (const auto& residues : queries) queries_.push_back(prepare(residues));
        for (std::size_t q = 0; q < scores_.size(); ++q) {
            for (std::size_t t = 0; t < scores_.size(); ++t) target_scores_[t][q] = scores_[q][t];
        }
        limits_[k8Bit] = width_limits(scheme.gaps, std::numeric_limits<std::int8_t>::max());
        limits_[k16Bit] = width_limits(scheme.gaps, std::numeric_limits<std::int16_t>::max());
        limits_[k32Bit] = {scheme.gaps.first(), scheme.gaps.extend, std::numeric_limits<std::int32_t>::max()};
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<CpuWorkspace>(); }
    std::size_t query_count() const override { return queries_.size(); }
    CpuBackend backend() const override { return kernels_.backend; }
    std::size_t preferred_tiles() const override { return std::max<std::size_t>(1, lanes(k8Bit) / kTileLanes); }

    void score(std::span<const TileView> tiles, Workspace& workspace,
               std::span<std::int32_t> scores_raw) const override {
        auto& work = static_cast<CpuWorkspace&>(workspace);
        work.singles.clear();
        std::size_t call_lanes = 0;
        for (const TileView& tile : tiles) call_lanes += tile.lanes();
        assert(scores_raw.size() == queries_.size() * call_lanes);
        const Call call{work, scores_raw, call_lanes};

        // Lanes are dealt to groups in parts of a tile or half a tile. A part that is not full
        // leaves its slots empty.
        const std::size_t group_lanes = lanes(k8Bit);
        const std::size_t part_lanes = std::min<std::size_t>(kTileLanes, group_lanes);
        Group group;
        std::size_t next_slot = 0, first_output = 0;
        for (const TileView& tile : tiles) {
            if (tile.layout == TileLayout::kLinear) {
                add_single_for_every_query(call, {&tile, 0, first_output, tile.lengths_residues[0]});
            } else {
                for (std::size_t first_lane = 0; first_lane < tile.lanes(); first_lane += part_lanes) {
                    const std::size_t end_lane = std::min<std::size_t>(first_lane + part_lanes, tile.lanes());
                    for (std::size_t lane = first_lane; lane < end_lane; ++lane) {
                        group.slots[next_slot + lane - first_lane] = {&tile, static_cast<std::uint32_t>(lane),
                                                                      first_output + lane, tile.lengths_residues[lane]};
                    }
                    next_slot += part_lanes;
                    if (next_slot == group_lanes) {
                        score_group(call, group);
                        group = Group{};
                        next_slot = 0;
                    }
                }
            }
            first_output += tile.lanes();
        }
        if (next_slot > 0) score_group(call, group);
        score_singles(call);
    }

   private:
    static Query prepare(std::span<const ResidueCode> residues) {
        Query query{{residues.begin(), residues.end()}, {}, {}};
        std::array<int, kResidueTableSize> index_of{};
        index_of.fill(-1);
        query.letter_of_row.reserve(residues.size());
        for (const ResidueCode code : residues) {
            if (index_of[code] < 0) {
                index_of[code] = static_cast<int>(query.letters.size());
                query.letters.push_back(code);
            }
            query.letter_of_row.push_back(static_cast<std::uint8_t>(index_of[code]));
        }
        return query;
    }

    std::size_t lanes(Width width) const { return kernels_.vector_bytes >> width; }

    void add_single_for_every_query(const Call& call, const Slot& slot) const {
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            call.work.counts.cells += queries_[q].residues.size() * slot.residues;
            call.work.singles.push_back({q, slot, k8Bit});
        }
    }

    // Unpacks the group's residues into byte columns, padding wherever there is no residue.
    void decode(CpuWorkspace& work, Group& group) const {
        const std::size_t group_lanes = lanes(k8Bit);
        const std::size_t part_lanes = std::min<std::size_t>(kTileLanes, group_lanes);
        const std::uint64_t block = kernels_.column_block;
        group.column_count = (group.longest_residues + block - 1) / block * block;
        const std::uint64_t rows = std::max(group.column_count, words_for(group.longest_residues) * kResiduesPerWord);
        // There is one row more than is used, because the wider kernels read a whole vector from
        // the middle of the last row on.
        auto* const columns = reinterpret_cast<std::uint8_t*>(work.columns.reserve((rows + 1) * group_lanes));
        for (std::size_t first_slot = 0; first_slot < group_lanes; first_slot += part_lanes) {
            const Slot& slot = group.slots[first_slot];
            const std::uint64_t word_rows = slot.tile ? words_for(slot.residues) : 0;
            if (word_rows > 0) {
                kernels_.decode(slot.tile->words.data() + slot.lane, word_rows, part_lanes, columns + first_slot,
                                group_lanes);
            }
            for (std::uint64_t row = word_rows * kResiduesPerWord; row <= rows; ++row) {
                std::memset(columns + row * group_lanes + first_slot, kPaddingCode, part_lanes);
            }
        }
        group.columns = columns;
    }

    // Scores every query against one group.
    void score_group(const Call& call, Group& group) const {
        const std::size_t group_lanes = lanes(k8Bit);
        for (const Slot& slot : group.slots) {
            group.sequences += slot.tile != nullptr;
            group.residues += slot.residues;
            group.longest_residues = std::max(group.longest_residues, slot.residues);
        }
        decode(call.work, group);
        std::array<std::int32_t, kMostLanes> best_raw;
        for (std::size_t q = 0; q < queries_.size(); ++q) {
            const std::uint64_t query_residues = queries_[q].residues.size();
            call.work.counts.cells += query_residues * group.residues;
            call.work.counts.padding_cells += query_residues * (group.column_count * group_lanes - group.residues);
            if (query_residues == 0 || group.column_count == 0) {
                for (const Slot& slot : group.slots) {
                    if (slot.tile) call.output(q, slot) = 0;
                }
                continue;
            }
            // With three in four sequences saturated, the narrow pass is no longer worth finishing.
            const std::uint32_t stop_saturated_lanes = (3 * group.sequences + 3) / 4;
            if (!run_interleaved(call.work, k8Bit, q, group, 0, stop_saturated_lanes, best_raw)) {
                best_raw.fill(std::numeric_limits<std::int32_t>::max());
            }
            for (std::size_t first = 0; first < group_lanes; first += lanes(k16Bit)) {
                finish_half_group(call, q, group, first, best_raw);
            }
        }
    }

    // Writes the 8-bit scores of lanes(k16Bit) slots from `first` on, and computes the saturated
    // ones again.
    void finish_half_group(const Call& call, std::size_t q, const Group& group, std::size_t first,
                           std::span<const std::int32_t> best_raw) const {
        const std::span<const Slot> slots(group.slots.data() + first, lanes(k16Bit));
        std::size_t saturated = 0;
        std::uint64_t residues = 0;
        for (std::size_t l = 0; l < slots.size(); ++l) {
            residues += slots[l].residues;
            saturated += slots[l].tile && best_raw[first + l] > limits_[k8Bit].limit_raw;
        }
        if (saturated * kWholeGroupDivisor >= slots.size()) {
            std::array<std::int32_t, kMostLanes> wider_raw;
            run_interleaved(call.work, k16Bit, q, group, first, kNeverStop, wider_raw);
            call.work.counts.cells_16_bit += queries_[q].residues.size() * residues;
            write_scores(call, q, slots, wider_raw, limits_[k16Bit].limit_raw, k32Bit);
        } else {
            write_scores(call, q, slots, best_raw.subspan(first), limits_[k8Bit].limit_raw, k16Bit);
        }
    }

    static void write_scores(const Call& call, std::size_t q, std::span<const Slot> slots,
                             std::span<const std::int32_t> best_raw, std::int32_t limit_raw, Width wider) {
        for (std::size_t l = 0; l < slots.size(); ++l) {
            if (!slots[l].tile) continue;
            if (best_raw[l] > limit_raw) {
                call.work.singles.push_back({q, slots[l], wider});
            } else {
                call.output(q, slots[l]) = best_raw[l];
            }
        }
    }

    bool run_interleaved(CpuWorkspace& work, Width width, std::size_t q, const Group& group, std::size_t first,
                         std::uint32_t stop_saturated_lanes, std::span<std::int32_t> best_raw) const {
        const Query& query = queries_[q];
        const InterleavedTask task{
            query.letter_of_row.data(),
            query.residues.size(),
            query.letters.data(),
            query.letters.size(),
            &scores_,
            group.columns + first,
            lanes(k8Bit),
            group.column_count,
            limits_[width].gap_first,
            limits_[width].gap_extend,
            limits_[width].limit_raw,
            stop_saturated_lanes,
            work.borders.reserve(2 * query.residues.size() * kernels_.vector_bytes),
            work.letter_scores.reserve(kLetterScoresBytes),
            &work.stop,
            best_raw.data(),
        };
        return width == k8Bit ? kernels_.interleaved_8_bit(task) : kernels_.interleaved_16_bit(task);
    }

    // Scores the sequences that stand alone, query by query, so that a query's profiles are made
    // once per call.
    void score_singles(const Call& call) const {
        auto& singles = call.work.singles;
        std::stable_sort(singles.begin(), singles.end(),
                         [](const Single& a, const Single& b) { return a.query < b.query; });
        call.work.profile_owner = {};
        for (const Single& single : singles) call.output(single.query, single.slot) = score_single(call.work, single);
    }

    std::int32_t score_single(CpuWorkspace& work, const Single& single) const {
        const std::uint64_t query_residues = queries_[single.query].residues.size();
        const std::uint64_t target_residues = single.slot.residues;
        if (query_residues == 0 || target_residues == 0) return 0;
        work.target.resize(target_residues);
        unpack_lane(*single.slot.tile, single.slot.lane, work.target.data());
        if (single.width <= k8Bit) {
            const std::int32_t score_raw = run_striped(work, k8Bit, single.query);
            if (score_raw <= limits_[k8Bit].limit_raw) return score_raw;
        }
        if (single.width <= k16Bit) {
            work.counts.cells_16_bit += query_residues * target_residues;
            const std::int32_t score_raw = run_striped(work, k16Bit, single.query);
            if (score_raw <= limits_[k16Bit].limit_raw) return score_raw;
        }
        work.counts.cells_32_bit += query_residues * target_residues;
        return run_striped(work, k32Bit, single.query);
    }

    std::int32_t run_striped(CpuWorkspace& work, Width width, std::size_t q) const {
        const std::size_t width_lanes = lanes(width);
        const std::size_t segments = (queries_[q].residues.size() + width_lanes - 1) / width_lanes;
        const std::size_t row_bytes =
            (segments * width_lanes + kernels_.vector_bytes - 1) / kernels_.vector_bytes * kernels_.vector_bytes;
        auto* const profile = reinterpret_cast<std::int8_t*>(work.profiles[width].reserve(row_bytes * kResidueCodes));
        if (work.profile_owner[width] != q + 1) {
            fill_profile(work, q, width_lanes, segments, row_bytes, profile);
            work.profile_owner[width] = q + 1;
        }
        const StripedTask task{
            profile,
            row_bytes,
            segments,
            work.target.data(),
            work.target.size(),
            limits_[width].gap_first,
            limits_[width].gap_extend,
            limits_[width].limit_raw,
            &work.stop,
            work.striped_columns.reserve(3 * segments * kernels_.vector_bytes),
        };
        switch (width) {
            case k8Bit: return kernels_.striped_8_bit(task);
            case k16Bit: return kernels_.striped_16_bit(task);
            case k32Bit: break;
        }
        return kernels_.striped_32_bit(task);
    }

    void fill_profile(CpuWorkspace& work, std::size_t q, std::size_t width_lanes, std::size_t segments,
                      std::size_t row_bytes, std::int8_t* profile) const {
        const std::vector<ResidueCode>& residues = queries_[q].residues;
        auto* const letters = reinterpret_cast<std::uint8_t*>(work.striped_letters.reserve(row_bytes));
        std::memset(letters, kPaddingCode, row_bytes);
        for (std::size_t row = 0; row < residues.size(); ++row) {
            letters[row % segments * width_lanes + row / segments] = residues[row];
        }
        kernels_.fill_profile(letters, row_bytes, target_scores_, profile);
    }

    const KernelTable& kernels_;
    SubstitutionMatrix::Table scores_;         // row = query
    SubstitutionMatrix::Table target_scores_;  // row = target
    std::array<WidthLimits, kWidths> limits_;
    std::vector<Query> queries_;
};

}  // namespace

std::unique_ptr<SmithWatermanScorer> make_simd_smith_waterman_scorer(
    const KernelTable& kernels, std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
    return std::make_unique<SimdScorer>(kernels, queries, scheme);
}

}  // namespace warpseq
