#include "kernels/profile/sampled_traces_reference.h"

#include <cstdint>

namespace warpseq::reference {
namespace {

/// Chooses one of `paths`, each with a probability of its value over their sum. All are equally
/// likely if the sum is 0.
template <std::size_t count>
std::size_t choose(std::array<float, count> paths, LinearCongruential& random) {
    float total = 0, compensation = 0;
    for (const float path : paths) {
        const float term = path - compensation;
        const float sum = total + term;
        compensation = (sum - total) - term;
        total = sum;
    }
    for (float& path : paths) path = total != 0 ? path / total : static_cast<float>(1.0 / static_cast<float>(count));
    double norm = 0;
    for (const float path : paths) norm += static_cast<double>(path);
    const double roll = random.uniform();
    double sum = 0;
    for (std::size_t p = 0; p < count; ++p) {
        sum += static_cast<double>(paths[p]);
        if (roll < sum / norm) return p;
    }
    return count - 1;
}

/// Chooses the match or delete state from which E(i) is entered. The values are shares of E(i), in
/// double precision. Their sum may end just short of the random number. The scan then starts again.
Cell choose_end(const Model& model, const Matrix::Row& row, float e, LinearCongruential& random) {
    const double roll = random.uniform();
    const float norm = reciprocal(e);
    double sum = 0;
    while (true) {
        const double sum_before = sum;
        for (std::size_t q = 0; q < model.segment; ++q) {
            for (std::size_t at = q; at < model.nodes; at += model.segment) {
                sum += static_cast<double>(row.match[at] * norm);
                if (roll < sum) return {Plan7State::kMatch, at};
            }
            for (std::size_t at = q; at < model.nodes; at += model.segment) {
                sum += static_cast<double>(row.del[at] * norm);
                if (roll < sum) return {Plan7State::kDelete, at};
            }
        }
        if (!(sum > sum_before)) return {Plan7State::kMatch, 0};  // nothing to choose from
    }
}

}  // namespace

std::vector<SampledVisits> sample_trace(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                        const SpecialStates& forward, LinearCongruential& random) {
    std::vector<SampledVisits> domains;
    std::size_t i = forward.rows.size() - 1, at = 0;
    Plan7State state = Plan7State::kC;
    while (state != Plan7State::kStart) {
        Plan7State next = Plan7State::kStart;
        switch (state) {
            case Plan7State::kMatch: {
                const Matrix::Row& row = matrix.row(i - 1);
                constexpr std::array<Plan7State, 4> kStates = {Plan7State::kB, Plan7State::kMatch, Plan7State::kInsert,
                                                               Plan7State::kDelete};
                next = kStates[choose<4>(
                    {forward.rows[i - 1].b * model.enter[at], before(row.match, at, 0) * model.match_match[at],
                     before(row.insert, at, 0) * model.insert_match[at],
                     before(row.del, at, 0) * model.delete_match[at]},
                    random)];
                --at;
                --i;
                break;
            }
            case Plan7State::kDelete: {
                const Matrix::Row& row = matrix.row(i);
                next = choose<2>({before(row.match, at, 0) * before(model.match_delete, at, 0),
                                  before(row.del, at, 0) * before(model.delete_delete, at, 0)},
                                 random) == 0
                           ? Plan7State::kMatch
                           : Plan7State::kDelete;
                --at;
                break;
            }
            case Plan7State::kInsert: {
                const Matrix::Row& row = matrix.row(i - 1);
                next = choose<2>({row.match[at] * model.match_insert[at], row.insert[at] * model.insert_insert[at]},
                                 random) == 0
                           ? Plan7State::kMatch
                           : Plan7State::kInsert;
                --i;
                break;
            }
            case Plan7State::kN: next = i == 0 ? Plan7State::kStart : Plan7State::kN; break;
            case Plan7State::kC:
            case Plan7State::kJ: {
                if (i == 0) return domains;
                const SpecialStates::Row &last = forward.rows[i - 1], &now = forward.rows[i];
                const bool is_c = state == Plan7State::kC;
                const float loop = (is_c ? last.c : last.j) * length_model.loop;
                const float end = now.e * (is_c ? length_model.end_move : length_model.end_loop) * now.scale;
                next = choose<2>({loop, end}, random) == 0 ? state : Plan7State::kE;
                break;
            }
            case Plan7State::kE: {
                const Cell end = choose_end(model, matrix.row(i), forward.rows[i].e, random);
                next = end.state;
                at = end.at;
                domains.emplace_back();
                break;
            }
            case Plan7State::kB: {
                const SpecialStates::Row& now = forward.rows[i];
                next = choose<2>({now.n * length_model.move, now.j * length_model.move}, random) == 0 ? Plan7State::kN
                                                                                                      : Plan7State::kJ;
                break;
            }
            case Plan7State::kStart: break;
        }
        if (next == Plan7State::kMatch) {
            SampledDomain& domain = domains.back().domain;
            domain.residue_begin = static_cast<std::int32_t>(i);
            domain.node_begin = static_cast<std::int32_t>(at + 1);
            if (domain.residue_end == 0) {
                domain.residue_end = domain.residue_begin;
                domain.node_end = domain.node_begin;
            }
        }
        if (next == Plan7State::kMatch || next == Plan7State::kInsert) domains.back().emitting.push_back(at);
        if (next == state && (next == Plan7State::kN || next == Plan7State::kJ || next == Plan7State::kC)) --i;
        state = next;
    }
    return domains;
}

std::array<float, kResidueTableSize> traced_null2(const Model& model, const std::vector<std::size_t>& emitting) {
    std::vector<float> weights(model.nodes, 0.0f);
    for (const std::size_t at : emitting) weights[at] += 1;
    const float per_residue = reciprocal(static_cast<float>(emitting.size()));
    for (float& weight : weights) weight *= per_residue;
    return mixture_odds(model, weights, std::vector<float>(model.nodes, 0.0f), 0);
}

}  // namespace warpseq::reference
