// Newton's method for the nearest frequencies.
//
// There are multipliers for the constraints: one per column, one per row but the first (which
// follows from the others) and one for the entropy. A step's linear system is diagonal in x and in
// the columns' multipliers, so it is reduced to a system of the rows and the entropy, which
// Cholesky's factors solve.
//
// The code is compiled twice, for the baseline processor and for AVX2. Both have the same bits,
// because each sum has its terms in one fixed order and products are not fused with sums. Vector
// units compute neighbouring sums side by side. Most loops go over all letters, also where a
// triangle is enough, because whole rows are faster. All functions are inlined into the two entry
// points and so take their instruction sets.
#include "libcore/statistics/nearest_frequencies.h"

#include <cmath>
#include <cstddef>

namespace warpseq {
namespace {

#define WARPSEQ_INLINED [[gnu::always_inline]] inline

constexpr std::size_t kLetters = kAminoAcids;
constexpr std::size_t kBlock = 4;  // letters, a vector of AVX2
static_assert(kLetters % kBlock == 0);

// Indices of the unknowns that are left after reduction: 0 for the entropy, i for row i.
constexpr std::size_t kEntropy = 0;

using Row = double[kLetters];
using Pairs = Row[kLetters];

/// The problem and the state of its solution.
struct Problem {
    Pairs q, x;
    Row rows, columns;
    double entropy_nats;
    Pairs log_odds;                         // log(q / (row sum * column sum))
    Pairs slope;                            // the entropy's derivative
    Pairs residual_x;                       // of the stationary point
    Row residual_columns;                   // of the columns' sums
    Row residual_rows;                      // of the rows' sums; the entropy's at kEntropy
    Row column_multiplier, row_multiplier;  // row_multiplier[0] stays 0
    double entropy_multiplier, norm;
};

/// The reduced system. It is symmetric. Row k of `upper` matters from the diagonal on.
struct ReducedSystem {
    Pairs upper;
    Row right;
};

WARPSEQ_INLINED void begin(Problem& p) {
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) {
            p.x[i][j] = p.q[i][j];
            p.log_odds[i][j] = p.q[i][j] / (p.rows[i] * p.columns[j]);
        }
        for (double& each : p.log_odds[i]) each = std::log(each);
        p.column_multiplier[i] = p.row_multiplier[i] = 0;
    }
    p.entropy_multiplier = 0;
}

/// Computes the residuals and returns their norm. At the start x is q, so x / q needs no logarithm.
/// The sums of a row are chains of additions, which the processor runs beside the next row's
/// logarithms.
WARPSEQ_INLINED double set_residuals(Problem& p, bool is_start) {
    double entropy = 0, squares = 0;
    for (std::size_t j = 0; j < kLetters; ++j) {
        p.residual_columns[j] = p.columns[j];
        p.residual_rows[j] = p.rows[j];
    }
    for (std::size_t i = 0; i < kLetters; ++i) {
        Row terms, squared;
        Row change;  // log(x / q)
        for (std::size_t j = 0; j < kLetters; ++j) change[j] = is_start ? 0 : p.x[i][j] / p.q[i][j];
        if (!is_start) {
            for (double& each : change) each = std::log(each);
        }
        for (std::size_t j = 0; j < kLetters; ++j) {
            const double odds = change[j] + p.log_odds[i][j];
            terms[j] = p.x[i][j] * odds;
            p.slope[i][j] = odds + 1;
            const double residual =
                -(change[j] + 1) + p.entropy_multiplier * p.slope[i][j] + p.column_multiplier[j] + p.row_multiplier[i];
            squared[j] = residual * residual;
            p.residual_x[i][j] = residual;
            p.residual_columns[j] -= p.x[i][j];
        }
        for (std::size_t j = 0; j < kLetters; ++j) {
            entropy += terms[j];
            squares += squared[j];
            p.residual_rows[i] -= p.x[i][j];
        }
    }
    p.residual_rows[kEntropy] = p.entropy_nats - entropy;
    for (std::size_t k = 0; k < kLetters; ++k)
        squares += p.residual_columns[k] * p.residual_columns[k] + p.residual_rows[k] * p.residual_rows[k];
    return p.norm = std::sqrt(squares);
}

