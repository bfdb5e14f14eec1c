// The ForwardBackward of every back end but the reference. The kernels run groups of targets, and
// tracebacks are scalar code.
#include "kernels/profile/forward_backward_simd.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/profile/null2.h"
#include "kernels/simd/flush_subnormals.h"
#include "libcore/base/linear_congruential.h"

namespace warpseq {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
/// The size of a group's matrices above which a smaller group is faster. They should stay in the
/// second-level cache.
constexpr std::size_t kCachedBytes = std::size_t{3} << 19;
/// The size above which targets are computed one by one. A quad for each then needs no more memory
/// than plain rows.
constexpr std::size_t kGroupedBytes = kOwnWorkspaceBytes;
/// The greatest size of the sums that are kept for rows in which sampled domains end.
constexpr std::size_t kEndSumsBytes = std::size_t{8} << 20;

float reciprocal(float x) { return 1.0f / x; }

struct Scratch final : ForwardBackward::Workspace {
    AlignedBytes codes, forward, backward, accuracy, match_insert, deletes, row, sums, choices, match_slots;

    static float* floats(AlignedBytes& memory, std::size_t count) {
        return reinterpret_cast<float*>(memory.reserve(count * sizeof(float)));
    }

    // The members below belong to one region that is sampled from.
    std::vector<std::array<double, 3>> match_choices;
    std::vector<double> c_choices, j_choices, b_choices;  // per row; negative: not computed yet
    std::vector<std::uint32_t> end_slots;                 // per row 1 + index of a row of end_sums; 0: none yet
    std::vector<double> end_sums;
    std::vector<std::uint32_t> places;  // StripedProfile::place() of each node
    std::vector<float> match_weights, insert_weights;

    /// Frees the memory if it is more than a workspace keeps.
    void shrink() {
        std::size_t bytes = end_sums.capacity() * sizeof(double) + match_choices.capacity() * sizeof(match_choices[0]);
        for (const AlignedBytes* memory :
             {&codes, &forward, &backward, &accuracy, &match_insert, &deletes, &choices, &match_slots})
            bytes += memory->capacity_bytes();
        if (bytes <= kOwnWorkspaceBytes) return;
        Scratch emptied;
        static_cast<ForwardBackward::Workspace&>(emptied) = *this;  // the caller's settings stay
        *this = std::move(emptied);
    }
};

constexpr std::size_t kWholeTarget = std::numeric_limits<std::size_t>::max();

/// A task's part in a group: a target, or a block of rows of one.
struct Member {
    std::span<const ResidueCode> target;
    LengthModel length_model;
    std::size_t first = 0;  // first row, less 1
    std::size_t most_rows = kWholeTarget;

    std::size_t rows() const { return std::min(target.size() - first, most_rows); }
};

/// The members of a group side by side. Unused places repeat the last member.
class Group {
   public:
    Group(const GroupKernels& kernels, std::span<const Member> members, Scratch& workspace)
        : kernels_(kernels), targets_(kernels.targets) {
        std::size_t rows = 0;
        for (std::size_t t = 0; t < targets_; ++t) {
            const Member& member = members[std::min(t, members.size() - 1)];
            residues_[t] = member.target.size() - member.first;
            loop_[t] = member.length_model.loop;
            move_[t] = member.length_model.move;
            end_loop_[t] = member.length_model.end_loop;
            end_move_[t] = member.length_model.end_move;
            rows = std::max(rows, member.rows());
        }
        auto* codes = reinterpret_cast<std::uint8_t*>(workspace.codes.reserve((rows + 2) * targets_));
        std::memset(codes, kPaddingCode, (rows + 2) * targets_);
        for (std::size_t t = 0; t < targets_; ++t) {
            const Member& member = members[std::min(t, members.size() - 1)];
            // A residue of the next block follows a block of rows.
            const auto residues = member.target.subspan(member.first, std::min(member.rows() + 1, residues_[t]));
            for (std::size_t i = 0; i < residues.size(); ++i) codes[(i + 1) * targets_ + t] = residues[i];
        }
        common_ = {rows,
                   codes,
                   residues_.data(),
                   loop_.data(),
                   move_.data(),
                   end_loop_.data(),
                   end_move_.data(),
                   Scratch::floats(workspace.forward, (rows + 1) * GroupSpecial::kKinds * targets_),
                   &workspace.stop};
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const TargetGroup& common() const { return common_; }
    const GroupKernels& kernels() const { return kernels_; }
    std::size_t targets() const { return targets_; }
    std::size_t rows() const { return common_.rows; }
    /// Returns the floats of one kind in one stripe.
    std::size_t kind_floats() const { return 4 * targets_; }

    float special(const float* rows, std::size_t i, std::size_t t, GroupSpecial::Kind kind) const {
        return rows[(i * GroupSpecial::kKinds + kind) * targets_ + t];
    }
    SpecialStates::Row special_row(const float* rows, std::size_t i, std::size_t t) const {
        const float* from = rows + i * GroupSpecial::kKinds * targets_ + t;
        return {from[GroupSpecial::kE * targets_], from[GroupSpecial::kN * targets_],
                from[GroupSpecial::kJ * targets_], from[GroupSpecial::kB * targets_],
                from[GroupSpecial::kC * targets_], from[GroupSpecial::kScale * targets_]};
    }
    void set_special_row(float* rows, std::size_t i, std::size_t t, const SpecialStates::Row& row) const {
        float* to = rows + i * GroupSpecial::kKinds * targets_ + t;
        to[GroupSpecial::kE * targets_] = row.e;
        to[GroupSpecial::kN * targets_] = row.n;
        to[GroupSpecial::kJ * targets_] = row.j;
        to[GroupSpecial::kB * targets_] = row.b;
        to[GroupSpecial::kC * targets_] = row.c;
        to[GroupSpecial::kScale * targets_] = row.scale;
    }
    void copy_out(const float* rows, std::size_t t, SpecialStates& states) const {
        states.rows.resize(residues_[t] + 1);
        for (std::size_t i = 0; i <= residues_[t]; ++i) states.rows[i] = special_row(rows, i, t);
    }
    /// Returns the special states of Forward's row 0.
    SpecialStates::Row forward_begin(std::size_t t) const { return {0, 1, 0, move_[t], 0, 1}; }
    /// Copies Forward's scales, since Backward reads nothing else of Forward's special states.
    void copy_scales_in(const SpecialStates& states, std::size_t t) {
        for (std::size_t i = 0; i <= rows(); ++i) {
            common_.forward[(i * GroupSpecial::kKinds + GroupSpecial::kScale) * targets_ + t] =
                i < states.rows.size() ? states.rows[i].scale : 1.0f;
        }
    }
    void copy_scales_in(std::span<const RowBlocks::Scale> scales, std::size_t t) {
        const auto scale_of = [&](std::size_t i) -> float& {
            return common_.forward[(i * GroupSpecial::kKinds + GroupSpecial::kScale) * targets_ + t];
        };
        for (std::size_t i = 0; i <= rows(); ++i) scale_of(i) = 1.0f;
        for (const RowBlocks::Scale& scale : scales) scale_of(scale.row) = scale.scale;
    }

    /// Computes the score. Returns false on a range error.
    bool forward_score(std::size_t t, float log_scale_total, float& nats) const {
        const float end = special(common_.forward, residues_[t], t, GroupSpecial::kC);
        if (!is_usable(end)) return false;
        nats = add_log_nats(log_scale_total, end * move_[t]);
        return true;
    }
    bool backward_usable(const float* backward, std::size_t t) const {
        return is_usable(special(backward, 0, t, GroupSpecial::kN));
    }

   private:
    static bool is_usable(float total) { return total != 0 && total <= std::numeric_limits<float>::max(); }

    const GroupKernels& kernels_;
    std::size_t targets_;
    std::array<std::size_t, kMostGroupTargets> residues_{};
    std::array<float, kMostGroupTargets> loop_{}, move_{}, end_loop_{}, end_move_{};
    TargetGroup common_{};
};

enum class State { kMatch, kInsert, kDelete, kStart, kN, kB, kE, kJ, kC };

/// The traceback of optimal accuracy, from the choices that the kernel left. Ties and order are the
/// same as in the reference.
class AccuracyTrace {
   public:
    AccuracyTrace(const StripedProfile& profile, const Group& group, const AccuracyGroup& accuracy, std::size_t t)
        : profile_(profile),
          group_(group),
          accuracy_(accuracy),
          t_(t),
          vectors_(group.targets() / group.kernels().quads) {}

