// Forward of regions, and tracebacks that are sampled from its matrix in scalar code.
#include "kernels/profile/sampled_traces_simd.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/profile/null2.h"
#include "kernels/profile/plan7_state.h"
#include "libcore/base/compensated_sum.h"
#include "libcore/base/linear_congruential.h"

namespace warpseq {
namespace {

/// The greatest size of the sums that are kept for rows in which sampled domains end.
constexpr std::size_t kEndSumsBytes = std::size_t{8} << 20;

/// Returns thresholds for choosing among `paths` by a random number of [0, 1). Each path has a
/// probability of its value over their sum (all equal if that is 0). Path p is chosen if the number
/// is below threshold p and no earlier one. If it is below none, the last path is chosen.
template <std::size_t count>
std::array<double, count - 1> choice_thresholds(std::array<float, count> paths) {
    normalise(std::span<float>(paths));
    double norm = 0, sum = 0;
    for (const float path : paths) norm += static_cast<double>(path);
    std::array<double, count - 1> thresholds;
    for (std::size_t p = 0; p + 1 < count; ++p) {
        sum += static_cast<double>(paths[p]);
        thresholds[p] = sum / norm;
    }
    return thresholds;
}

/// Samples tracebacks of one region from its Forward matrix.
class Sampler {
   public:
    Sampler(const ForwardBackwardTable& table, const StripedProfile& profile, const GroupedTargets& group,
            const ForwardGroup& forward, std::size_t t, RegionTask& task, GroupWorkspace& workspace)
        : table_(table),
          profile_(profile),
          group_(group),
          forward_(forward),
          t_(t),
          task_(task),
          work_(workspace),
          choices_(workspace.sampled),
          random_(task.seed),
          residues_(task.region.size()) {
        choices_.match.clear();
        for (auto* choices : {&choices_.c, &choices_.j, &choices_.b}) choices->assign(residues_ + 1, -1.0);
        choices_.end_rows.assign(residues_ + 1, {});
        choices_.end_sums.clear();
        work_.match_weights.assign(4 * profile_.stripes, 0.0f);
        work_.places.resize(4 * profile_.stripes);
        for (std::size_t at = 0; at < work_.places.size(); ++at)
            work_.places[at] = static_cast<std::uint32_t>(profile_.place(at));
    }

    void run() {
        clear_match_slots();
        float* const ratio_sum = task_.null2_ratio_sum.data();
        const ResidueCode* const region = task_.region.data();
        for (int trace = 0; trace < task_.samples && !is_stopped(); ++trace) {
            domains_.clear();
            sample();
            std::size_t i = 0;
            for (auto domain = domains_.rbegin(); domain != domains_.rend(); ++domain) {
                domain->place.trace = trace;
                task_.domains.push_back(domain->place);
                // The first residue of a domain counts as outside it.
                const auto begin = static_cast<std::size_t>(domain->place.residue_begin);
                const auto end = static_cast<std::size_t>(domain->place.residue_end);
                for (; i < begin; ++i) ratio_sum[i] += 1;
                for (; i < end; ++i) ratio_sum[i] += domain->null2[region[i]];
            }
            for (; i < residues_; ++i) ratio_sum[i] += 1;
        }
    }

   private:
    bool is_stopped() const { return work_.stop.stop_requested(); }

    /// Clears memory in pieces, since gigabytes of fresh memory take a second.
    void clear_match_slots() {
        constexpr std::size_t kSlotsBetweenLooks = std::size_t{1} << 20;
        const std::size_t slots = residues_ * 4 * profile_.stripes;
        match_slots_ = reinterpret_cast<std::uint32_t*>(work_.match_slots.reserve(slots * sizeof(std::uint32_t)));
        for (std::size_t first = 0; first < slots && !is_stopped(); first += kSlotsBetweenLooks)
            std::fill_n(match_slots_ + first, std::min(kSlotsBetweenLooks, slots - first), 0u);
    }

