#include "kernels/profile/log_space_alignment.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/profile/plan7_state.h"

namespace warpseq {

namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

/// log(1 + exp(-x)) in steps of a thousandth of a nat.
class LogSum {
   public:
    LogSum() {
        for (int i = 0; i < kEntries; ++i)
            table_[static_cast<std::size_t>(i)] =
                static_cast<float>(std::log(1. + std::exp(static_cast<double>(-i) / kSteps)));
    }
    float operator()(float a, float b) const {
        const float greater = std::max(a, b), less = std::min(a, b);
        if (less == kImpossible || greater - less >= 15.7f) return greater;
        return greater + table_[static_cast<std::size_t>((greater - less) * kSteps)];
    }

   private:
    static constexpr float kSteps = 1000.f;
    static constexpr int kEntries = 16000;
    std::array<float, kEntries> table_;
};

struct Cell {
    float match, insert, del;
};
struct Special {
    float e, n, b, c;
};

/// Rows 0..L of nodes 0..M. Nothing is possible at node 0.
struct Matrix {
    Matrix(std::size_t residues, std::size_t nodes)
        : width(nodes + 1), cells((residues + 1) * width), special(residues + 1) {}
    Cell* row(std::size_t i) { return cells.data() + i * width; }
    const Cell* row(std::size_t i) const { return cells.data() + i * width; }

    std::size_t width;
    std::vector<Cell> cells;
    std::vector<Special> special;
};

class LogSpaceAlignment {
   public:
    LogSpaceAlignment(const Plan7Profile& profile, EnvelopeTask& task)
        : profile_(profile),
          task_(task),
          nodes_(static_cast<std::size_t>(profile.length)),
          residues_(task.envelope.size()),
          loop_(static_cast<float>(std::log(static_cast<double>(task.length_model.loop)))),
          move_(static_cast<float>(std::log(static_cast<double>(task.length_model.move)))),
          forward_(residues_, nodes_),
          posterior_(residues_, nodes_) {}

    bool run() {
        fill_forward();
        task_.forward_nats = forward_.special[residues_].c + move_;
        if (!std::isfinite(task_.forward_nats)) return false;
        fill_backward();
        decode();
        fill_accuracy();
        task_.expected_accuracy = forward_.special[residues_].c;
        return trace();
    }

   private:
    using Array = std::vector<float>;

    // Returns the score of a transition by the node k that it leaves, 0..M. From node 0 only B
    // leads into node 1.
    float enter(std::size_t k) const { return profile_.transitions.enter[k - 1]; }  // into node k
    float into_match(const Array& transitions, std::size_t k) const { return transitions[k - 1]; }
    float leaving(const Array& transitions, std::size_t k) const { return k == 0 ? kImpossible : transitions[k - 1]; }
    const float* match_scores(std::size_t residue) const {
        return profile_.match.data() + std::size_t{task_.envelope[residue - 1]} * nodes_ - 1;
    }
    float insert_score(std::size_t residue) const { return task_.envelope[residue - 1] == kCodeStop ? kImpossible : 0; }

    void fill_forward() {
        const Plan7Profile::Transitions& t = profile_.transitions;
        forward_.special[0] = {kImpossible, 0, move_, kImpossible};
        std::fill_n(forward_.row(0), nodes_ + 1, Cell{kImpossible, kImpossible, kImpossible});
        for (std::size_t i = 1; i <= residues_; ++i) {
            const Cell* const above = forward_.row(i - 1);
            Cell* const row = forward_.row(i);
            const float* const match = match_scores(i);
            const float inserted = insert_score(i), begin = forward_.special[i - 1].b;
            row[0] = {kImpossible, kImpossible, kImpossible};
            float e = kImpossible;
            for (std::size_t k = 1; k <= nodes_; ++k) {
                const float sum = sum_(sum_(above[k - 1].match + into_match(t.match_match, k),
                                            above[k - 1].insert + into_match(t.insert_match, k)),
                                       sum_(begin + enter(k), above[k - 1].del + into_match(t.delete_match, k)));
                row[k].match = sum + match[k];
                row[k].insert = k == nodes_ ? kImpossible
                                            : sum_(above[k].match + t.match_insert[k - 1],
                                                   above[k].insert + t.insert_insert[k - 1]) +
                                                  inserted;
                row[k].del = sum_(row[k - 1].match + leaving(t.match_delete, k - 1),
                                  row[k - 1].del + leaving(t.delete_delete, k - 1));
                e = sum_(sum_(row[k].match, row[k].del), e);
            }
            Special& special = forward_.special[i];
            special.e = e;
            special.c = sum_(forward_.special[i - 1].c + loop_, e);
            special.n = forward_.special[i - 1].n + loop_;
            special.b = special.n + move_;
        }
    }