    std::vector<TraceStep> run() const {
        std::vector<TraceStep> steps;  // from the last to the first
        std::size_t i = group_.common().residues[t_], at = 0;
        State state = State::kC;
        while (state != State::kStart) {
            State next = State::kStart;
            switch (state) {
                case State::kMatch:
                    next = choice(i, at, kMatchFromMatch)    ? State::kMatch
                           : choice(i, at, kMatchFromInsert) ? State::kInsert
                           : choice(i, at, kMatchFromDelete) ? State::kDelete
                                                             : State::kB;
                    if (next != State::kB && (at == 0 || i == 1)) return {};  // only if nothing is possible at all
                    --at;
                    --i;
                    break;
                case State::kDelete:
                    if (at == 0) return {};  // the same
                    --at;
                    next = choice(i, at, kDeleteFromMatch) ? State::kMatch : State::kDelete;
                    break;
                case State::kInsert:
                    if (i == 1) return {};  // the same
                    next = choice(i, at, kInsertFromMatch) ? State::kMatch : State::kInsert;
                    --i;
                    break;
                case State::kN: next = i == 0 ? State::kStart : State::kN; break;
                case State::kC: {
                    if (i == 0) return {};  // the same
                    const float stay =
                        special(i - 1, GroupAccuracySpecial::kC) + special(i, GroupAccuracySpecial::kPosteriorC);
                    next = if_possible(loop(), stay) >
                                   if_possible(group_.common().end_move[t_], special(i, GroupAccuracySpecial::kE))
                               ? State::kC
                               : State::kE;
                    break;
                }
                case State::kJ: {
                    if (i == 0) return {};  // the same
                    const float stay =
                        special(i - 1, GroupAccuracySpecial::kJ) + special(i, GroupAccuracySpecial::kPosteriorJ);
                    next = if_possible(loop(), stay) >
                                   if_possible(group_.common().end_loop[t_], special(i, GroupAccuracySpecial::kE))
                               ? State::kJ
                               : State::kE;
                    break;
                }
                case State::kE: {
                    // In a unihit model E leads to J only if J is not yet possible at all, which is
                    // in row 1.
                    const std::uint32_t end = i == 1 ? accuracy_.first_end[t_] : accuracy_.last_end[t_];
                    at = end / 2;
                    next = end % 2 == 0 ? State::kMatch : State::kDelete;
                    steps.clear();
                    break;
                }
                case State::kB: {
                    const float move = group_.common().move[t_];
                    next = if_possible(move, special(i, GroupAccuracySpecial::kN)) >
                                   if_possible(move, special(i, GroupAccuracySpecial::kJ))
                               ? State::kN
                               : State::kJ;
                    break;
                }
                case State::kStart: break;
            }
            const auto node = static_cast<std::int32_t>(at + 1);
            const auto residue = static_cast<std::int64_t>(i);
            if (next == State::kMatch) steps.push_back({TraceState::kMatch, node, residue, posterior(i, at, 0)});
            if (next == State::kInsert) steps.push_back({TraceState::kInsert, node, residue, posterior(i, at, 1)});
            if (next == State::kDelete) steps.push_back({TraceState::kDelete, node, residue, 0.0f});
            if (next == state && (next == State::kN || next == State::kJ || next == State::kC)) --i;
            state = next;
        }
        while (!steps.empty() && steps.back().state != TraceState::kMatch) steps.pop_back();
        std::reverse(steps.begin(), steps.end());
        while (!steps.empty() && steps.back().state != TraceState::kMatch) steps.pop_back();
        steps.shrink_to_fit();  // traces are kept with hits, of which there may be many
        return steps;
    }

   private:
    static float if_possible(float transition, float value) { return transition == 0 ? kMinusInfinity : value; }
    float loop() const { return group_.common().loop[t_]; }