    struct Domain {
        SampledDomain place{};
        std::array<float, kResidueTableSize> null2{};
    };

    float special(std::size_t i, GroupSpecial::Kind kind) const {
        return group_.special(forward_.forward, i, t_, kind);
    }
    /// Returns the factor for stored values of row i.
    float unscale(std::size_t i) const { return reciprocal(special(i, GroupSpecial::kScale)); }
    const float* match_insert(std::size_t i) const {
        return forward_.match_insert + i * forward_.match_insert_stride + 4 * t_;
    }
    const float* deletes(std::size_t i) const { return forward_.deletes + i * forward_.deletes_stride + 4 * t_; }
    std::size_t quad(std::size_t at) const { return at % profile_.stripes * group_.kind_floats(); }
    std::size_t lane(std::size_t at) const { return at / profile_.stripes; }
    float match(std::size_t i, std::size_t at) const { return match_insert(i)[2 * quad(at) + lane(at)] * unscale(i); }
    float insert(std::size_t i, std::size_t at) const {
        return match_insert(i)[2 * quad(at) + group_.kind_floats() + lane(at)] * unscale(i);
    }
    float del(std::size_t i, std::size_t at) const { return deletes(i)[quad(at) + lane(at)] * unscale(i); }
    float transition(std::size_t at, StripedProfile::Transition kind) const {
        return profile_.transitions[4 * (StripedProfile::kTransitions * (at % profile_.stripes) + kind) + lane(at)];
    }
    float delete_delete(std::size_t at) const { return profile_.delete_delete[4 * (at % profile_.stripes) + lane(at)]; }

    Plan7State from_match(std::size_t i, std::size_t at) {
        std::uint32_t& slot = match_slots_[(i - 1) * 4 * profile_.stripes + at];
        if (slot == 0) {
            const bool first = at == 0;
            choices_.match.push_back(choice_thresholds<4>(
                {special(i - 1, GroupSpecial::kB) * transition(at, StripedProfile::kEnter),
                 first ? 0.0f : match(i - 1, at - 1) * transition(at, StripedProfile::kMatchMatch),
                 first ? 0.0f : insert(i - 1, at - 1) * transition(at, StripedProfile::kInsertMatch),
                 first ? 0.0f : del(i - 1, at - 1) * transition(at, StripedProfile::kDeleteMatch)}));
            slot = static_cast<std::uint32_t>(choices_.match.size());
        }
        const std::array<double, 3>& thresholds = choices_.match[slot - 1];
        const double roll = random_.uniform();
        if (roll < thresholds[0]) return Plan7State::kB;
        if (roll < thresholds[1]) return Plan7State::kMatch;
        return roll < thresholds[2] ? Plan7State::kInsert : Plan7State::kDelete;
    }

    Plan7State from_delete(std::size_t i, std::size_t at) {
        const bool first = at == 0;
        const double threshold =
            choice_thresholds<2>({first ? 0.0f : match(i, at - 1) * transition(at - 1, StripedProfile::kMatchDelete),
                                  first ? 0.0f : del(i, at - 1) * delete_delete(at - 1)})[0];
        return random_.uniform() < threshold ? Plan7State::kMatch : Plan7State::kDelete;
    }

    Plan7State from_insert(std::size_t i, std::size_t at) {
        const double threshold =
            choice_thresholds<2>({match(i - 1, at) * transition(at, StripedProfile::kMatchInsert),
                                  insert(i - 1, at) * transition(at, StripedProfile::kInsertInsert)})[0];
        return random_.uniform() < threshold ? Plan7State::kMatch : Plan7State::kInsert;
    }

    Plan7State from_c_or_j(Plan7State state, std::size_t i) {
        const bool is_c = state == Plan7State::kC;
        double& threshold = (is_c ? choices_.c : choices_.j)[i];
        if (threshold < 0) {
            const TargetGroup& group = group_.common();
            threshold =
                choice_thresholds<2>({special(i - 1, is_c ? GroupSpecial::kC : GroupSpecial::kJ) * group.loop[t_],
                                      special(i, GroupSpecial::kE) * (is_c ? group.end_move : group.end_loop)[t_] *
                                          special(i, GroupSpecial::kScale)})[0];
        }
        return random_.uniform() < threshold ? state : Plan7State::kE;
    }

