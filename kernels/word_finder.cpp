#include "kernels/word_finder.h"

#include "kernels/cpu/word_finder.h"
#include "kernels/diagonal_state.h"
#include "kernels/reference/word_finder.h"

namespace warpseq {

WordFinderWorkspace::WordFinderWorkspace() : memory_(std::make_unique<Memory>()) {}
WordFinderWorkspace::~WordFinderWorkspace() = default;
WordFinderWorkspace::WordFinderWorkspace(WordFinderWorkspace&&) noexcept = default;

std::unique_ptr<WordFinder> make_word_finder(CpuBackend backend, std::span<const ResidueCode> query, std::span<const QueryStretch> stretches,
                                             const WordRule& rule, const SubstitutionMatrix& matrix, const WordFinderSettings& settings) {
    return backend == CpuBackend::kReference ? reference::make_word_finder(query, stretches, rule, matrix, settings)
                                             : cpu::make_word_finder(query, stretches, rule, matrix, settings);
}

}  // namespace warpseq