    bool choice(std::size_t i, std::size_t at, AccuracyChoice kind) const {
        const std::size_t quads = group_.kernels().quads, q = at % profile_.stripes, lane = at / profile_.stripes;
        const std::uint16_t bits =
            accuracy_.choices[i * accuracy_.choices_stride + (q * kAccuracyChoices + kind) * vectors_ + t_ / quads];
        return bits >> (4 * (t_ % quads) + lane) & 1;
    }
    float special(std::size_t i, GroupAccuracySpecial::Kind kind) const {
        return accuracy_.accuracy[(i * GroupAccuracySpecial::kKinds + kind) * group_.targets() + t_];
    }
    float posterior(std::size_t i, std::size_t at, std::size_t kind) const {
        const std::size_t q = at % profile_.stripes, lane = at / profile_.stripes;
        return accuracy_.match_insert[i * accuracy_.match_insert_stride + (2 * q + kind) * group_.kind_floats() +
                                      4 * t_ + lane] *
               special(i, GroupAccuracySpecial::kTotal);
    }

    const StripedProfile& profile_;
    const Group& group_;
    const AccuracyGroup& accuracy_;
    std::size_t t_, vectors_;
};

/// Returns thresholds for choosing among `paths` by a random number of [0, 1). Each path has a
/// probability of its value over their sum (all equal if that is 0). Path p is chosen if the number
/// is below threshold p and no earlier one. If it is below none, the last path is chosen.
template <std::size_t count>
std::array<double, count - 1> choice_thresholds(std::array<float, count> paths) {
    float total = 0, compensation = 0;
    for (const float path : paths) {
        const float term = path - compensation;
        const float sum = total + term;
        compensation = (sum - total) - term;
        total = sum;
    }
    double norm = 0, sum = 0;
    for (float& path : paths) {
        path = total != 0 ? path / total : 1.0f / static_cast<float>(count);
        norm += static_cast<double>(path);
    }
    std::array<double, count - 1> thresholds;
    for (std::size_t p = 0; p + 1 < count; ++p) {
        sum += static_cast<double>(paths[p]);
        thresholds[p] = sum / norm;
    }
    return thresholds;
}

/// Samples tracebacks of one region from its Forward matrix. Choices are kept, since 200 tracebacks
/// pass mostly through the same cells.
class Sampler {
   public:
    Sampler(const ForwardBackwardTable& table, const StripedProfile& profile, const Group& group,
            const ForwardGroup& forward, std::size_t t, RegionTask& task, Scratch& workspace)
        : table_(table),
          profile_(profile),
          group_(group),
          forward_(forward),
          t_(t),
          task_(task),
          work_(workspace),
          random_(task.seed),
          residues_(task.region.size()) {
        work_.match_choices.clear();
        for (auto* choices : {&work_.c_choices, &work_.j_choices, &work_.b_choices})
            choices->assign(residues_ + 1, -1.0);
        work_.end_slots.assign(residues_ + 1, 0);
        work_.end_sums.clear();
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

    State from_match(std::size_t i, std::size_t at) {
        std::uint32_t& slot = match_slots_[(i - 1) * 4 * profile_.stripes + at];
        if (slot == 0) {
            const bool first = at == 0;
            work_.match_choices.push_back(choice_thresholds<4>(
                {special(i - 1, GroupSpecial::kB) * transition(at, StripedProfile::kEnter),
                 first ? 0.0f : match(i - 1, at - 1) * transition(at, StripedProfile::kMatchMatch),
                 first ? 0.0f : insert(i - 1, at - 1) * transition(at, StripedProfile::kInsertMatch),
                 first ? 0.0f : del(i - 1, at - 1) * transition(at, StripedProfile::kDeleteMatch)}));
            slot = static_cast<std::uint32_t>(work_.match_choices.size());
        }
        const std::array<double, 3>& thresholds = work_.match_choices[slot - 1];
        const double roll = random_.uniform();
        if (roll < thresholds[0]) return State::kB;
        if (roll < thresholds[1]) return State::kMatch;
        return roll < thresholds[2] ? State::kInsert : State::kDelete;
    }

    State from_delete(std::size_t i, std::size_t at) {
        const bool first = at == 0;
        const double threshold =
            choice_thresholds<2>({first ? 0.0f : match(i, at - 1) * transition(at - 1, StripedProfile::kMatchDelete),
                                  first ? 0.0f : del(i, at - 1) * delete_delete(at - 1)})[0];
        return random_.uniform() < threshold ? State::kMatch : State::kDelete;
    }

    State from_insert(std::size_t i, std::size_t at) {
        const double threshold =
            choice_thresholds<2>({match(i - 1, at) * transition(at, StripedProfile::kMatchInsert),
                                  insert(i - 1, at) * transition(at, StripedProfile::kInsertInsert)})[0];
        return random_.uniform() < threshold ? State::kMatch : State::kInsert;
    }

    State from_c_or_j(State state, std::size_t i) {
        const bool is_c = state == State::kC;
        double& threshold = (is_c ? work_.c_choices : work_.j_choices)[i];
        if (threshold < 0) {
            const TargetGroup& group = group_.common();
            threshold =
                choice_thresholds<2>({special(i - 1, is_c ? GroupSpecial::kC : GroupSpecial::kJ) * group.loop[t_],
                                      special(i, GroupSpecial::kE) * (is_c ? group.end_move : group.end_loop)[t_] *
                                          special(i, GroupSpecial::kScale)})[0];
        }
        return random_.uniform() < threshold ? state : State::kE;
    }

    State from_b(std::size_t i) {
        double& threshold = work_.b_choices[i];
        if (threshold < 0) {
            const float move = group_.common().move[t_];
            threshold =
                choice_thresholds<2>({special(i, GroupSpecial::kN) * move, special(i, GroupSpecial::kJ) * move})[0];
        }
        return random_.uniform() < threshold ? State::kN : State::kJ;
    }

    /// Returns running sums of a row's match and delete values as shares of E. They are in scan
    /// order: a stripe's match values, then its deletes.
    const double* end_sums(std::size_t i) {
        const std::size_t count = 8 * profile_.stripes;
        if (work_.end_slots[i] == 0 && (work_.end_sums.size() + count) * sizeof(double) > kEndSumsBytes) {
            std::fill(work_.end_slots.begin(), work_.end_slots.end(), 0);
            work_.end_sums.clear();
        }
        std::uint32_t& slot = work_.end_slots[i];
        if (slot == 0) {
            slot = static_cast<std::uint32_t>(work_.end_sums.size() / count) + 1;
            work_.end_sums.resize(work_.end_sums.size() + count);
            double* sums = work_.end_sums.data() + work_.end_sums.size() - count;
            double sum = 0;
            add_ends(i, sum, [&sums](double so_far) {
                *sums++ = so_far;
                return false;
            });
        }
        return work_.end_sums.data() + (slot - 1) * count;
    }

    /// Adds the shares to `sum` one by one, and stops when `stop(sum)` is true.
    template <typename Stop>
    bool add_ends(std::size_t i, double& sum, const Stop& stop) const {
        const float norm = reciprocal(special(i, GroupSpecial::kE)), factor = unscale(i);
        const float *matches = match_insert(i), *dels = deletes(i);
        for (std::size_t q = 0; q < profile_.stripes; ++q) {
            for (std::size_t r = 0; r < 4; ++r) {
                sum += static_cast<double>(matches[2 * group_.kind_floats() * q + r] * factor * norm);
                if (stop(sum)) return true;
            }
            for (std::size_t r = 0; r < 4; ++r) {
                sum += static_cast<double>(dels[group_.kind_floats() * q + r] * factor * norm);
                if (stop(sum)) return true;
            }
        }
        return false;
    }

    State from_end(std::size_t i, std::size_t& at) {
        const double roll = random_.uniform();
        const std::size_t count = 8 * profile_.stripes;
        const double* sums = end_sums(i);
        auto found = static_cast<std::size_t>(std::upper_bound(sums, sums + count, roll) - sums);
        // The sums may end just short of the random number. The scan then starts again.
        for (double sum = sums[count - 1]; found == count;) {
            const double sum_before = sum;
            std::size_t index = 0;
            if (add_ends(i, sum, [&index, roll](double so_far) { return roll < so_far || (++index, false); }))
                found = index;
            if (!(sum > sum_before)) found = 0;  // nothing to choose from
        }
        const std::size_t q = found / 8, r = found % 4;
        at = r * profile_.stripes + q;
        return found % 8 < 4 ? State::kMatch : State::kDelete;
    }

    /// Samples one traceback, and fills domains_ from the last to the first.
    void sample() {
        std::size_t i = residues_, at = 0, emitted = 0;
        State state = State::kC;
        while (state != State::kStart) {
            State next = State::kStart;
            switch (state) {
                case State::kMatch:
                    next = from_match(i, at);
                    --at;
                    --i;
                    break;
                case State::kDelete:
                    next = from_delete(i, at);
                    --at;
                    break;
                case State::kInsert:
                    next = from_insert(i, at);
                    --i;
                    break;
                case State::kN: next = i == 0 ? State::kStart : State::kN; break;
                case State::kC:
                case State::kJ:
                    if (i == 0) return;
                    next = from_c_or_j(state, i);
                    break;
                case State::kE:
                    if (is_stopped()) return;
                    next = from_end(i, at);
                    domains_.emplace_back();
                    emitted = 0;
                    std::fill(work_.match_weights.begin(), work_.match_weights.end(), 0.0f);
                    break;
                case State::kB: next = from_b(i); break;
                case State::kStart: break;
            }
            if (next == State::kMatch) {
                SampledDomain& place = domains_.back().place;
                place.residue_begin = static_cast<std::int32_t>(i);
                place.node_begin = static_cast<std::int32_t>(at + 1);
                if (place.residue_end == 0) {
                    place.residue_end = place.residue_begin;
                    place.node_end = place.node_begin;
                }
            }
            if (next == State::kMatch || next == State::kInsert) {
                ++emitted;
                work_.match_weights[work_.places[at]] += 1;  // an insert counts as its node's match
            }
            if (next == State::kB) finish_domain(emitted);
            if (next == state && (next == State::kN || next == State::kJ || next == State::kC)) --i;
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
    const Group& group_;
    const ForwardGroup& forward_;
    std::size_t t_;
    RegionTask& task_;
    Scratch& work_;
    LinearCongruential random_;
    std::size_t residues_;
    std::uint32_t* match_slots_ = nullptr;  // per cell 1 + index into match_choices; 0: none yet
    std::vector<Domain> domains_;
};

class SimdForwardBackward final : public ForwardBackward {
   public:
    SimdForwardBackward(const ForwardBackwardTable& table, const ForwardProfile& profile, std::size_t rows_per_block)
        : table_(table), profile_(profile), rows_per_block_(rows_per_block) {}

    std::unique_ptr<ForwardBackward::Workspace> make_workspace() const override { return std::make_unique<Scratch>(); }
    std::size_t preferred_tasks() const override { return table_.groups[0]->targets; }

    std::uint64_t task_bytes(std::size_t residues) const override {
        if (residues <= rows_per_block_) return ForwardBackward::task_bytes(residues);
        return block_count(residues) * 2 * state_floats() * sizeof(float) + residues;  // if one in 8 rows is rescaled
    }

    void forward(std::span<ForwardTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        auto& scratch = static_cast<Scratch&>(workspace);
        const std::vector<ForwardTask*> whole = whole_targets(tasks);
        in_groups(
            std::span<ForwardTask* const>(whole), scratch, 0,
            [](const ForwardTask& task) {
                return Member{task.target, task.length_model};
            },
            [this](std::span<ForwardTask* const> members, const Group& group, Scratch& work) {
                forward(members, group, work);
            });
        for (ForwardTask* const task : tasks) {
            if (is_in_blocks(*task)) forward_in_blocks(*task, scratch);
        }
    }

    void backward(std::span<ForwardTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        auto& scratch = static_cast<Scratch&>(workspace);
        const std::vector<ForwardTask*> whole = whole_targets(tasks);
        in_groups(
            std::span<ForwardTask* const>(whole), scratch, 0,
            [](const ForwardTask& task) {
                return Member{task.target, task.length_model};
            },
            [this](std::span<ForwardTask* const> members, Group& group, Scratch& work) {
                backward(members, group, work);
            });
        for (ForwardTask* const task : tasks) {
            if (is_in_blocks(*task)) backward_in_blocks(*task, scratch);
        }
    }

    void read_special_states(const ForwardTask& task, ForwardBackward::Workspace& workspace,
                             const TakeRows& take) const override {
        if (!is_in_blocks(task)) return ForwardBackward::read_special_states(task, workspace, take);
        const FlushSubnormals flush;
        read_blocks(task, static_cast<Scratch&>(workspace), take);
    }

    void decode_envelopes(std::span<EnvelopeTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        std::optional<FlushSubnormals> flush;
        if (!workspace.keeps_subnormals) flush.emplace();
        in_groups(
            tasks, static_cast<Scratch&>(workspace), 2,
            [](const EnvelopeTask& task) {
                return Member{task.envelope, task.length_model};
            },
            [this](std::span<EnvelopeTask* const> members, const Group& group, Scratch& work) {
                decode(members, group, work);
            });
    }

    void sample_regions(std::span<RegionTask* const> tasks, ForwardBackward::Workspace& workspace) const override {
        const FlushSubnormals flush;
        in_groups(
            tasks, static_cast<Scratch&>(workspace), 3,
            [](const RegionTask& task) {
                return Member{task.region, task.length_model};
            },
            [this](std::span<RegionTask* const> members, const Group& group, Scratch& work) {
                sample(members, group, work);
            });
    }

   private:
    bool is_in_blocks(const ForwardTask& task) const { return task.target.size() > rows_per_block_; }
    std::vector<ForwardTask*> whole_targets(std::span<ForwardTask* const> tasks) const {
        std::vector<ForwardTask*> whole;
        std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(whole),
                     [this](const ForwardTask* task) { return !is_in_blocks(*task); });
        return whole;
    }
    std::size_t block_count(std::size_t residues) const { return (residues + rows_per_block_ - 1) / rows_per_block_; }
    /// Returns the floats of the state that leads into a block of rows: a row of three kinds, and a
    /// few more numbers.
    std::size_t state_floats() const {
        static_assert(static_cast<std::size_t>(GroupSpecial::kKinds) == GroupCarried::kKinds);
        return 12 * profile_.stripes + GroupSpecial::kKinds;
    }

    /// Runs tasks of like length together, longest first. `matrix_kinds` is the number of values
    /// per cell that the matrices keep.
    template <typename Task, typename MakeMember, typename Run>
    void in_groups(std::span<Task* const> tasks, Scratch& workspace, std::size_t matrix_kinds,
                   const MakeMember& make_member, const Run& run) const {
        std::vector<Task*> ordered(tasks.begin(), tasks.end());
        std::stable_sort(ordered.begin(), ordered.end(), [&make_member](const Task* a, const Task* b) {
            return make_member(*a).target.size() > make_member(*b).target.size();
        });
        std::vector<Member> members;
        for (std::size_t first = 0; first < ordered.size() && !workspace.stop.stop_requested();) {
            const std::size_t longest = make_member(*ordered[first]).target.size();
            members.clear();
            for (std::size_t x = first; x < ordered.size() && members.size() < table_.groups[0]->targets; ++x) {
                const Member member = make_member(*ordered[x]);
                // In the first vector even a short target costs no time, but its places in matrices
                // cost memory.
                const std::size_t free_places = matrix_kinds == 0 ? table_.groups[0]->quads : 1;
                if (members.size() >= free_places && 2 * member.target.size() < longest) break;
                members.push_back(member);
            }
            const GroupKernels& kernels =
                kernels_for(members.size(), (longest + 1) * matrix_kinds * 16 * profile_.stripes);
            members.resize(std::min(members.size(), kernels.targets));
            // The sizes of the matrices, and of choices, which take at most as much as one more
            // matrix.
            const std::size_t bytes =
                matrix_kinds == 0 ? 0 : (longest + 1) * (matrix_kinds + 1) * 16 * profile_.stripes * kernels.targets;
            MemoryBudget::Grant grant;
            if (workspace.budget && bytes > kOwnWorkspaceBytes) grant = workspace.budget->take(bytes);
            if (!workspace.stop.stop_requested()) {
                Group group(kernels, members, workspace);
                run(std::span(ordered).subspan(first, members.size()), group, workspace);
            }
            workspace.shrink();
            first += members.size();
        }
    }

    /// Returns the smallest kind of group that holds `count` targets, or a smaller one if the
    /// matrices get too large.
    const GroupKernels& kernels_for(std::size_t count, std::size_t target_bytes) const {
        std::size_t kind = 0;
        for (; kind + 1 < table_.group_kinds; ++kind) {
            const std::size_t targets = table_.groups[kind]->targets, fewer = table_.groups[kind + 1]->targets;
            const bool uncached = fewer > 1 && targets * target_bytes > kCachedBytes;
            if (fewer < count && !uncached && targets * target_bytes <= kGroupedBytes) break;
        }
        return *table_.groups[kind];
    }

    /// Makes arguments without a matrix. The caller sets row 0.
    ForwardGroup forward_group(const Group& group, Scratch& work, float* log_scale_total) const {
        return {group.common(),
                Scratch::floats(work.match_insert, 2 * group.kind_floats() * profile_.stripes),
                0,
                Scratch::floats(work.deletes, group.kind_floats() * profile_.stripes),
                0,
                log_scale_total};
    }
    /// Sets row 0 of whole targets.
    void begin(const Group& group, const ForwardGroup& forward) const {
        std::fill_n(forward.match_insert, 2 * group.kind_floats() * profile_.stripes, 0.0f);
        std::fill_n(forward.deletes, group.kind_floats() * profile_.stripes, 0.0f);
        std::fill_n(forward.log_scale_total, group.targets(), 0.0f);
        for (std::size_t t = 0; t < group.targets(); ++t)
            group.set_special_row(forward.forward, 0, t, group.forward_begin(t));
    }

    [[gnu::noinline]] void forward(std::span<ForwardTask* const> tasks, const Group& group, Scratch& work) const {
        std::array<float, kMostGroupTargets> log_scale_total;
        const ForwardGroup in = forward_group(group, work, log_scale_total.data());
        begin(group, in);
        group.kernels().forward(profile_, in);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            ForwardTask& task = *tasks[t];
            group.copy_out(in.forward, t, task.forward);
            task.forward.own_scales = true;
            task.forward.log_scale_total = log_scale_total[t];
            task.in_range = group.forward_score(t, log_scale_total[t], task.score_nats);
        }
    }

    [[gnu::noinline]] void backward(std::span<ForwardTask* const> tasks, Group& group, Scratch& work) const {
        for (std::size_t t = 0; t < group.targets(); ++t)
            group.copy_scales_in(tasks[std::min(t, tasks.size() - 1)]->forward, t);
        BackwardNumbers numbers;
        const BackwardGroup in = backward_group(group, work, nullptr, 0, numbers);
        begin(group, in);
        group.kernels().backward(profile_, in);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            ForwardTask& task = *tasks[t];
            group.copy_out(in.backward, t, task.backward);
            task.backward.own_scales = own_scales(group, in)[t] > 0;
            task.backward.log_scale_total = numbers.log_scale_total[t];
            task.in_range = group.backward_usable(in.backward, t);
        }
    }