    Plan7State from_b(std::size_t i) {
        double& threshold = choices_.b[i];
        if (threshold < 0) {
            const float move = group_.common().move[t_];
            threshold =
                choice_thresholds<2>({special(i, GroupSpecial::kN) * move, special(i, GroupSpecial::kJ) * move})[0];
        }
        return random_.uniform() < threshold ? Plan7State::kN : Plan7State::kJ;
    }

    /// Returns running sums of a row's match and delete values as shares of E, up to the stripe in
    /// which they exceed `roll`, or all. They are in scan order: a stripe's match values, then its
    /// deletes.
    std::span<const double> end_sums(std::size_t i, double roll) {
        const std::size_t count = 8 * profile_.stripes;
        SampledChoices::EndSums* row = &choices_.end_rows[i];
        if (row->stripes == 0) {
            if ((choices_.end_sums.size() + count) * sizeof(double) > kEndSumsBytes) {
                std::fill(choices_.end_rows.begin(), choices_.end_rows.end(), SampledChoices::EndSums{});
                choices_.end_sums.clear();
            }
            row->first = choices_.end_sums.size();
            choices_.end_sums.resize(choices_.end_sums.size() + count);
        }
        double* const sums = choices_.end_sums.data() + row->first;
        double sum = row->stripes == 0 ? 0 : sums[8 * row->stripes - 1];
        const EndShares shares(*this, i);
        for (; row->stripes < profile_.stripes && !(roll < sum); ++row->stripes)
            shares.add(row->stripes, sum, sums + 8 * row->stripes);
        return {sums, 8 * row->stripes};
    }

    /// The match and delete values of a row as shares of E.
    class EndShares {
       public:
        EndShares(const Sampler& sampler, std::size_t i)
            : norm_(reciprocal(sampler.special(i, GroupSpecial::kE))),
              factor_(sampler.unscale(i)),
              matches_(sampler.match_insert(i)),
              deletes_(sampler.deletes(i)),
              kind_floats_(sampler.group_.kind_floats()) {}

        /// Adds the shares of a stripe to `sum` one by one. Stores the sum after each in `sums`.
        void add(std::size_t stripe, double& sum, double* sums) const {
            std::array<float, 8> shares;
            for (std::size_t r = 0; r < 4; ++r) {
                shares[r] = matches_[2 * kind_floats_ * stripe + r] * factor_ * norm_;
                shares[4 + r] = deletes_[kind_floats_ * stripe + r] * factor_ * norm_;
            }
            for (std::size_t s = 0; s < 8; ++s) sums[s] = sum += static_cast<double>(shares[s]);
        }

       private:
        float norm_, factor_;
        const float *matches_, *deletes_;
        std::size_t kind_floats_;
    };

    Plan7State from_end(std::size_t i, std::size_t& at) {
        const double roll = random_.uniform();
        const std::size_t count = 8 * profile_.stripes;
        const std::span<const double> sums = end_sums(i, roll);
        auto found = static_cast<std::size_t>(std::ranges::upper_bound(sums, roll) - sums.begin());
        // The sums may end just short of the random number. The scan then starts again.
        for (double sum = sums.back(); found == count;) {
            const double sum_before = sum;
            const EndShares shares(*this, i);
            for (std::size_t q = 0; q < profile_.stripes && found == count; ++q) {
                std::array<double, 8> further;
                shares.add(q, sum, further.data());
                const auto above = std::ranges::upper_bound(further, roll);
                if (above != further.end()) found = 8 * q + static_cast<std::size_t>(above - further.begin());
            }
            if (!(sum > sum_before)) found = 0;  // nothing to choose from
        }
        const std::size_t q = found / 8, r = found % 4;
        at = r * profile_.stripes + q;
        return found % 8 < 4 ? Plan7State::kMatch : Plan7State::kDelete;
    }

