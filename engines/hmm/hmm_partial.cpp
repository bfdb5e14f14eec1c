#include "engines/hmm/hmm_partial.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace warpseq {

void HmmPartial::sort() {
    for (std::vector<HmmHit>& of_profile : hits) std::ranges::sort(of_profile, {}, &HmmHit::place);
}

void HmmPartial::add(HmmPartial&& other) {
    if (hits.empty()) *this = HmmPartial(other.hits.size());
    assert(hits.size() == other.hits.size());
    for (std::size_t p = 0; p < hits.size(); ++p) {
        const auto middle = static_cast<std::ptrdiff_t>(hits[p].size());
        hits[p].insert(hits[p].end(), std::make_move_iterator(other.hits[p].begin()),
                       std::make_move_iterator(other.hits[p].end()));
        std::ranges::inplace_merge(hits[p], hits[p].begin() + middle, {}, &HmmHit::place);
        counts[p].passed_msv += other.counts[p].passed_msv;
        counts[p].passed_bias += other.counts[p].passed_bias;
        counts[p].passed_viterbi += other.counts[p].passed_viterbi;
        counts[p].passed_forward += other.counts[p].passed_forward;
    }
}

void set_totals(HmmStageCounts& counts, const ProfileHmm& profile, const DatabaseSet& databases) {
    counts.models = 1;
    counts.nodes = static_cast<std::uint64_t>(profile.length);
    counts.targets = databases.sequence_count();
    counts.residues = databases.residue_count();
}

}  // namespace warpseq