    /// The numbers per target of a BackwardGroup.
    struct BackwardNumbers {
        std::array<float, GroupCarried::kKinds * kMostGroupTargets> carried;
        std::array<float, kMostGroupTargets> log_scale_total;
    };
    /// Makes arguments for whole targets. The caller sets the state after the last row.
    BackwardGroup backward_group(const Group& group, Scratch& work, float* match_insert,
                                 std::size_t match_insert_stride, BackwardNumbers& numbers) const {
        return {group.common(),
                Scratch::floats(work.row, 6 * group.kind_floats() * profile_.stripes),
                numbers.carried.data(),
                true,
                match_insert,
                match_insert_stride,
                Scratch::floats(work.backward, (group.rows() + 1) * GroupSpecial::kKinds * group.targets()),
                numbers.log_scale_total.data()};
    }
    /// Clears the state after the last row of whole targets.
    void begin(const Group& group, const BackwardGroup& backward) const {
        const std::size_t targets = group.targets();
        std::fill_n(backward.row, 3 * group.kind_floats() * profile_.stripes, 0.0f);
        std::fill_n(backward.carried, GroupCarried::kKinds * targets, 0.0f);
        std::fill_n(backward.carried + GroupCarried::kScale * targets, targets, 1.0f);
        std::fill_n(backward.log_scale_total, targets, 0.0f);
    }
    static const float* own_scales(const Group& group, const BackwardGroup& backward) {
        return backward.carried + GroupCarried::kOwn * group.targets();
    }