    /// Samples one traceback, and fills domains_ from the last to the first.
    void sample() {
        std::size_t i = residues_, at = 0, emitted = 0;
        Plan7State state = Plan7State::kC;
        while (state != Plan7State::kStart) {
            Plan7State next = Plan7State::kStart;
            switch (state) {
                case Plan7State::kMatch:
                    next = from_match(i, at);
                    --at;
                    --i;
                    break;
                case Plan7State::kDelete:
                    next = from_delete(i, at);
                    --at;
                    break;
                case Plan7State::kInsert:
                    next = from_insert(i, at);
                    --i;
                    break;
                case Plan7State::kN: next = i == 0 ? Plan7State::kStart : Plan7State::kN; break;
                case Plan7State::kC:
                case Plan7State::kJ:
                    if (i == 0) return;
                    next = from_c_or_j(state, i);
                    break;
                case Plan7State::kE:
                    if (is_stopped()) return;
                    next = from_end(i, at);
                    domains_.emplace_back();
                    emitted = 0;
                    std::fill(work_.match_weights.begin(), work_.match_weights.end(), 0.0f);
                    break;
                case Plan7State::kB: next = from_b(i); break;
                case Plan7State::kStart: break;
            }
            if (next == Plan7State::kMatch) {
                SampledDomain& place = domains_.back().place;
                place.residue_begin = static_cast<std::int32_t>(i);
                place.node_begin = static_cast<std::int32_t>(at + 1);
                if (place.residue_end == 0) {
                    place.residue_end = place.residue_begin;
                    place.node_end = place.node_begin;
                }
            }
            if (next == Plan7State::kMatch || next == Plan7State::kInsert) {
                ++emitted;
                work_.match_weights[work_.places[at]] += 1;  // an insert counts as its node's match
            }
            if (next == Plan7State::kB) finish_domain(emitted);
            if (is_flank_loop(state, next)) --i;
            state = next;
        }
    }

    void finish_domain(std::size_t emitted) {
        const float per_residue = reciprocal(static_cast<float>(emitted));
        for (float& weight : work_.match_weights) weight *= per_residue;
        std::array<float, kResidueTableSize>& odds = domains_.back().null2;
        table_.mixture_odds(profile_, work_.match_weights.data(), nullptr, odds.data());
        complete_null2_odds(odds);
    }

    const ForwardBackwardTable& table_;
    const StripedProfile& profile_;
    const GroupedTargets& group_;
    const ForwardGroup& forward_;
    std::size_t t_;
    RegionTask& task_;
    GroupWorkspace& work_;
    SampledChoices& choices_;
    LinearCongruential random_;
    std::size_t residues_;
    std::uint32_t* match_slots_ = nullptr;  // per cell 1 + index into choices_.match; 0: none yet
    std::vector<Domain> domains_;
};

}  // namespace

void sample_group(const ForwardBackwardTable& table, const StripedProfile& profile, std::span<RegionTask* const> tasks,
                  const GroupedTargets& group, GroupWorkspace& work) {
    std::array<float, kMostGroupTargets> log_scale_total;
    const ForwardGroup forward = forward_arguments(profile, group, KeptRows::kAll, work, log_scale_total.data());
    begin_forward(profile, group, forward);
    group.kernels().forward(profile, forward);
    if (work.stop.stop_requested()) return;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        RegionTask& task = *tasks[t];
        task.domains.clear();
        float nats;
        if (group.forward_score(t, log_scale_total[t], nats)) {
            task.null2_ratio_sum.assign(task.region.size(), 0.0f);
            Sampler(table, profile, group, forward, t, task, work).run();
        } else {
            task.null2_ratio_sum.assign(task.region.size(), static_cast<float>(task.samples));
        }
    }
}

}  // namespace warpseq
