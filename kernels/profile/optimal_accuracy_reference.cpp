#include "kernels/profile/optimal_accuracy_reference.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace warpseq::reference {

bool decode(const Model& model, const LengthModel& length_model, const Matrix& forward_matrix,
            const SpecialStates& forward, const SpecialStates& backward, Matrix& matrix, Posterior& posterior) {
    const std::size_t residues = forward.rows.size() - 1;
    posterior.special.assign(residues + 1, {});
    float scale = reciprocal(backward.rows[0].n);
    for (std::size_t i = 1; i <= residues; ++i) {
        const SpecialStates::Row &above = forward.rows[i - 1], &f = forward.rows[i], &b = backward.rows[i];
        const Matrix::Row& fm = forward_matrix.row(i);
        Matrix::Row& row = matrix.row(i);
        const float total = scale * f.scale;
        for (std::size_t at = 0; at < model.nodes; ++at) {
            row.match[at] = fm.match[at] * row.match[at] * total;
            row.insert[at] = fm.insert[at] * row.insert[at] * total;
        }
        posterior.special[i] = {.n = above.n * b.n * length_model.loop * scale,
                                .j = above.j * b.j * length_model.loop * scale,
                                .c = above.c * b.c * length_model.loop * scale};
        if (backward.own_scales) scale *= f.scale / b.scale;
    }
    return std::isfinite(scale);
}

std::array<float, kResidueTableSize> expected_null2(const Model& model, const Matrix& matrix,
                                                    const Posterior& posterior) {
    const std::size_t residues = posterior.special.size() - 1;
    std::vector<float> match(model.nodes, 0.0f), insert(model.nodes, 0.0f);
    float n = 0, j = 0, c = 0;
    for (std::size_t i = 1; i <= residues; ++i) {
        const Matrix::Row& row = matrix.row(i);
        for (std::size_t at = 0; at < model.nodes; ++at) {
            match[at] += row.match[at];
            insert[at] += row.insert[at];
        }
        n += posterior.special[i].n;
        c += posterior.special[i].c;
        j += posterior.special[i].j;
    }
    const float per_residue = reciprocal(static_cast<float>(residues));
    for (float& weight : match) weight *= per_residue;
    for (float& weight : insert) weight *= per_residue;
    return mixture_odds(model, match, insert, n * per_residue + c * per_residue + j * per_residue);
}