    // ---- Blocks of rows

    /// Copies quads between a row of one target and the row of place t in a group.
    static void put_quads(const float* row, std::size_t quads, const Group& group, std::size_t t, float* group_row) {
        for (std::size_t x = 0; x < quads; ++x) std::copy_n(row + 4 * x, 4, group_row + 4 * (group.targets() * x + t));
    }

    [[gnu::noinline]] void forward_in_blocks(ForwardTask& task, Scratch& work) const {
        const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
        task.blocks.rows = rows_per_block_;
        task.blocks.forward.resize(blocks * state_floats());
        task.blocks.scales.assign(blocks, {});
        task.forward.rows.clear();
        float log_scale_total = 0;
        SpecialStates::Row last{};
        for (std::size_t b = 0; b < blocks && !work.stop.stop_requested(); ++b) {
            const Member member{task.target, task.length_model, b * rows_per_block_, rows_per_block_};
            const Group group(single_target(), std::span(&member, 1), work);
            const ForwardGroup in = forward_group(group, work, &log_scale_total);
            if (b == 0) {
                begin(group, in);
                last = group.forward_begin(0);
            } else {
                group.set_special_row(in.forward, 0, 0, last);
            }
            float* state = task.blocks.forward.data() + b * state_floats();
            state = std::copy_n(in.match_insert, 8 * quads, state);
            state = std::copy_n(in.deletes, 4 * quads, state);
            std::copy_n(in.forward, static_cast<std::size_t>(GroupSpecial::kKinds), state);
            group.kernels().forward(profile_, in);
            if (work.stop.stop_requested()) return;
            std::vector<RowBlocks::Scale>& scales = task.blocks.scales[b];
            for (std::size_t i = 1; i <= group.rows(); ++i) {
                const float scale = group.special(in.forward, i, 0, GroupSpecial::kScale);
                if (scale != 1.0f) scales.push_back({static_cast<std::uint32_t>(i), scale});
            }
            scales.shrink_to_fit();
            last = group.special_row(in.forward, group.rows(), 0);
            if (b + 1 == blocks) task.in_range = group.forward_score(0, log_scale_total, task.score_nats);
        }
        task.forward.own_scales = true;
        task.forward.log_scale_total = log_scale_total;
    }