/// Solves the system by Cholesky's factors. `right` becomes the solution, and `upper` is
/// overwritten.
WARPSEQ_INLINED void solve(ReducedSystem& system) {
    Row diagonal;  // of the factors
    for (std::size_t k = 0; k < kLetters; ++k) {
        diagonal[k] = std::sqrt(system.upper[k][k]);
        Row factor;
        for (std::size_t j = 0; j < kLetters; ++j) factor[j] = system.upper[k][j] /= diagonal[k];
        system.right[k] /= diagonal[k];
        for (std::size_t i = k + 1; i < kLetters; ++i) {
            const double of_row = factor[i];
            for (std::size_t j = 0; j < kLetters; ++j) system.upper[i][j] -= factor[j] * of_row;
            system.right[i] -= factor[i] * system.right[k];
        }
    }
    for (std::size_t i = kLetters; i-- > 0;) {
        system.right[i] /= diagonal[i];
        for (std::size_t j = 0; j < i; ++j) system.right[j] -= system.upper[j][i] * system.right[i];
    }
}

/// Takes a step. Its system is  D dx = r_x + A^T dz,  A dx = r_z.  D is (1 - multiplier) / x, and A
/// holds the constraints' derivatives.
WARPSEQ_INLINED void take_step(Problem& p) {
    // The inverse of D, and its sums over rows, alone and times the entropy's slope.
    Pairs inverse;
    Row column_sum, border, right_columns;
    Row diagonal, first_column;  // of the rows' system, before columns are eliminated
    ReducedSystem system{};
    for (std::size_t j = 0; j < kLetters; ++j) {
        column_sum[j] = border[j] = diagonal[j] = first_column[j] = 0;
        right_columns[j] = p.residual_columns[j];
        system.right[j] = p.residual_rows[j];
    }
    const double spread = 1 - p.entropy_multiplier;
    for (std::size_t i = 0; i < kLetters; ++i) {
        Row weighted, right_terms, entropy_right, entropy_weighted;
        for (std::size_t j = 0; j < kLetters; ++j) {
            inverse[i][j] = p.x[i][j] / spread;
            weighted[j] = inverse[i][j] * p.slope[i][j];
            right_terms[j] = inverse[i][j] * p.residual_x[i][j];
            entropy_right[j] = p.slope[i][j] * right_terms[j];
            entropy_weighted[j] = p.slope[i][j] * weighted[j];
            column_sum[j] += inverse[i][j];
            border[j] += weighted[j];
            right_columns[j] -= right_terms[j];
        }
        for (std::size_t j = 0; j < kLetters; ++j) {
            system.right[kEntropy] -= entropy_right[j];
            diagonal[kEntropy] += entropy_weighted[j];
        }
        if (i == 0) continue;
        for (std::size_t j = 0; j < kLetters; ++j) {
            diagonal[i] += inverse[i][j];
            first_column[i] += weighted[j];
            system.right[i] -= right_terms[j];
        }
    }
    // Column k of `turned` is the row of unknown k: the border for the entropy, or the inverse's
    // row k. `scaled` is the same divided by the column's sum.
    Pairs turned, scaled;
    for (std::size_t j = 0; j < kLetters; ++j) {
        for (std::size_t k = 0; k < kLetters; ++k) turned[j][k] = inverse[k][j];
        turned[j][kEntropy] = border[j];
        for (std::size_t k = 0; k < kLetters; ++k) scaled[j][k] = turned[j][k] / column_sum[j];
    }
    Row right_sum;
    for (double& sum : right_sum) sum = 0;
    for (std::size_t j = 0; j < kLetters; ++j) {
        for (std::size_t i = 0; i < kLetters; ++i) right_sum[i] += scaled[j][i] * right_columns[j];
    }
    for (std::size_t i = 0; i < kLetters; ++i) system.right[i] -= right_sum[i];
    // Blocks of two rows and kBlock columns, whose sums stay in vector registers.
    for (std::size_t k = 0; k < kLetters; k += 2) {
        for (std::size_t block = k / kBlock * kBlock; block < kLetters; block += kBlock) {
            double sums[kBlock] = {}, next_sums[kBlock] = {};
            for (std::size_t j = 0; j < kLetters; ++j) {
                for (std::size_t i = 0; i < kBlock; ++i) sums[i] += scaled[j][block + i] * turned[j][k];
                for (std::size_t i = 0; i < kBlock; ++i) next_sums[i] += scaled[j][block + i] * turned[j][k + 1];
            }
            for (std::size_t i = 0; i < kBlock; ++i) {
                system.upper[k][block + i] = (k == kEntropy ? first_column[block + i] : 0) - sums[i];
                system.upper[k + 1][block + i] = 0 - next_sums[i];
            }
        }
    }
    for (std::size_t k = 0; k < kLetters; ++k) system.upper[k][k] += diagonal[k];
    solve(system);
    const Row& right = system.right;
    Row columns;
    for (std::size_t j = 0; j < kLetters; ++j) columns[j] = right_columns[j];
    for (std::size_t k = 0; k < kLetters; ++k) {
        const Row& row = k == kEntropy ? border : inverse[k];
        for (std::size_t j = 0; j < kLetters; ++j) columns[j] -= row[j] * right[k];
    }
    for (std::size_t j = 0; j < kLetters; ++j) columns[j] /= column_sum[j];
    // The step is shortened so that all frequencies stay positive.
    constexpr double kShare = 0.95;
    Pairs step;
    Row least;  // of the lengths that would take a frequency of the column to 0
    for (double& each : least) each = 1 / kShare;
    for (std::size_t i = 0; i < kLetters; ++i) {
        const double of_row = i == 0 ? 0 : right[i];
        for (std::size_t j = 0; j < kLetters; ++j) {
            step[i][j] = inverse[i][j] * (p.residual_x[i][j] + p.slope[i][j] * right[kEntropy] + columns[j] + of_row);
            const double room = -p.x[i][j] / step[i][j];
            least[j] = ((room >= 0) & (room < least[j])) ? room : least[j];
        }
    }
    double length = 1 / kShare;
    for (const double each : least) {
        if (each < length) length = each;
    }
    length *= kShare;
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) p.x[i][j] += length * step[i][j];
        p.column_multiplier[i] += length * columns[i];
        if (i > 0) p.row_multiplier[i] += length * right[i];
    }
    p.entropy_multiplier += length * right[kEntropy];
}

