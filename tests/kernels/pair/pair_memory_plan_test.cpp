// The places of everything that a GPU's sweep needs in memory, what the host writes there, and the
// words of the border between two strips.
#include "kernels/pair/pair_memory_plan_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// A part of a block of memory, in bytes.
struct Part {
    std::uint64_t begin, bytes, alignment;
};

/// Checks that parts are aligned, do not overlap, and end within `bytes`.
void check_apart(std::vector<Part> parts, std::uint64_t bytes) {
    std::ranges::sort(parts, {}, &Part::begin);
    std::uint64_t end = 0;
    for (const Part& part : parts) {
        CHECK(part.begin % part.alignment == 0);
        CHECK(part.begin >= end);
        end = part.begin + part.bytes;
    }
    CHECK(end <= bytes);
}

SweepTask task_of(const Sequence& query, const Sequence& target, const PairLine& top, const PairLine& left) {
    return {.query = query,
            .target = target,
            .top = top,
            .left = left,
            .row_step = 1024,
            .column_step = target.size() / 3 + 1};
}

/// Tasks that share sequences and lines, of several sizes.
struct Tasks {
    const GapCosts gaps{11, 1};
    std::vector<Sequence> sequences;
    std::vector<BorderCell> given;
    std::vector<SweepTask> tasks;
    std::vector<PairShape> shapes;

    explicit Tasks(std::size_t count) {
        Random random(5);
        for (const std::size_t residues : {1u, 31u, 700u, 2500u, 5000u})
            sequences.push_back(random_protein(random, residues));
        for (std::size_t i = 0; i < 5001; ++i)
            given.push_back({-static_cast<std::int32_t>(i), -12 - static_cast<std::int32_t>(i)});
        for (std::size_t i = 0; i < count; ++i) {
            const Sequence& query = sequences[i % sequences.size()];
            const Sequence& target = sequences[i / sequences.size() % sequences.size()];
            const PairLine top = i % 3 == 0 ? PairLine(std::span<const BorderCell>(given).first(target.size() + 1))
                                            : PairLine::beginning(target.size(), gaps, i % 3 == 1);
            const PairLine left = PairLine::beginning(query.size(), gaps, i % 2 == 1);
            tasks.push_back(task_of(query, target, top, left));
            tasks.back().reached_raw = i % 4 == 0 ? SweepTask::kNoPruning : 40;
            shapes.push_back(kPairShapes[i % 4]);
        }
    }
};

/// The host's stand-in for a GPU's memory.
struct Memory {
    std::vector<std::byte> input, scratch, checkpoints;
    PairAddresses addresses;

    explicit Memory(const PairMemoryPlan& plan)
        : input(plan.input_bytes), scratch(plan.scratch_bytes), checkpoints(plan.checkpoints_bytes) {
        addresses = {input.data(), scratch.data(), checkpoints.data()};
    }
    template <typename T>
    T read(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, input.data() + offset, sizeof value);
        return value;
    }
};

template <typename T>
std::uint64_t offset_in(const std::vector<std::byte>& block, const T* address) {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(address) - block.data());
}

}  // namespace

