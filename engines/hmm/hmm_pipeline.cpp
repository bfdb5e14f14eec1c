#include "engines/hmm/hmm_pipeline.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <stop_token>
#include <utility>

#include "engines/hmm/domain_definition.h"
#include "formats/profiles/pressed_profiles.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/base/compensated_sum.h"
#include "libcore/statistics/extreme_value.h"

namespace warpseq {
namespace {

constexpr int kSamples = 200;
/// Most regions that are sampled in one call, and cells from which there are fewer. The regions
/// fill the kernels' lanes, since each brings all its sampled domains.
constexpr std::size_t kRegionsPerCall = 64;
constexpr std::uint64_t kCellsPerCall = std::uint64_t{1} << 24;

bool passes(double pvalue, double threshold) { return pvalue <= threshold; }

/// Returns the least float for which `passes` is true. It has to be false up to some float and true
/// from there on, including infinity.
template <typename Passes>
float least_float(const Passes& passes) {
    // These two convert floats to integers of the same order, and back.
    const auto place = [](float value) {
        const auto bits = std::bit_cast<std::int32_t>(value);
        return bits >= 0 ? std::int64_t{bits} : std::int64_t{INT32_MIN} - bits;
    };
    const auto float_at = [](std::int64_t at) {
        return std::bit_cast<float>(static_cast<std::int32_t>(at >= 0 ? at : INT32_MIN - at));
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (passes(-kInfinity)) return -kInfinity;
    if (!passes(kInfinity)) return std::numeric_limits<float>::quiet_NaN();
    std::int64_t below = place(-kInfinity), from = place(kInfinity);
    while (from - below > 1) {
        const std::int64_t middle = below + (from - below) / 2;
        (passes(float_at(middle)) ? from : below) = middle;
    }
    return float_at(from);
}

/// Returns the correction in nats for a sum of null2 scores: log(1 + omega e^sum).
float bias_correction_nats(float null2_sum_nats) {
    static const double kLogPrior = std::log(static_cast<double>(kNull2Prior));
    return table_logsum_nats(0.0f, static_cast<float>(kLogPrior + null2_sum_nats));
}

float msv_nats(std::int16_t result, std::uint64_t residues) {
    return result == kMsvOverflow ? std::numeric_limits<float>::infinity() : MsvProfile::score_nats(result, residues);
}

/// A target after Forward, while its domains are worked out.
struct DomainWork {
    std::size_t target;  // index into the batch
    float forward_nats = 0;
    float expected_domains = 0;
    std::vector<Region> regions;
    int clustered_regions = 0;
    std::vector<std::vector<float>> null2_nats;  // per region and its residues; empty: 0
};

struct RegionWork {
    std::size_t work;          // index into the list of DomainWork
    std::size_t region_index;  // order of the regions of a target
    RegionTask task;
};

struct EnvelopeWork {
    std::size_t work;
    std::size_t region_index;
    Envelope envelope;
    bool clustered;  // null2 is known from the sampled tracebacks
    EnvelopeTask task;
};

template <typename Work, typename Task>
std::vector<Task*> tasks_of(std::vector<Work>& works, Task Work::*task) {
    std::vector<Task*> tasks;
    tasks.reserve(works.size());
    for (Work& work : works) tasks.push_back(&(work.*task));
    return tasks;
}

std::span<const ResidueCode> part(std::span<const ResidueCode> residues, std::int64_t from, std::int64_t to) {
    return residues.subspan(static_cast<std::size_t>(from - 1), static_cast<std::size_t>(to - from + 1));
}

/// Returns the log of the length model's probability of residues outside domains.
double outside_nats(std::int64_t outside_residues, std::uint64_t target_residues) {
    return static_cast<double>(outside_residues) *
           std::log(static_cast<double>(static_cast<float>(target_residues) / static_cast<float>(target_residues + 3)));
}

/// Resolves the regions of all works into envelopes, in order of target and residue.
std::vector<EnvelopeWork> find_envelopes(std::vector<DomainWork>& works, std::span<const HmmPipeline::Target> targets,
                                         const ForwardBackward& kernels, ForwardBackward::Workspace& workspace,
                                         int nodes, const HmmPipelineSettings& settings) {
    const std::stop_token& stop = workspace.stop;
    std::vector<RegionWork> sampled;
    std::uint64_t sampled_cells = 0;
    std::vector<EnvelopeWork> envelopes;
    const auto sample = [&] {
        kernels.sample_regions(tasks_of(sampled, &RegionWork::task), workspace);
        for (RegionWork& region : sampled) {
            DomainWork& work = works[region.work];
            if (stop.stop_requested()) break;
            std::vector<float>& null2_nats = work.null2_nats[region.region_index];
            null2_nats = std::move(region.task.null2_ratio_sum);
            for (float& value : null2_nats) value = std::log(value / static_cast<float>(kSamples));
            const std::int64_t before = work.regions[region.region_index].from - 1;
            for (const Envelope& envelope : cluster_domains(region.task.domains, kSamples, stop)) {
                envelopes.push_back(
                    {region.work, region.region_index, {envelope.from + before, envelope.to + before}, true, {}});
            }
        }
        sampled.clear();
        sampled_cells = 0;
    };
    for (std::size_t w = 0; w < works.size(); ++w) {
        const auto residues = targets[works[w].target].residues;
        for (std::size_t r = 0; r < works[w].regions.size(); ++r) {
            const Region& region = works[w].regions[r];
            if (!region.several_domains) {
                envelopes.push_back({w, r, {region.from, region.to}, false, {}});
                continue;
            }
            ++works[w].clustered_regions;
            RegionTask task;
            task.region = part(residues, region.from, region.to);
            task.length_model = LengthModel::multihit(residues.size());
            task.seed = settings.seed;
            task.samples = kSamples;
            sampled_cells += task.region.size() * static_cast<std::uint64_t>(nodes);
            sampled.push_back({w, r, std::move(task)});
            if (sampled.size() == kRegionsPerCall || sampled_cells >= kCellsPerCall) sample();
            if (stop.stop_requested()) return {};
        }
    }
    sample();
    if (stop.stop_requested()) return {};
    std::ranges::stable_sort(envelopes, {}, [](const EnvelopeWork& e) { return std::pair(e.work, e.region_index); });
    for (EnvelopeWork& envelope : envelopes) {
        const auto residues = targets[works[envelope.work].target].residues;
        envelope.task.envelope = part(residues, envelope.envelope.from, envelope.envelope.to);
        envelope.task.length_model = LengthModel::unihit(residues.size());
        envelope.task.wants_null2 = !envelope.clustered;
    }
    kernels.decode_envelopes(tasks_of(envelopes, &EnvelopeWork::task), workspace);
    return envelopes;
}

HmmDomain make_domain(EnvelopeWork& envelope, DomainWork& work, std::span<const ResidueCode> residues) {
    HmmDomain domain;
    domain.envelope_from = envelope.envelope.from;
    domain.envelope_to = envelope.envelope.to;
    domain.envelope_nats = envelope.task.forward_nats;
    domain.expected_accuracy = envelope.task.expected_accuracy;
    const Region& region = work.regions[envelope.region_index];
    std::vector<float>& null2_nats = work.null2_nats[envelope.region_index];
    if (!envelope.clustered) {
        null2_nats.clear();
        for (const ResidueCode residue : part(residues, region.from, region.to))
            null2_nats.push_back(std::log(envelope.task.null2_odds[residue]));
    }
    for (std::int64_t i = domain.envelope_from; i <= domain.envelope_to; ++i)
        domain.null2_nats += null2_nats[static_cast<std::size_t>(i - region.from)];
    domain.trace = std::move(envelope.task.trace);
    for (TraceStep& step : domain.trace) step.residue += domain.envelope_from - 1;
    domain.alignment_from = domain.trace.front().residue;
    domain.alignment_to = domain.trace.back().residue;
    domain.node_from = domain.trace.front().node;
    domain.node_to = domain.trace.back().node;
    const auto aligned = part(residues, domain.alignment_from, domain.alignment_to);
    domain.aligned_residues.assign(aligned.begin(), aligned.end());
    return domain;
}

/// Returns the sum of null2 scores over all residues of a target. Those outside of regions are 0.
float null2_sum_nats(const DomainWork& work, std::uint64_t residues) {
    CompensatedSum sum;
    std::int64_t summed = 0;  // residues
    for (std::size_t r = 0; r < work.regions.size(); ++r) {
        if (work.null2_nats[r].empty()) continue;
        sum.add_zeros(static_cast<std::uint64_t>(work.regions[r].from - 1 - summed));
        for (const float value : work.null2_nats[r]) sum.add(value);
        summed = work.regions[r].to;
    }
    sum.add_zeros(residues - static_cast<std::uint64_t>(summed));
    return sum.value();
}

/// Computes the scores of a target and of its domains, once these are known.
void score_hit(HmmHit& hit, const DomainWork& work, float null_nats, const HmmStatistics& statistics, bool use_null2) {
    const std::uint64_t residues = hit.target_residues;
    float bias_nats = use_null2 ? bias_correction_nats(null2_sum_nats(work, residues)) : 0;
    const float forward_nats = work.forward_nats;
    hit.uncorrected_bits = bits_of(forward_nats - null_nats);
    hit.score_bits = bits_of(forward_nats - (null_nats + bias_nats));

    // The score put together from domains that are significant by themselves.
    float sum_nats = 0, null2_nats = 0;
    std::int64_t in_domains = 0;
    for (const HmmDomain& domain : hit.domains) {
        if (!(domain.envelope_nats - (use_null2 ? domain.null2_nats : 0.0f) > 0.0f)) continue;
        sum_nats += domain.envelope_nats;
        in_domains += domain.envelope_to - domain.envelope_from + 1;
        if (use_null2) null2_nats += domain.null2_nats;
    }
    bias_nats = use_null2 ? bias_correction_nats(null2_nats) : 0;
    sum_nats = static_cast<float>(sum_nats + outside_nats(static_cast<std::int64_t>(residues) - in_domains, residues));
    const float uncorrected_sum_bits = bits_of(sum_nats - null_nats);
    const float sum_bits = bits_of(sum_nats - (null_nats + bias_nats));
    if (in_domains > 0 && sum_bits > hit.score_bits) {
        hit.score_bits = sum_bits;
        hit.uncorrected_bits = uncorrected_sum_bits;
    }
    const auto log_pvalue = [&statistics](float score_bits) {
        return exponential_log_survival(score_bits, statistics.forward_tau, statistics.forward_lambda);
    };
    hit.log_pvalue = log_pvalue(hit.score_bits);

    for (HmmDomain& domain : hit.domains) {
        const std::int64_t length = domain.envelope_to - domain.envelope_from + 1;
        const auto nats = static_cast<float>(domain.envelope_nats +
                                             outside_nats(static_cast<std::int64_t>(residues) - length, residues));
        domain.bias_nats = use_null2 ? bias_correction_nats(domain.null2_nats) : 0;
        domain.score_bits = bits_of(nats - (null_nats + domain.bias_nats));
        domain.log_pvalue = log_pvalue(domain.score_bits);
    }
}

}  // namespace

HmmPipeline::HmmPipeline(const ProfileHmm& hmm, const HmmPipelineSettings& settings)
    : hmm_(hmm), settings_(settings), statistics_(*hmm.statistics), bias_filter_(hmm.length, hmm.composition) {
    configured_ = configure_plan7(hmm);
    msv_profile_ = quantise_msv(configured_);
}

HmmPipeline::HmmPipeline(const ProfileHmm& head, MsvProfile msv, HmmPressedPlace rest,
                         const HmmPipelineSettings& settings)
    : hmm_(head),
      settings_(settings),
      statistics_(*head.statistics),
      msv_profile_(std::move(msv)),
      bias_filter_(head.length, head.composition),
      rest_(std::move(rest)) {}

Status HmmPipeline::make_later() const {
    if (rest_) {
        auto form = rest_->file->later_form(rest_->profile);
        if (!form.ok()) return form.status();
        configured_ = *std::move(form);
    }
    later_.viterbi_profile = quantise_viterbi(configured_);
    later_.forward_profile = forward_odds(configured_);
    later_.bounds_scores = bounds_scores(later_.forward_profile);
    later_.viterbi_filter = make_viterbi_filter(settings_.backend, later_.viterbi_profile);
    later_.forward_backward = make_forward_backward(settings_.backend, later_.forward_profile);
    configured_ = {};
    return {};
}

Status HmmPipeline::prepare_later() const {
    once_.call([this] { later_status_ = make_later(); });
    return later_status_;
}

const HmmPipeline::Later& HmmPipeline::later() const {
    [[maybe_unused]] const Status prepared = prepare_later();
    assert(prepared.ok());
    return later_;
}

Result<const ProfileHmm*> HmmPipeline::whole_hmm() const {
    if (!rest_) return &hmm_;
    whole_once_.call([this] {
        ProfileHmm hmm;
        whole_status_ = rest_->file->read(rest_->profile, hmm);
        if (whole_status_.ok()) whole_ = std::move(hmm);
    });
    if (!whole_) return whole_status_;
    return &*whole_;
}

bool HmmPipeline::msv_passes(float bits, double pvalue) const {
    return passes(gumbel_survival(bits, statistics_.msv_mu, statistics_.msv_lambda), pvalue);
}

bool HmmPipeline::viterbi_passes(float bits) const {
    return passes(gumbel_survival(bits, statistics_.viterbi_mu, statistics_.viterbi_lambda), settings_.f2);
}

bool HmmPipeline::forward_passes(float bits) const {
    return passes(exponential_survival(bits, statistics_.forward_tau, statistics_.forward_lambda), settings_.f3);
}

HmmLeastBits HmmPipeline::least_passing_bits() const {
    HmmLeastBits least;
    least.msv = least_float([this](float bits) { return msv_passes(bits, settings_.f1); });
    least.skip_viterbi = least_float([this](float bits) { return msv_passes(bits, settings_.f2); });
    least.viterbi = least_float([this](float bits) { return viterbi_passes(bits); });
    least.forward = least_float([this](float bits) { return forward_passes(bits); });
    return least;
}

int HmmPipeline::lowest_passing_msv(const HmmTargetLength& target, int near) const {
    const auto result_passes = [&](int result) {
        return msv_passes(bits_of(MsvProfile::nats_of_units(result - target.msv_move) - target.null_nats),
                          settings_.f1);
    };
    // P falls as the score rises. The least result of 0..256 that passes is sought from `near` in
    // doubled steps, then by halves.
    int below = -1, from = 256;
    for (int step = 1, at = near; at > below && at < from; step *= 2) {
        const bool passed = result_passes(at);
        (passed ? from : below) = at;
        at += passed ? -step : step;
    }
    while (from - below > 1) {
        const int middle = (below + from) / 2;
        (result_passes(middle) ? from : below) = middle;
    }
    return from;
}

bool HmmPipeline::passes_msv_and_bias(std::int16_t msv_result, std::span<const ResidueCode> target,
                                      HmmCandidate& candidate, bool& passed_msv) const {
    candidate.null_nats = candidate.filter_nats = null1_score_nats(target.size());
    passed_msv = true;
    if (settings_.max) {
        candidate.pvalue = 0;
        return true;
    }
    const float nats = msv_nats(msv_result, target.size());
    const auto pvalue = [&](float null_nats) {
        return gumbel_survival(bits_of(nats - null_nats), statistics_.msv_mu, statistics_.msv_lambda);
    };
    candidate.pvalue = pvalue(candidate.null_nats);
    passed_msv = passes(candidate.pvalue, settings_.f1);
    if (!passed_msv || !settings_.bias_filter) return passed_msv;
    candidate.filter_nats = bias_filter_.score_nats(target);
    candidate.pvalue = pvalue(candidate.filter_nats);
    return passes(candidate.pvalue, settings_.f1);
}

bool HmmPipeline::passes_viterbi(std::int16_t viterbi_result, std::uint64_t target_residues,
                                 const HmmCandidate& candidate) const {
    const float nats = viterbi_result == kViterbiOverflow ? std::numeric_limits<float>::infinity()
                                                          : ViterbiProfile::score_nats(viterbi_result, target_residues);
    const float bits = bits_of(nats - candidate.filter_nats);
    return viterbi_passes(bits);
}

void HmmPipeline::score_null_models(std::span<const ResidueCode> target, HmmCandidate& candidate) const {
    candidate.null_nats = candidate.filter_nats = null1_score_nats(target.size());
    if (!settings_.max && settings_.bias_filter) candidate.filter_nats = bias_filter_.score_nats(target);
}

std::vector<HmmPipeline::Decoded> HmmPipeline::find_regions(std::span<const Target> targets,
                                                            ForwardBackward::Workspace& workspace) const {
    struct Work {
        std::size_t target;  // index into the batch
        ForwardTask forward;
    };
    const std::stop_token& stop = workspace.stop;
    std::vector<Decoded> decoded(targets.size());
    std::vector<Work> works(targets.size());
    for (std::size_t t = 0; t < targets.size(); ++t) {
        works[t].target = t;
        works[t].forward.target = targets[t].residues;
        works[t].forward.length_model = LengthModel::multihit(targets[t].residues.size());
    }
    forward_backward().forward(tasks_of(works, &Work::forward), workspace);
    if (stop.stop_requested()) return decoded;
    std::erase_if(works, [&](const Work& work) {
        const float bits = bits_of(work.forward.score_nats - targets[work.target].candidate.filter_nats);
        const bool passed = work.forward.in_range && forward_passes(bits);
        decoded[work.target].passed_forward = passed;
        decoded[work.target].out_of_range = !work.forward.in_range;
        return !passed;
    });
    forward_backward().backward(tasks_of(works, &Work::forward), workspace);
    for (Work& work : works) {
        if (stop.stop_requested()) return decoded;
        if (!work.forward.in_range) {
            decoded[work.target].out_of_range = true;
            continue;
        }
        std::optional<TargetRegions> found = warpseq::find_regions(work.forward, forward_backward(), workspace);
        work.forward.forward = SpecialStates();
        work.forward.backward = SpecialStates();
        work.forward.blocks = RowBlocks();
        if (!found || found->regions.empty()) continue;
        decoded[work.target].regions = {work.forward.score_nats, *std::move(found)};
    }
    return decoded;
}

std::vector<std::optional<HmmHit>> HmmPipeline::score_regions(std::span<const Target> targets,
                                                              std::span<HmmRegions* const> regions,
                                                              ForwardBackward::Workspace& workspace) const {
    std::vector<std::optional<HmmHit>> hits(targets.size());
    std::vector<DomainWork> works(targets.size());
    for (std::size_t t = 0; t < targets.size(); ++t) {
        works[t].target = t;
        works[t].forward_nats = regions[t]->forward_nats;
        works[t].expected_domains = regions[t]->found.expected_domains;
        works[t].regions = std::move(regions[t]->found.regions);
        works[t].null2_nats.resize(works[t].regions.size());
    }
    std::vector<EnvelopeWork> envelopes =
        find_envelopes(works, targets, forward_backward(), workspace, hmm_.length, settings_);
    if (workspace.stop.stop_requested()) return hits;
    for (std::size_t first = 0, end; first < envelopes.size(); first = end) {
        DomainWork& work = works[envelopes[first].work];
        const Target& target = targets[work.target];
        HmmHit hit;
        hit.target_residues = target.residues.size();
        std::size_t region = std::numeric_limits<std::size_t>::max();
        std::int64_t last_to = 0;  // of the region's accepted envelopes
        for (end = first; end < envelopes.size() && envelopes[end].work == envelopes[first].work; ++end) {
            EnvelopeWork& envelope = envelopes[end];
            if (envelope.region_index != region) last_to = 0;
            region = envelope.region_index;
            ++hit.envelopes;
            if (envelope.clustered && envelope.envelope.from <= last_to) ++hit.overlapping_envelopes;
            if (!envelope.task.in_range || envelope.task.trace.empty()) continue;
            last_to = envelope.envelope.to;
            hit.domains.push_back(make_domain(envelope, work, target.residues));
        }
        if (hit.domains.empty()) continue;
        hit.expected_domains = work.expected_domains;
        hit.regions = static_cast<int>(work.regions.size());
        hit.clustered_regions = work.clustered_regions;
        score_hit(hit, work, target.candidate.null_nats, statistics_, settings_.null2);
        hits[work.target] = std::move(hit);
    }
    return hits;
}

std::vector<HmmPipeline::Finished> HmmPipeline::finish(std::span<const Target> targets,
                                                       ForwardBackward::Workspace& workspace) const {
    std::vector<Decoded> decoded = find_regions(targets, workspace);
    std::vector<Finished> finished(targets.size());
    if (workspace.stop.stop_requested()) return finished;
    std::vector<std::size_t> of;
    std::vector<Target> left;
    std::vector<HmmRegions*> regions;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        finished[t].passed_forward = decoded[t].passed_forward;
        finished[t].out_of_range = decoded[t].out_of_range;
        if (!decoded[t].regions) continue;
        of.push_back(t);
        left.push_back(targets[t]);
        regions.push_back(&*decoded[t].regions);
    }
    std::vector<std::optional<HmmHit>> hits = score_regions(left, regions, workspace);
    for (std::size_t t = 0; t < of.size(); ++t) finished[of[t]].hit = std::move(hits[t]);
    return finished;
}

HmmScoreBound HmmPipeline::score_bound(const HmmRegions& regions, const Target& target) const {
    HmmScoreBound bound;
    if (later().bounds_scores)
        bound.most_bits = most_score_bits(regions, target.residues.size(), target.candidate.null_nats, hmm_.length);
    bound.least_log_pvalue =
        exponential_log_survival(bound.most_bits, statistics_.forward_tau, statistics_.forward_lambda);
    return bound;
}

}  // namespace warpseq