    [[gnu::noinline]] void backward_in_blocks(ForwardTask& task, Scratch& work) const {
        const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
        task.blocks.backward.resize(blocks * state_floats());
        task.backward.rows.clear();
        BackwardNumbers numbers;
        for (std::size_t b = blocks; b-- > 0 && !work.stop.stop_requested();) {
            const Member member{task.target, task.length_model, b * rows_per_block_, rows_per_block_};
            Group group(single_target(), std::span(&member, 1), work);
            group.copy_scales_in(task.blocks.scales[b], 0);
            BackwardGroup in = backward_group(group, work, nullptr, 0, numbers);
            in.from_start = b == 0;
            if (b + 1 == blocks) begin(group, in);
            float* state = task.blocks.backward.data() + b * state_floats();
            state = std::copy_n(in.row, 12 * quads, state);
            std::copy_n(in.carried, static_cast<std::size_t>(GroupCarried::kKinds), state);
            group.kernels().backward(profile_, in);
            if (work.stop.stop_requested()) return;
            task.blocks.scales[b] = std::vector<RowBlocks::Scale>();
            if (b > 0) continue;
            task.blocks.backward_start = group.special_row(in.backward, 0, 0);
            task.backward.own_scales = own_scales(group, in)[0] > 0;
            task.backward.log_scale_total = numbers.log_scale_total[0];
            task.in_range = group.backward_usable(in.backward, 0);
        }
    }

