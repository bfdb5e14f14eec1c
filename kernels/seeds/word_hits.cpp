#include "kernels/seeds/word_hits.h"

#include "kernels/backends/backend_table.h"
#include "kernels/seeds/diagonal_state.h"
#include "kernels/seeds/word_hits_reference.h"
#include "kernels/seeds/word_hits_simd.h"

namespace warpseq {

WordHitWorkspace::WordHitWorkspace() : memory_(std::make_unique<Memory>()) {}
WordHitWorkspace::~WordHitWorkspace() = default;
WordHitWorkspace::WordHitWorkspace(WordHitWorkspace&&) noexcept = default;

std::unique_ptr<WordHitFinder> make_word_hit_finder(CpuBackend backend, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings) {
    if (backend == CpuBackend::kReference)
        return reference::make_word_hit_finder(query, stretches, rule, matrix, settings);
    return cpu::make_word_hit_finder(runnable_backend_table(backend)->kernels, query, stretches, rule, matrix,
                                     settings);
}

}  // namespace warpseq
