#include "kernels/seeds/word_finder.h"

#include "kernels/seeds/diagonal_state.h"
#include "kernels/seeds/word_finder_reference.h"
#include "kernels/seeds/word_finder_simd.h"
#include "kernels/simd/kernel_table.h"

namespace warpseq {

WordFinderWorkspace::WordFinderWorkspace() : memory_(std::make_unique<Memory>()) {}
WordFinderWorkspace::~WordFinderWorkspace() = default;
WordFinderWorkspace::WordFinderWorkspace(WordFinderWorkspace&&) noexcept = default;

std::unique_ptr<WordFinder> make_word_finder(CpuBackend backend, std::span<const ResidueCode> query,
                                             std::span<const QueryStretch> stretches, const WordRule& rule,
                                             const SubstitutionMatrix& matrix, const WordFinderSettings& settings) {
    if (backend == CpuBackend::kReference) return reference::make_word_finder(query, stretches, rule, matrix, settings);
    return cpu::make_word_finder(*runnable_kernel_table(backend), query, stretches, rule, matrix, settings);
}

}  // namespace warpseq
