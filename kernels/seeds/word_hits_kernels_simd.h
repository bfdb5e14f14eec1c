// The kernel of kernels/seeds/word_hits_table_simd.h, written once as a template over a lane type.
// This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.

namespace warpseq::simd {

template <class V>
WARPSEQ_SIMD typename V::Vector load_scores(const typename V::Lane* p) {
    if constexpr (sizeof(typename V::Lane) == 1) {
        return V::load_widened(p);
    } else {
        return V::load_unaligned(p);
    }
}

template <class V, std::size_t residues>
void find_word_hits_of(const WordHitTask<typename V::Lane>& task) {
    using Task = WordHitTask<typename V::Lane>;
    const typename V::Vector limit = V::set(task.limit);
    for (std::size_t block = 0; block < task.blocks; ++block) {
        std::uint64_t hits = 0;
        for (std::size_t lane = 0; lane < Task::kBlock; lane += V::kLanes) {
            const std::size_t at = block * Task::kBlock + lane;
            typename V::Vector sum = load_scores<V>(task.rows[0] + at);
            for (std::size_t k = 1; k < residues; ++k) sum = V::add(sum, load_scores<V>(task.rows[k] + at));
            hits |= std::uint64_t{V::greater_mask(sum, limit)} << lane;
        }
        task.hits[block] = hits;
    }
}

template <class V>
void find_word_hits(const WordHitTask<typename V::Lane>& task) {
    switch (task.residues) {
        case 2: return find_word_hits_of<V, 2>(task);
        case 3: return find_word_hits_of<V, 3>(task);
        case 4: return find_word_hits_of<V, 4>(task);
        case 5: return find_word_hits_of<V, 5>(task);
        case 6: return find_word_hits_of<V, 6>(task);
        default: return find_word_hits_of<V, 7>(task);
    }
}

}  // namespace warpseq::simd