    /// Reads blocks of one target, which fill the places of a group.
    [[gnu::noinline]] void read_blocks(const ForwardTask& task, Scratch& work, const TakeRows& take) const {
        const std::size_t blocks = block_count(task.target.size()), quads = profile_.stripes;
        std::vector<Member> members;
        std::vector<SpecialStates::Row> forward_rows, backward_rows;
        for (std::size_t first = 0; first < blocks && !work.stop.stop_requested(); first += members.size()) {
            members.clear();
            for (std::size_t b = first; b < blocks && members.size() < table_.groups[0]->targets; ++b)
                members.push_back({task.target, task.length_model, b * rows_per_block_, rows_per_block_});
            const Group group(kernels_for(members.size(), 0), members, work);
            std::array<float, kMostGroupTargets> log_scale_total;
            BackwardNumbers numbers;
            const ForwardGroup forward = forward_group(group, work, log_scale_total.data());
            BackwardGroup backward = backward_group(group, work, nullptr, 0, numbers);
            backward.from_start = false;
            begin(group, forward);
            begin(group, backward);
            for (std::size_t t = 0; t < group.targets(); ++t) {
                const std::size_t b = first + std::min(t, members.size() - 1);
                const float* state = task.blocks.forward.data() + b * state_floats();
                put_quads(state, 2 * quads, group, t, forward.match_insert);
                put_quads(state + 8 * quads, quads, group, t, forward.deletes);
                for (std::size_t kind = 0; kind < GroupSpecial::kKinds; ++kind)
                    forward.forward[kind * group.targets() + t] = state[12 * quads + kind];
                state = task.blocks.backward.data() + b * state_floats();
                put_quads(state, 3 * quads, group, t, backward.row);
                for (std::size_t kind = 0; kind < GroupCarried::kKinds; ++kind)
                    backward.carried[kind * group.targets() + t] = state[12 * quads + kind];
            }
            group.kernels().forward(profile_, forward);
            group.kernels().backward(profile_, backward);
            if (work.stop.stop_requested()) return;
            for (std::size_t t = 0; t < members.size(); ++t) {
                forward_rows.clear();
                backward_rows.clear();
                if (first + t == 0) {
                    forward_rows.push_back(group.forward_begin(0));
                    backward_rows.push_back(task.blocks.backward_start);
                }
                for (std::size_t i = 1; i <= members[t].rows(); ++i) {
                    forward_rows.push_back(group.special_row(forward.forward, i, t));
                    backward_rows.push_back(group.special_row(backward.backward, i, t));
                }
                take(forward_rows, backward_rows);
            }
        }
    }

    [[gnu::noinline]] void decode(std::span<EnvelopeTask* const> tasks, const Group& group, Scratch& work) const {
        const std::size_t row_floats = 2 * group.kind_floats() * profile_.stripes;
        float* match_insert = Scratch::floats(work.match_insert, (group.rows() + 1) * row_floats);
        std::array<float, kMostGroupTargets> log_scale_total, scale;
        BackwardNumbers numbers;
        const ForwardGroup forward{group.common(),
                                   match_insert,
                                   row_floats,
                                   Scratch::floats(work.deletes, group.kind_floats() * profile_.stripes),
                                   0,
                                   log_scale_total.data()};
        begin(group, forward);
        group.kernels().forward(profile_, forward);
        if (work.stop.stop_requested()) return;
        const BackwardGroup backward = backward_group(group, work, match_insert, row_floats, numbers);
        begin(group, backward);
        group.kernels().backward(profile_, backward);
        if (work.stop.stop_requested()) return;

        const bool wants_null2 =
            std::any_of(tasks.begin(), tasks.end(), [](const EnvelopeTask* task) { return task->wants_null2; });
        const std::size_t choices_stride =
            profile_.stripes * kAccuracyChoices * (group.targets() / group.kernels().quads);
        std::array<float, 3 * kMostGroupTargets> other_sums;
        std::array<std::uint32_t, kMostGroupTargets> first_end, last_end;
        const AccuracyGroup accuracy{
            group.common(),
            backward.backward,
            own_scales(group, backward),
            match_insert,
            row_floats,
            Scratch::floats(work.accuracy, (group.rows() + 1) * GroupAccuracySpecial::kKinds * group.targets()),
            backward.row,
            wants_null2 ? Scratch::floats(work.sums, row_floats) : nullptr,
            other_sums.data(),
            scale.data(),
            reinterpret_cast<std::uint16_t*>(
                work.choices.reserve((group.rows() + 1) * choices_stride * sizeof(std::uint16_t))),
            choices_stride,
            first_end.data(),
            last_end.data()};
        group.kernels().accuracy(profile_, accuracy);
        if (work.stop.stop_requested()) return;

        for (std::size_t t = 0; t < tasks.size(); ++t) {
            EnvelopeTask& task = *tasks[t];
            float forward_nats;
            task.in_range = group.forward_score(t, log_scale_total[t], forward_nats) &&
                            group.backward_usable(backward.backward, t) && std::isfinite(scale[t]);
            if (!task.in_range) continue;
            task.forward_nats = forward_nats;
            const std::size_t end = task.envelope.size() * GroupAccuracySpecial::kKinds + GroupAccuracySpecial::kC;
            task.expected_accuracy = accuracy.accuracy[end * group.targets() + t];
            task.trace = AccuracyTrace(profile_, group, accuracy, t).run();
            if (task.wants_null2) expected_null2(task, group, accuracy, t, work);
            if (task.wants_flanks) decode_flanks(task, group, forward, backward, t);
        }
    }

    /// Decodes the residues outside of the trace in the same way as the decoding kernel.
    void decode_flanks(EnvelopeTask& task, const Group& group, const ForwardGroup& forward,
                       const BackwardGroup& backward, std::size_t t) const {
        const std::size_t residues = task.envelope.size();
        task.flank_posteriors.assign(residues, 0.0f);
        if (task.trace.empty()) return;
        const bool own = own_scales(group, backward)[t] > 0;
        const float loop = task.length_model.loop;
        float scale = reciprocal(group.special(backward.backward, 0, t, GroupSpecial::kN));
        for (std::size_t i = 1; i <= residues; ++i) {
            const SpecialStates::Row above = group.special_row(forward.forward, i - 1, t),
                                     f = group.special_row(forward.forward, i, t),
                                     b = group.special_row(backward.backward, i, t);
            const auto residue = static_cast<std::int64_t>(i);
            if (residue < task.trace.front().residue) task.flank_posteriors[i - 1] = above.n * b.n * loop * scale;
            if (residue > task.trace.back().residue) task.flank_posteriors[i - 1] = above.c * b.c * loop * scale;
            if (own) scale *= f.scale / b.scale;
        }
    }

