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

void add_counts(std::vector<HmmStageCounts>& counts, const std::vector<HmmStageCounts>& others) {
    counts.resize(std::max(counts.size(), others.size()));
    for (std::size_t i = 0; i < others.size(); ++i) {
        counts[i].passed_msv += others[i].passed_msv;
        counts[i].passed_bias += others[i].passed_bias;
        counts[i].passed_viterbi += others[i].passed_viterbi;
        counts[i].passed_forward += others[i].passed_forward;
    }
}

void HmmPartial::add(HmmPartial&& other) {
    if (hits.empty()) *this = HmmPartial(other.hits.size());
    assert(hits.size() == other.hits.size());
    for (std::size_t p = 0; p < hits.size(); ++p) {
        const auto middle = static_cast<std::ptrdiff_t>(hits[p].size());
        hits[p].insert(hits[p].end(), std::make_move_iterator(other.hits[p].begin()),
                       std::make_move_iterator(other.hits[p].end()));
        std::ranges::inplace_merge(hits[p], hits[p].begin() + middle, {}, &HmmHit::place);
    }
    add_counts(counts, other.counts);
    add_counts(sequence_counts, other.sequence_counts);
    unscored.resize(std::max(unscored.size(), other.unscored.size()));
    for (std::size_t p = 0; p < other.unscored.size(); ++p)
        unscored[p].insert(unscored[p].end(), std::make_move_iterator(other.unscored[p].begin()),
                           std::make_move_iterator(other.unscored[p].end()));
}

void set_totals(HmmStageCounts& counts, const ProfileHmm& profile, const DatabaseSet& databases) {
    counts.models = 1;
    counts.nodes = static_cast<std::uint64_t>(profile.length);
    counts.targets = databases.searched_totals().sequences;
    counts.residues = databases.searched_totals().residues;
}

}  // namespace warpseq