    /// Fills posterior_ with Backward's values.
    void fill_backward() {
        const Plan7Profile::Transitions& t = profile_.transitions;
        Cell* const last = posterior_.row(residues_);
        posterior_.special[residues_] = {move_, kImpossible, kImpossible, move_};
        const float end = move_;
        last[nodes_] = {end, kImpossible, end};
        for (std::size_t k = nodes_ - 1; k >= 1; --k) {
            last[k].match = sum_(end, last[k + 1].del + t.match_delete[k - 1]);
            last[k].del = sum_(end, last[k + 1].del + t.delete_delete[k - 1]);
            last[k].insert = kImpossible;
        }
        for (std::size_t i = residues_ - 1; i >= 1; --i) {
            const Cell* const below = posterior_.row(i + 1);
            const float* const match = match_scores(i + 1);
            const float inserted = insert_score(i + 1);
            const Special& next = posterior_.special[i + 1];
            Special& special = posterior_.special[i];
            special.b = begin_from(below, match);
            special.c = next.c + loop_;
            special.e = special.c;
            special.n = sum_(next.n + loop_, special.b + move_);
            Cell* const row = posterior_.row(i);
            row[nodes_] = {special.e, kImpossible, special.e};
            for (std::size_t k = nodes_ - 1; k >= 1; --k) {
                row[k].match = sum_(sum_(below[k + 1].match + into_match(t.match_match, k + 1) + match[k + 1],
                                         below[k].insert + t.match_insert[k - 1] + inserted),
                                    sum_(special.e, row[k + 1].del + t.match_delete[k - 1]));
                row[k].insert = sum_(below[k + 1].match + into_match(t.insert_match, k + 1) + match[k + 1],
                                     below[k].insert + t.insert_insert[k - 1] + inserted);
                row[k].del = sum_(below[k + 1].match + into_match(t.delete_match, k + 1) + match[k + 1],
                                  sum_(row[k + 1].del + t.delete_delete[k - 1], special.e));
            }
        }
    }

    float begin_from(const Cell* below, const float* match) const {
        float b = below[1].match + enter(1) + match[1];
        for (std::size_t k = 2; k <= nodes_; ++k) b = sum_(b, below[k].match + enter(k) + match[k]);
        return b;
    }

    /// Turns Backward's values into probabilities. Special holds those of N and C.
    void decode() {
        const float total = task_.forward_nats;
        std::fill_n(posterior_.row(0), nodes_ + 1, Cell{0, 0, 0});
        posterior_.special[0] = {0, 0, 0, 0};
        for (std::size_t i = 1; i <= residues_; ++i) {
            const Cell* const forward = forward_.row(i);
            Cell* const row = posterior_.row(i);
            float sum = 0;
            row[0] = {0, 0, 0};
            for (std::size_t k = 1; k <= nodes_; ++k) {
                row[k].match = std::exp(forward[k].match + row[k].match - total);
                sum += row[k].match;
                row[k].insert = k == nodes_ ? 0 : std::exp(forward[k].insert + row[k].insert - total);
                if (k < nodes_) sum += row[k].insert;
                row[k].del = 0;
            }
            const Special above = forward_.special[i - 1], here = posterior_.special[i];
            const float n = std::exp(above.n + here.n + loop_ - total), c = std::exp(above.c + here.c + loop_ - total);
            sum += n + c;
            const auto factor = static_cast<float>(1.0 / static_cast<double>(sum));
            for (std::size_t k = 1; k <= nodes_; ++k) {
                row[k].match *= factor;
                row[k].insert *= factor;
            }
            posterior_.special[i] = {0, n * factor, 0, c * factor};
        }
    }

    /// Returns the weight of a step: 1, or next to nothing if it is impossible.
    static double weight(float transition) { return transition == kImpossible ? static_cast<double>(FLT_MIN) : 1.0; }
    static double weighed(float transition, float accuracy) {
        return weight(transition) * static_cast<double>(accuracy);
    }

    /// Fills the accuracy matrix in place of forward_, which is no longer needed.
    void fill_accuracy() {
        const Plan7Profile::Transitions& t = profile_.transitions;
        std::fill_n(forward_.row(0), nodes_ + 1, Cell{kImpossible, kImpossible, kImpossible});
        forward_.special[0] = {kImpossible, 0, 0, kImpossible};
        for (std::size_t i = 1; i <= residues_; ++i) {
            const Cell *const above = forward_.row(i - 1), *const gain = posterior_.row(i);
            Cell* const row = forward_.row(i);
            const float begin = forward_.special[i - 1].b;
            row[0] = {kImpossible, kImpossible, kImpossible};
            float e = kImpossible;
            for (std::size_t k = 1; k <= nodes_; ++k) {
                const float p = gain[k].match;
                row[k].match = static_cast<float>(
                    std::max(std::max(weighed(into_match(t.match_match, k), above[k - 1].match + p),
                                      weighed(into_match(t.insert_match, k), above[k - 1].insert + p)),
                             std::max(weighed(into_match(t.delete_match, k), above[k - 1].del + p),
                                      weighed(enter(k), begin + p))));
                row[k].insert = k == nodes_ ? kImpossible
                                            : static_cast<float>(std::max(
                                                  weighed(t.match_insert[k - 1], above[k].match + gain[k].insert),
                                                  weighed(t.insert_insert[k - 1], above[k].insert + gain[k].insert)));
                row[k].del = static_cast<float>(std::max(weighed(leaving(t.match_delete, k - 1), row[k - 1].match),
                                                         weighed(leaving(t.delete_delete, k - 1), row[k - 1].del)));
                e = std::max(e, row[k].match);
            }
            Special& special = forward_.special[i];
            special.e = std::max(e, row[nodes_].del);
            const float loop = static_cast<float>(weight(loop_)), move = static_cast<float>(weight(move_));
            special.c = std::max(loop * (forward_.special[i - 1].c + posterior_.special[i].c), special.e);
            special.n = loop * (forward_.special[i - 1].n + posterior_.special[i].n);
            special.b = move * special.n;
        }
    }