    void expected_null2(EnvelopeTask& task, const Group& group, const AccuracyGroup& accuracy, std::size_t t,
                        Scratch& work) const {
        const float per_residue = reciprocal(static_cast<float>(task.envelope.size()));
        work.match_weights.resize(4 * profile_.stripes);
        work.insert_weights.resize(4 * profile_.stripes);
        for (std::size_t q = 0; q < profile_.stripes; ++q) {
            const float* sums = accuracy.sums + 2 * group.kind_floats() * q + 4 * t;
            for (std::size_t r = 0; r < 4; ++r) {
                work.match_weights[4 * q + r] = sums[r] * per_residue;
                work.insert_weights[4 * q + r] = sums[group.kind_floats() + r] * per_residue;
            }
        }
        const float* other = accuracy.other_sums + t;
        const float others = other[0] * per_residue + other[kMostGroupTargets] * per_residue +
                             other[2 * kMostGroupTargets] * per_residue;
        table_.mixture_odds(profile_, work.match_weights.data(), work.insert_weights.data(), task.null2_odds.data());
        for (std::size_t a = 0; a < kAminoAcids; ++a) task.null2_odds[a] += others;
        complete_null2_odds(task.null2_odds);
    }

    [[gnu::noinline]] void sample(std::span<RegionTask* const> tasks, const Group& group, Scratch& work) const {
        const std::size_t deletes_floats = group.kind_floats() * profile_.stripes;
        std::array<float, kMostGroupTargets> log_scale_total;
        const ForwardGroup forward{
            group.common(),     Scratch::floats(work.match_insert, (group.rows() + 1) * 2 * deletes_floats),
            2 * deletes_floats, Scratch::floats(work.deletes, (group.rows() + 1) * deletes_floats),
            deletes_floats,     log_scale_total.data()};
        begin(group, forward);
        group.kernels().forward(profile_, forward);
        if (work.stop.stop_requested()) return;
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            RegionTask& task = *tasks[t];
            task.domains.clear();
            float nats;
            if (group.forward_score(t, log_scale_total[t], nats)) {
                task.null2_ratio_sum.assign(task.region.size(), 0.0f);
                Sampler(table_, profile_, group, forward, t, task, work).run();
            } else {
                task.null2_ratio_sum.assign(task.region.size(), static_cast<float>(task.samples));
            }
        }
    }

    const GroupKernels& single_target() const { return *table_.groups[table_.group_kinds - 1]; }

    const ForwardBackwardTable& table_;
    StripedProfile profile_;
    std::size_t rows_per_block_;
};

}  // namespace

StripedProfile::StripedProfile(const ForwardProfile& profile)
    : length(profile.length),
      stripes(std::max<std::size_t>(2, (static_cast<std::size_t>(profile.length) + 3) / 4)),
      long_model(profile.length >= 100) {
    const std::size_t quad_floats = 4 * stripes;
    // Each part begins on a cache line.
    const auto rounded = [](std::size_t floats) { return (floats + 15) / 16 * 16; };
    const std::size_t transition_floats = rounded(kTransitions * quad_floats), delete_floats = rounded(quad_floats),
                      match_floats = rounded(kResidueTableSize * quad_floats),
                      residue_floats = static_cast<std::size_t>(kAminoAcids) * quad_floats;
    const std::size_t floats = transition_floats + delete_floats + match_floats + residue_floats;
    std::byte* memory = memory_.reserve(floats * sizeof(float) + stripes);
    auto* to = reinterpret_cast<float*>(memory);
    std::fill(to, to + floats, 0.0f);
    auto* is_possible = reinterpret_cast<std::uint8_t*>(to + floats);
    float* const all_transitions = to;
    float* const all_deletes = all_transitions + transition_floats;
    float* const all_match = all_deletes + delete_floats;
    float* const by_residue = all_match + match_floats;

    const Plan7Profile::Transitions& from = profile.transitions;
    // The order is that of enum Transition.
    const std::array<const std::vector<float>*, kTransitions> kinds = {
        &from.enter,        &from.match_match,  &from.insert_match, &from.delete_match,
        &from.match_delete, &from.match_insert, &from.insert_insert};
    const auto without_subnormals = [](float x) { return x < std::numeric_limits<float>::min() ? 0.0f : x; };
    const auto nodes = static_cast<std::size_t>(length);
    for (std::size_t at = 0; at < nodes; ++at) {
        const std::size_t q = at % stripes, r = at / stripes;
        for (std::size_t kind = 0; kind < kTransitions; ++kind) {
            all_transitions[4 * (kTransitions * q + kind) + r] = without_subnormals((*kinds[kind])[at]);
        }
        all_deletes[4 * q + r] = without_subnormals(from.delete_delete[at]);
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            const float odds = without_subnormals(profile.match[code * nodes + at]);
            all_match[quad_floats * code + 4 * q + r] = odds;
            if (code < kAminoAcids) by_residue[4 * (kAminoAcids * q + code) + r] = odds;
        }
    }
    for (std::size_t q = 0; q < stripes; ++q) {
        const float* kinds_of_stripe = all_transitions + 4 * kTransitions * q;
        const auto positive = [](float x) { return x > 0; };
        is_possible[q] = std::all_of(kinds_of_stripe, kinds_of_stripe + 4 * kTransitions, positive) &&
                         std::all_of(all_deletes + 4 * q, all_deletes + 4 * q + 4, positive);
    }
    transitions = all_transitions;
    delete_delete = all_deletes;
    match = all_match;
    residue_odds = by_residue;
    possible = is_possible;
}

float add_log_nats(float total_nats, float scale) {
    return static_cast<float>(static_cast<double>(total_nats) + std::log(static_cast<double>(scale)));
}

std::uint32_t find_end(const float* row, std::size_t stripes, std::size_t stripe_stride, std::size_t delete_offset,
                       float greatest) {
    for (std::size_t q = stripes; q-- > 0;) {
        for (std::size_t r = 4; r-- > 0;) {
            if (row[q * stripe_stride + r] == greatest) return end_in(r * stripes + q, false);
        }
    }
    for (std::size_t q = 0; q < stripes; ++q) {
        for (std::size_t r = 0; r < 4; ++r) {
            if (row[q * stripe_stride + delete_offset + r] == greatest) return end_in(r * stripes + q, true);
        }
    }
    return end_in(0, false);
}

std::unique_ptr<ForwardBackward> make_simd_forward_backward(const ForwardBackwardTable& table,
                                                            const ForwardProfile& profile, std::size_t rows_per_block) {
    return std::make_unique<SimdForwardBackward>(table, profile, rows_per_block);
}

}  // namespace warpseq