TEST_CASE("parts of a sweep's memory lie apart, and what begins with zero lies together") {
    const Tasks all(40);
    for (const bool local : {false, true}) {
        const Result<PairMemoryPlan> plan = plan_pair_memory(all.tasks, all.shapes, local, false);
        REQUIRE(plan.ok());
        std::vector<Part> input{{plan->tasks_offset, 40 * sizeof(PairDeviceTask), 8},
                                {plan->scores_offset, kResidueTableSize * kResidueTableSize, 1}};
        for (const PairInputPlace& place : plan->inputs) input.push_back({place.offset, place.bytes, 1});
        std::uint64_t units = 0;
        std::vector<Part> scratch{
            {plan->counters_offset, 8 * 5, 8}, {plan->reached_offset, 40 * 4, 4}, {plan->done_offset, 40 * 4, 4}};
        std::vector<Part> checkpoints;
        for (std::size_t i = 0; i < 40; ++i) {
            const SweepTask& task = all.tasks[i];
            const PairTaskPlaces& each = plan->tasks[i];
            CHECK(kPairShapes[each.shape] == all.shapes[i]);
            CHECK(each.strips * std::uint64_t{all.shapes[i].strip_rows()} >= task.query.size());
            CHECK((each.strips - 1) * std::uint64_t{all.shapes[i].strip_rows()} < task.query.size());
            units += each.strips;
            if (each.strips > 1) scratch.push_back({each.between, task.target.size() * 8, 8});
            checkpoints.push_back(
                {each.row_checkpoints, row_blocks_of(task) * (task.target.size() + 1) * sizeof(BorderCell), 8});
            checkpoints.push_back(
                {each.column_checkpoints, column_blocks_of(task) * (task.query.size() + 1) * sizeof(BorderCell), 8});
            if (local) {
                const std::uint64_t bytes = row_blocks_of(task) * column_blocks_of(task) * 4;
                checkpoints.push_back({each.maxima, bytes, 4});
                CHECK(each.maxima + bytes <= plan->zeroed_checkpoints_bytes);
            }
        }
        CHECK(plan->zeroed_checkpoints_bytes == plan->maxima * 4);
        CHECK((plan->maxima > 0) == local);
        for (const Part& part : scratch) CHECK(part.begin + part.bytes <= plan->zeroed_scratch_bytes);
        for (const bool free : {false, true}) {
            CHECK(plan->beginning_cells[free] == 5001);
            CHECK(plan->beginning_offsets[free] >= plan->zeroed_scratch_bytes);
            scratch.push_back({plan->beginning_offsets[free], plan->beginning_cells[free] * sizeof(BorderCell), 8});
        }
        input.push_back({plan->units_offset, units * sizeof(PairUnit), 8});
        check_apart(input, plan->input_bytes);
        check_apart(scratch, plan->scratch_bytes);
        check_apart(checkpoints, plan->checkpoints_bytes);
        // Five sequences, and one given line for each of their lengths.
        CHECK(plan->inputs.size() == 10);
    }
}

TEST_CASE("the units of one shape are one launch, those of large matrices first") {
    const Tasks all(40);
    const Result<PairMemoryPlan> plan = plan_pair_memory(all.tasks, all.shapes, true, false);
    REQUIRE(plan.ok());
    REQUIRE(plan->order.size() == 40);
    std::vector<std::uint64_t> units(4, 0);
    for (std::size_t i = 0; i < 40; ++i) {
        const PairTaskPlaces& each = plan->tasks[plan->order[i]];
        units[each.shape] += each.strips;
        if (i == 0) continue;
        const PairTaskPlaces& before = plan->tasks[plan->order[i - 1]];
        const SweepTask &task = all.tasks[plan->order[i]], &last = all.tasks[plan->order[i - 1]];
        CHECK(before.shape <= each.shape);
        if (before.shape == each.shape)
            CHECK(last.query.size() * last.target.size() >= task.query.size() * task.target.size());
    }
    REQUIRE(plan->launches.size() == 4);
    std::uint64_t first = 0;
    for (std::size_t shape = 0; shape < 4; ++shape) {
        CHECK(plan->launches[shape].shape == shape);
        CHECK(plan->launches[shape].first_unit == first);
        CHECK(plan->launches[shape].units == units[shape]);
        first += units[shape];
    }
}