namespace {

struct AccuracySpecial {
    float e, n, j, b, c;
};

/// Fills OA(state at i, k), the greatest expected number of correctly placed residues on a path
/// that ends there. Transitions count only as possible or not. `accuracy` starts filled with minus
/// infinity.
std::vector<AccuracySpecial> fill_accuracy(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                           const Posterior& posterior, Matrix& accuracy) {
    const std::size_t residues = posterior.special.size() - 1, segment = model.segment;
    std::vector<AccuracySpecial> special(residues + 1);
    special[0] = {.e = kMinusInfinity, .n = 0, .j = kMinusInfinity, .b = 0, .c = kMinusInfinity};
    for (std::size_t i = 1; i <= residues; ++i) {
        const Matrix::Row& probability = matrix.row(i);
        const Matrix::Row& last_row = accuracy.row(i - 1);
        Matrix::Row& row = accuracy.row(i);
        const AccuracySpecial& last = special[i - 1];
        AccuracySpecial& now = special[i];
        for (std::size_t at = 0; at < model.nodes; ++at) {
            float best = if_possible(model.enter[at], last.b);
            best = greater(best, if_possible(model.match_match[at], before(last_row.match, at, kMinusInfinity)));
            best = greater(best, if_possible(model.insert_match[at], before(last_row.insert, at, kMinusInfinity)));
            best = greater(best, if_possible(model.delete_match[at], before(last_row.del, at, kMinusInfinity)));
            row.match[at] = best + probability.match[at];
            best = if_possible(model.match_insert[at], last_row.match[at]);
            best = greater(best, if_possible(model.insert_insert[at], last_row.insert[at]));
            row.insert[at] = best + probability.insert[at];
        }
        const auto from_match = [&](std::size_t at) {
            return at == 0 ? kMinusInfinity : if_possible(model.match_delete[at - 1], row.match[at - 1]);
        };
        Segments carry{};
        for (std::size_t s = 0; s < kSegments; ++s) {
            const std::size_t begin = s * segment;
            float in = from_match(begin);
            for (std::size_t at = begin; at < begin + segment; ++at) {
                row.del[at] = greater(in, at == begin ? kMinusInfinity : from_match(at));
                in = if_possible(model.delete_delete[at], row.del[at]);
            }
            carry[s] = in;
        }
        for (std::size_t pass = 1; pass < kSegments; ++pass) {
            Segments carried{};
            for (std::size_t s = 0; s < kSegments; ++s) {
                float in = s == 0 ? kMinusInfinity : carry[s - 1];
                for (std::size_t at = s * segment; at < (s + 1) * segment; ++at) {
                    row.del[at] = greater(in, row.del[at]);
                    in = if_possible(model.delete_delete[at], in);
                }
                carried[s] = in;
            }
            carry = carried;
        }
        now.e = kMinusInfinity;
        for (const auto* values : {&row.match, &row.del}) {
            for (const float value : *values) now.e = greater(now.e, value);
        }
        const float loop = length_model.loop, move = length_model.move;
        const Posterior::Special& p = posterior.special[i];
        now.j = greater(if_possible(loop, last.j + p.j), if_possible(length_model.end_loop, now.e));
        now.c = greater(if_possible(loop, last.c + p.c), if_possible(length_model.end_move, now.e));
        now.n = if_possible(loop, last.n + p.n);
        now.b = greater(if_possible(move, now.n), if_possible(move, now.j));
    }
    return special;
}

/// Returns the state from which E is best entered in a row. Of the states with the greatest value
/// it is the last match in scan order, or else the first delete.
Cell best_end(const Model& model, const Matrix::Row& row) {
    Cell best{Plan7State::kMatch, 0};
    float greatest = kMinusInfinity;
    for (std::size_t q = 0; q < model.segment; ++q) {
        for (std::size_t at = q; at < model.nodes; at += model.segment) {
            if (row.match[at] >= greatest) {
                greatest = row.match[at];
                best = {Plan7State::kMatch, at};
            }
        }
        for (std::size_t at = q; at < model.nodes; at += model.segment) {
            if (row.del[at] > greatest) {
                greatest = row.del[at];
                best = {Plan7State::kDelete, at};
            }
        }
    }
    return best;
}

/// Makes a step of the alignment, which is found from its last state to its first.
TraceStep make_step(Plan7State state, std::size_t at, std::size_t i, const Matrix& posterior) {
    const Matrix::Row& row = posterior.row(i);
    const auto node = static_cast<std::int32_t>(at + 1);
    const auto residue = static_cast<std::int64_t>(i);
    switch (state) {
        case Plan7State::kMatch: return {TraceState::kMatch, node, residue, row.match[at]};
        case Plan7State::kInsert: return {TraceState::kInsert, node, residue, row.insert[at]};
        default: return {TraceState::kDelete, node, residue, 0.0f};
    }
}

/// Returns the steps from the first match state to the last, in order.
std::vector<TraceStep> from_match_to_match(std::vector<TraceStep> reversed) {
    const auto is_match = [](const TraceStep& step) { return step.state == TraceState::kMatch; };
    const auto first = std::find_if(reversed.rbegin(), reversed.rend(), is_match);
    const auto last = std::find_if(reversed.begin(), reversed.end(), is_match);
    if (last == reversed.end()) return {};
    return {first, std::make_reverse_iterator(last)};
}

/// Returns the steps of most_accurate(). Ties go to the state named first here.
std::vector<TraceStep> trace_accuracy(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                      const Posterior& posterior, const Matrix& accuracy,
                                      const std::vector<AccuracySpecial>& special) {
    const auto possible = [](float transition, float value) { return transition == 0 ? kMinusInfinity : value; };
    std::vector<TraceStep> steps;
    std::size_t i = posterior.special.size() - 1, at = 0;
    Plan7State state = Plan7State::kC;
    while (state != Plan7State::kStart) {
        Plan7State next = Plan7State::kStart;
        switch (state) {
            case Plan7State::kMatch: {
                const Matrix::Row& row = accuracy.row(i - 1);
                const std::array<Plan7State, 4> states = {Plan7State::kMatch, Plan7State::kInsert, Plan7State::kDelete,
                                                          Plan7State::kB};
                const std::array<float, 4> paths = {possible(model.match_match[at], before(row.match, at, 0)),
                                                    possible(model.insert_match[at], before(row.insert, at, 0)),
                                                    possible(model.delete_match[at], before(row.del, at, 0)),
                                                    possible(model.enter[at], special[i - 1].b)};
                next = states[static_cast<std::size_t>(std::max_element(paths.begin(), paths.end()) - paths.begin())];
                if (next != Plan7State::kB && (at == 0 || i == 1)) return {};  // only if nothing is possible at all
                --at;
                --i;
                break;
            }
            case Plan7State::kDelete: {
                const Matrix::Row& row = accuracy.row(i);
                if (at == 0) return {};  // the same
                const float from_match = possible(model.match_delete[at - 1], row.match[at - 1]);
                const float from_delete = possible(model.delete_delete[at - 1], row.del[at - 1]);
                next = from_match >= from_delete ? Plan7State::kMatch : Plan7State::kDelete;
                --at;
                break;
            }
            case Plan7State::kInsert: {
                if (i == 1) return {};  // the same
                const Matrix::Row& row = accuracy.row(i - 1);
                const float from_match = possible(model.match_insert[at], row.match[at]);
                const float from_insert = possible(model.insert_insert[at], row.insert[at]);
                next = from_match >= from_insert ? Plan7State::kMatch : Plan7State::kInsert;
                --i;
                break;
            }
            case Plan7State::kN: next = i == 0 ? Plan7State::kStart : Plan7State::kN; break;
            case Plan7State::kC: {
                if (i == 0) return {};  // the same
                const float loop = possible(length_model.loop, special[i - 1].c + posterior.special[i].c);
                next = loop > possible(length_model.end_move, special[i].e) ? Plan7State::kC : Plan7State::kE;
                break;
            }
            case Plan7State::kJ: {
                if (i == 0) return {};  // the same
                const float loop = possible(length_model.loop, special[i - 1].j + posterior.special[i].j);
                next = loop > possible(length_model.end_loop, special[i].e) ? Plan7State::kJ : Plan7State::kE;
                break;
            }
            case Plan7State::kE: {
                const Cell end = best_end(model, accuracy.row(i));
                next = end.state;
                at = end.at;
                steps.clear();
                break;
            }
            case Plan7State::kB:
                next = possible(length_model.move, special[i].n) > possible(length_model.move, special[i].j)
                           ? Plan7State::kN
                           : Plan7State::kJ;
                break;
            case Plan7State::kStart: break;
        }
        if (next == Plan7State::kMatch || next == Plan7State::kInsert || next == Plan7State::kDelete) {
            steps.push_back(make_step(next, at, i, matrix));
        }
        if (next == state && (next == Plan7State::kN || next == Plan7State::kJ || next == Plan7State::kC)) --i;
        state = next;
    }
    return from_match_to_match(std::move(steps));
}

}  // namespace

AccurateAlignment most_accurate(const Model& model, const LengthModel& length_model, const Matrix& matrix,
                                const Posterior& posterior) {
    Matrix accuracy(posterior.special.size(), model, kMinusInfinity);
    const std::vector<AccuracySpecial> special = fill_accuracy(model, length_model, matrix, posterior, accuracy);
    return {special.back().c, trace_accuracy(model, length_model, matrix, posterior, accuracy, special)};
}

std::vector<float> flank_posteriors(const std::vector<TraceStep>& trace, const Posterior& posterior) {
    std::vector<float> flanks(posterior.special.size() - 1, 0.0f);
    if (trace.empty()) return flanks;
    for (std::size_t i = 1; i <= flanks.size(); ++i) {
        const auto residue = static_cast<std::int64_t>(i);
        if (residue < trace.front().residue) flanks[i - 1] = posterior.special[i].n;
        if (residue > trace.back().residue) flanks[i - 1] = posterior.special[i].c;
    }
    return flanks;
}

}  // namespace warpseq::reference