    Plan7State best_before_match(std::size_t i, std::size_t k) const {
        const Plan7Profile::Transitions& t = profile_.transitions;
        const Cell& cell = forward_.row(i - 1)[k - 1];
        const std::array<float, 4> paths = {static_cast<float>(weighed(into_match(t.match_match, k), cell.match)),
                                            static_cast<float>(weighed(into_match(t.insert_match, k), cell.insert)),
                                            static_cast<float>(weighed(into_match(t.delete_match, k), cell.del)),
                                            static_cast<float>(weighed(enter(k), forward_.special[i - 1].b))};
        constexpr std::array<Plan7State, 4> kStates = {Plan7State::kMatch, Plan7State::kInsert, Plan7State::kDelete,
                                                       Plan7State::kB};
        return kStates[static_cast<std::size_t>(std::max_element(paths.begin(), paths.end()) - paths.begin())];
    }

    Plan7State best_end(std::size_t i, std::size_t& node) const {
        float best = kImpossible;
        Plan7State state = Plan7State::kStart;
        for (std::size_t k = 1; k <= nodes_; ++k) {
            const Cell& cell = forward_.row(i)[k];
            if (cell.match >= best) {
                best = cell.match;
                state = Plan7State::kMatch;
                node = k;
            }
            if (cell.del > best) {
                best = cell.del;
                state = Plan7State::kDelete;
                node = k;
            }
        }
        return state;
    }

    Plan7State best_of_two(Plan7State first, double of_first, Plan7State second, double of_second) const {
        return static_cast<float>(of_first) >= static_cast<float>(of_second) ? first : second;
    }

    bool trace() {
        const Plan7Profile::Transitions& t = profile_.transitions;
        std::vector<TraceStep> steps;
        task_.flank_posteriors.assign(residues_, 0.0f);
        std::size_t i = residues_, k = 0;
        Plan7State state = Plan7State::kC;
        while (state != Plan7State::kStart) {
            Plan7State next = Plan7State::kStart;
            switch (state) {
                case Plan7State::kMatch:
                    next = best_before_match(i, k);
                    --k;
                    --i;
                    break;
                case Plan7State::kDelete:
                    next = best_of_two(
                        Plan7State::kMatch, weighed(leaving(t.match_delete, k - 1), forward_.row(i)[k - 1].match),
                        Plan7State::kDelete, weighed(leaving(t.delete_delete, k - 1), forward_.row(i)[k - 1].del));
                    --k;
                    break;
                case Plan7State::kInsert:
                    next = best_of_two(Plan7State::kMatch, weighed(t.match_insert[k - 1], forward_.row(i - 1)[k].match),
                                       Plan7State::kInsert,
                                       weighed(t.insert_insert[k - 1], forward_.row(i - 1)[k].insert));
                    --i;
                    break;
                case Plan7State::kN: next = i == 0 ? Plan7State::kStart : Plan7State::kN; break;
                case Plan7State::kC: {
                    if (i == 0) return false;
                    const float loop =
                        static_cast<float>(weight(loop_)) * (forward_.special[i - 1].c + posterior_.special[i].c);
                    next = loop > forward_.special[i].e ? Plan7State::kC : Plan7State::kE;
                    break;
                }
                case Plan7State::kE: next = best_end(i, k); break;
                case Plan7State::kB: next = Plan7State::kN; break;
                case Plan7State::kJ:  // the model is unihit
                case Plan7State::kStart: break;
            }
            const bool in_model = is_node_state(next);
            if (in_model && (k == 0 || (i == 0 && next != Plan7State::kDelete)))
                return false;  // nothing is possible at all
            if (next == Plan7State::kStart && state != Plan7State::kN) return false;
            if (in_model) {
                const Cell& cell = posterior_.row(i)[k];
                steps.push_back(step_of(next, k, i, cell.match, cell.insert));
            }
            if (is_flank_loop(state, next)) {
                task_.flank_posteriors[i - 1] =
                    next == Plan7State::kN ? posterior_.special[i].n : posterior_.special[i].c;
                --i;
            }
            state = next;
        }
        task_.trace = steps_between_matches(steps);
        return !task_.trace.empty();
    }

    const Plan7Profile& profile_;
    EnvelopeTask& task_;
    std::size_t nodes_, residues_;
    float loop_, move_;
    LogSum sum_;
    Matrix forward_, posterior_;
};

}  // namespace

bool align_in_log_space(const Plan7Profile& profile, EnvelopeTask& task) {
    if (task.envelope.empty()) return false;
    return LogSpaceAlignment(profile, task).run();
}

}  // namespace warpseq
