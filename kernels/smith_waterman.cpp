// Which Smith-Waterman back ends there are, which of them this processor runs, and how a scorer is made.
#include "kernels/smith_waterman.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd_target.h"
#include "kernels/cpu/smith_waterman.h"
#include "kernels/reference/smith_waterman.h"

namespace warpseq {
namespace {

bool always() { return true; }
#if WARPSEQ_X86
bool has_sse41() { return __builtin_cpu_supports("sse4.1"); }
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}
#endif

struct BackendEntry {
    CpuBackend backend;
    std::string_view name;
    bool (*runnable)();          // nullptr: not in this build
    const KernelTable* kernels;  // nullptr: the scalar reference
};

// Slowest first.
constexpr std::array kBackends = {
    BackendEntry{CpuBackend::kReference, "reference", always, nullptr},
    BackendEntry{CpuBackend::kPortable, "portable", always, &kPortableKernels},
#if WARPSEQ_X86
    BackendEntry{CpuBackend::kSse41, "sse41", has_sse41, &kSse41Kernels},
    BackendEntry{CpuBackend::kAvx2, "avx2", has_avx2, &kAvx2Kernels},
    BackendEntry{CpuBackend::kAvx512, "avx512", has_avx512, &kAvx512Kernels},
#else
    BackendEntry{CpuBackend::kSse41, "sse41", nullptr, nullptr},
    BackendEntry{CpuBackend::kAvx2, "avx2", nullptr, nullptr},
    BackendEntry{CpuBackend::kAvx512, "avx512", nullptr, nullptr},
#endif
};

const BackendEntry& entry_of(CpuBackend backend) {
    return *std::find_if(kBackends.begin(), kBackends.end(),
                         [backend](const BackendEntry& entry) { return entry.backend == backend; });
}

bool is_runnable(const BackendEntry& entry) { return entry.runnable != nullptr && entry.runnable(); }

std::string runnable_names() {
    std::string names = "auto";
    for (const CpuBackend backend : runnable_cpu_backends()) {
        names += ", ";
        names += cpu_backend_name(backend);
    }
    return names;
}

}  // namespace

const KernelTable* runnable_kernel_table(CpuBackend backend) {
    const BackendEntry& entry = entry_of(backend);
    return is_runnable(entry) ? entry.kernels : nullptr;
}

SmithWatermanCounts& SmithWatermanCounts::operator+=(const SmithWatermanCounts& other) {
    cells += other.cells;
    cells_16_bit += other.cells_16_bit;
    cells_32_bit += other.cells_32_bit;
    padding_cells += other.padding_cells;
    return *this;
}

std::string_view cpu_backend_name(CpuBackend backend) { return entry_of(backend).name; }

std::vector<CpuBackend> runnable_cpu_backends() {
    std::vector<CpuBackend> runnable;
    for (const BackendEntry& entry : kBackends) {
        if (is_runnable(entry)) runnable.push_back(entry.backend);
    }
    return runnable;
}

Result<CpuBackend> cpu_backend_from_name(std::string_view name) {
    if (name == "auto") return runnable_cpu_backends().back();
    for (const BackendEntry& entry : kBackends) {
        if (entry.name != name) continue;
        if (is_runnable(entry)) return entry.backend;
        return Status::unavailable(
            "the CPU back end '" + std::string(name) +
            "' needs instructions that this processor does not have; it runs: " + runnable_names());
    }
    return Status::usage("there is no CPU back end '" + std::string(name) +
                         "'; this processor runs: " + runnable_names());
}

Result<std::unique_ptr<SmithWatermanScorer>> make_smith_waterman_scorer(
    CpuBackend backend, std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
    const BackendEntry& entry = entry_of(backend);
    if (!is_runnable(entry)) {
        return Status::unavailable("the CPU back end '" + std::string(entry.name) +
                                   "' does not run on this processor; it runs: " + runnable_names());
    }
    constexpr auto kHighestScore = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    const auto highest_raw = static_cast<std::uint64_t>(std::max(1, scheme.matrix.highest_raw()));
    for (std::size_t q = 0; q < queries.size(); ++q) {
        if (queries[q].size() > kHighestScore / highest_raw) {
            return Status::invalid_input("query " + std::to_string(q + 1) + " of the batch has " +
                                         std::to_string(queries[q].size()) +
                                         " residues; with a highest matrix score of " + std::to_string(highest_raw) +
                                         ", scores fit 31 bits up to " + std::to_string(kHighestScore / highest_raw) +
                                         " residues; split the query");
        }
    }
    if (!entry.kernels) return make_reference_smith_waterman_scorer(queries, scheme);
    return make_simd_smith_waterman_scorer(*entry.kernels, queries, scheme);
}

}  // namespace warpseq
