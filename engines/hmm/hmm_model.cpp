#include "engines/hmm/hmm_model.h"

namespace warpseq {

HmmModel::HmmModel(const ProfileHmm& hmm, const ForwardProfile& odds, const HmmThresholds& limits)
    : name(hmm.name),
      accession(hmm.accession),
      description(hmm.description),
      length(hmm.length),
      consensus(hmm.consensus),
      reference(hmm.reference),
      structure(hmm.structure),
      likely(odds.match.size()),
      thresholds(limits) {
    for (std::size_t i = 0; i < likely.size(); ++i) likely[i] = odds.match[i] > 1.0F;
}

}  // namespace warpseq