TEST_CASE("what is staged is what the kernel reads") {
    const Tasks all(40);
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    const ScoringScheme scheme{matrix, all.gaps};
    const PairScoring scoring{scheme, true};
    const Result<PairMemoryPlan> plan = plan_pair_memory(all.tasks, all.shapes, true, false);
    REQUIRE(plan.ok());
    REQUIRE(plan->staged_from() == 0);
    Memory memory(*plan);
    const Result<PairLetterNumbers> letters =
        stage_pair_input(*plan, all.tasks, scoring, memory.addresses, {}, memory.input);
    REQUIRE(letters.ok());
    for (std::size_t i = 0; i < 40; ++i) {
        const SweepTask& task = all.tasks[i];
        const auto device = memory.read<PairDeviceTask>(plan->tasks_offset + i * sizeof(PairDeviceTask));
        CHECK(std::equal(task.query.begin(), task.query.end(), device.query));
        CHECK(std::equal(task.target.begin(), task.target.end(), device.target));
        if (task.top.is_given())
            CHECK(std::ranges::equal(task.top.cells(), std::span(device.top, task.target.size() + 1)));
        else
            CHECK(offset_in(memory.scratch, device.top) == plan->beginning_offsets[task.top.is_free()]);
        CHECK(offset_in(memory.scratch, device.left) == plan->beginning_offsets[task.left.is_free()]);
        CHECK(offset_in(memory.scratch, device.reached) == plan->reached_offset + 4 * i);
        CHECK(offset_in(memory.scratch, device.done) == plan->done_offset + 4 * i);
        CHECK(offset_in(memory.checkpoints, device.row_checkpoints) == plan->tasks[i].row_checkpoints);
        CHECK(offset_in(memory.checkpoints, device.column_checkpoints) == plan->tasks[i].column_checkpoints);
        CHECK(offset_in(memory.checkpoints, device.maxima) == plan->tasks[i].maxima);
        CHECK(device.rows == task.query.size());
        CHECK(device.columns == task.target.size());
        CHECK(device.strips == plan->tasks[i].strips);
        CHECK(device.column_step == std::min<std::uint64_t>(task.column_step, task.target.size()));
        CHECK(device.row_blocks == row_blocks_of(task));
        CHECK(device.column_blocks == column_blocks_of(task));
        CHECK((device.prune != 0) == (task.reached_raw != SweepTask::kNoPruning));
        CHECK(device.known_raw == std::max(task.reached_raw, 0));
        CHECK(device.given_left == nullptr);
        CHECK(device.right == nullptr);
    }
    std::uint64_t unit = 0;
    for (const std::uint32_t i : plan->order) {
        for (std::uint32_t strip = 0; strip < plan->tasks[i].strips; ++strip, ++unit) {
            const auto got = memory.read<PairUnit>(plan->units_offset + unit * sizeof(PairUnit));
            CHECK(got.task == i);
            CHECK(got.strip == strip);
        }
    }
    CHECK(letters->count > 10);
    for (int code = 0; code < kResidueTableSize; ++code) {
        if (!letters->occurs(code)) continue;
        for (int query = 0; query < kResidueTableSize; ++query) {
            const auto score = memory.read<std::int8_t>(
                plan->scores_offset + static_cast<std::uint64_t>(letters->index[code]) * kResidueTableSize +
                static_cast<std::uint64_t>(query));
            CHECK(score == matrix.score_raw(static_cast<ResidueCode>(query), static_cast<ResidueCode>(code)));
        }
    }
}

TEST_CASE("a band's column 0 has room of its own, and its links reach the kernel") {
    const Tasks all(25);
    const SweepTask& task = all.tasks[24];  // 5,000 x 5,000
    const Result<PairMemoryPlan> plan = plan_pair_memory({&task, 1}, {&kPairShapes[0], 1}, false, true);
    REQUIRE(plan.ok());
    CHECK(plan->left_offset >= plan->zeroed_scratch_bytes);
    CHECK(plan->left_offset + 5001 * sizeof(BorderCell) <= plan->scratch_bytes);
    CHECK(plan->left_seen_offset + 4 <= plan->zeroed_scratch_bytes);
    CHECK(plan->inputs.size() == (task.top.is_given() ? 2 : 1));  // query and target are one sequence
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), all.gaps};
    Memory memory(*plan);
    const BorderCell given{};
    BorderCell right{};
    const std::uint32_t left_ready = 0;
    std::uint32_t right_ready = 0;
    REQUIRE(stage_pair_input(*plan, {&task, 1}, {scheme, false}, memory.addresses,
                             {&given, &left_ready, &right, &right_ready}, memory.input)
                .ok());
    const auto device = memory.read<PairDeviceTask>(plan->tasks_offset);
    CHECK(offset_in(memory.scratch, device.left) == plan->left_offset);
    CHECK(offset_in(memory.scratch, device.left_seen) == plan->left_seen_offset);
    CHECK(device.given_left == &given);
    CHECK(device.left_ready == &left_ready);
    CHECK(device.right == &right);
    CHECK(device.right_ready == &right_ready);
}