/// Sets p.x. Returns whether it is a solution.
WARPSEQ_INLINED bool find(Problem& p) {
    constexpr double kTolerance = 1e-8;
    constexpr int kMostSteps = 2000;
    begin(p);
    for (int step = 0; step <= kMostSteps; ++step) {
        if (!(set_residuals(p, step == 0) > kTolerance)) return p.norm <= kTolerance && p.entropy_multiplier < 1;
        if (step < kMostSteps) take_step(p);
    }
    return false;
}

#undef WARPSEQ_INLINED

bool find_baseline(Problem& problem) { return find(problem); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] bool find_avx2(Problem& problem) { return find(problem); }
#endif

}  // namespace

SolverBackend best_solver_backend() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return SolverBackend::kAvx2;
#endif
    return SolverBackend::kBaseline;
}

std::optional<JointFrequencies> nearest_frequencies(const JointFrequencies& q, const LetterShares& rows,
                                                    const LetterShares& columns, double entropy_nats,
                                                    SolverBackend backend) {
    Problem problem;
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) problem.q[i][j] = q[i][j];
        problem.rows[i] = rows[i];
        problem.columns[i] = columns[i];
    }
    problem.entropy_nats = entropy_nats;
#if defined(__x86_64__)
    const bool found = backend == SolverBackend::kAvx2 ? find_avx2(problem) : find_baseline(problem);
#else
    const bool found = find_baseline(problem);
#endif
    if (!found) return std::nullopt;
    JointFrequencies frequencies;
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) frequencies[i][j] = problem.x[i][j];
    }
    return frequencies;
}

}  // namespace warpseq