TEST_CASE("large sequences are not staged, but their letters are found") {
    const GapCosts gaps{5, 2};
    const Sequence query(100, ResidueCode{3});
    Sequence target(std::size_t{65} << 20, ResidueCode{1});
    target.back() = ResidueCode{7};
    const SweepTask task = task_of(query, target, PairLine::beginning(target.size(), gaps, false),
                                   PairLine::beginning(query.size(), gaps, false));
    const Result<PairMemoryPlan> plan = plan_pair_memory({&task, 1}, {&kPairShapes[2], 1}, false, false);
    REQUIRE(plan.ok());
    CHECK(plan->staged_from() == plan->tasks_offset);
    std::vector<std::byte> staged(plan->input_bytes - plan->staged_from());
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), gaps};
    const Result<PairLetterNumbers> letters = stage_pair_input(*plan, {&task, 1}, {scheme, false}, {}, {}, staged);
    REQUIRE(letters.ok());
    CHECK(letters->count == 2);
    CHECK(letters->occurs(1));
    CHECK(letters->occurs(7));
    CHECK(!letters->occurs(3));
}

TEST_CASE("sequences that are too long for the kernel are refused") {
    // No residue of them is read.
    const ResidueCode code = 0;
    const std::span<const ResidueCode> longest(&code, (std::size_t{1} << 31) - 1024), longer(&code, longest.size() + 1);
    const PairLine line = PairLine::beginning(longest.size(), {5, 2}, true);
    SweepTask task{.query = longest,
                   .target = longest,
                   .top = line,
                   .left = line,
                   .row_step = longest.size(),
                   .column_step = longest.size()};
    CHECK(plan_pair_memory({&task, 1}, {&kPairShapes[0], 1}, true, false).ok());
    task.target = longer;
    const Result<PairMemoryPlan> refused = plan_pair_memory({&task, 1}, {&kPairShapes[0], 1}, true, false);
    REQUIRE(!refused.ok());
    CHECK(refused.status().code() == StatusCode::kUnavailable);
    CHECK(refused.status().message().find("2147482624 residues") != std::string::npos);
}

TEST_CASE("border words hold every H, gap and tag") {
    for (const GapCosts gaps : {GapCosts{0, 0}, GapCosts{5, 2}, GapCosts{(1 << 18) - 2, 1}, GapCosts{1 << 18, 0},
                                GapCosts{kHighestGapCost, kHighestGapCost}}) {
        const std::uint32_t tag_bits = pair_tag_bits(gaps);
        const std::uint64_t tags = most_pair_warps(tag_bits) + 1;
        for (const std::int32_t h : {-kHighestPairScoreRaw, -1, 0, 1, 77, kHighestPairScoreRaw}) {
            for (const std::int32_t gap : {h, h - gaps.extend, h - gaps.first()}) {
                for (const std::uint32_t strip : {0u, 1u, 2046u, 16382u, 16383u, 4'000'000u}) {
                    const std::uint32_t tag = PairBorderWord::tag_of(strip, tag_bits);
                    CHECK(tag >= 1);
                    CHECK(tag <= tags);
                    const PairBorderWord word = PairBorderWord::unpacked(PairBorderWord::packed(h, gap, tag, tag_bits));
                    CHECK(word.h() == h);
                    CHECK(word.gap(tag_bits) == gap);
                    CHECK(word.tag(tag_bits) == tag);
                }
            }
        }
        // Strips that are at work together differ in their tags. A word of zeros has none of them.
        for (std::uint32_t k = 1; k < tags; ++k)
            CHECK(PairBorderWord::tag_of(1000, tag_bits) != PairBorderWord::tag_of(1000 + k, tag_bits));
        CHECK(PairBorderWord::unpacked(0).tag(tag_bits) == 0);
    }
}

TEST_CASE("a block's shared memory has a part for each warp, aligned for loads of 16 bytes") {
    for (const PairShape& shape : kPairShapes) {
        for (const std::uint32_t letters : {1u, 4u, 5u, 21u, 25u, 32u}) {
            const PairSharedLayout layout = PairSharedLayout::of(shape.strip_rows(), letters);
            CHECK(layout.profile_bytes == letters * shape.strip_rows());
            CHECK(layout.profile_bytes % alignof(PairWarpMemory) == 0);
            CHECK(layout.warp_bytes() % 16 == 0);
            CHECK(layout.warp_bytes() >= layout.profile_bytes + sizeof(PairWarpMemory));
            CHECK(layout.block_bytes() == 4 * layout.warp_bytes());
            CHECK(layout.block_bytes() <= 227 * 1024);  // what a block of compute capability 9.0 may have
        }
    }
}
