#include "libcore/statistics/karlin_altschul.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <span>

#include "libcore/scoring/builtin_matrices.h"

namespace warpseq {

namespace {

struct Row {
    std::string_view matrix;
    int open, extend;
    KarlinAltschulParameters parameters;
};

constexpr int kUngapped = -1;

/// Both gap costs of a search in which no gap pays.
constexpr int kNoGaps = 32'767;

// NCBI's published parameters, ungapped first: lambda, K, H, alpha, beta, alpha_v, sigma.
constexpr Row kRows[] = {
    {"BLOSUM45", kUngapped, kUngapped, {0.2291, 0.0924, 0.2514, 0.9113, -5.7, 9.61106, 9.61106}},
    {"BLOSUM45", 13, 3, {0.207, 0.049, 0.14, 1.5, -22, 35.8559, 35.9639}},
    {"BLOSUM45", 12, 3, {0.199, 0.039, 0.11, 1.8, -34, 45.6936, 45.8517}},
    {"BLOSUM45", 11, 3, {0.190, 0.031, 0.095, 2.0, -38, 62.8741, 63.1037}},
    {"BLOSUM45", 10, 3, {0.179, 0.023, 0.075, 2.4, -51, 88.2868, 88.6391}},
    {"BLOSUM45", 16, 2, {0.210, 0.051, 0.14, 1.5, -24, 36.2798, 36.4524}},
    {"BLOSUM45", 15, 2, {0.203, 0.041, 0.12, 1.7, -31, 44.8257, 45.0604}},
    {"BLOSUM45", 14, 2, {0.195, 0.032, 0.10, 1.9, -36, 60.7362, 61.1023}},
    {"BLOSUM45", 13, 2, {0.185, 0.024, 0.084, 2.2, -45, 85.1481, 85.6894}},
    {"BLOSUM45", 12, 2, {0.171, 0.016, 0.061, 2.8, -65, 127.758, 128.582}},
    {"BLOSUM45", 19, 1, {0.205, 0.040, 0.11, 1.9, -43, 53.0714, 53.8282}},
    {"BLOSUM45", 18, 1, {0.198, 0.032, 0.10, 2.0, -43, 72.3424, 73.4039}},
    {"BLOSUM45", 17, 1, {0.189, 0.024, 0.079, 2.4, -57, 103.055, 104.721}},
    {"BLOSUM45", 16, 1, {0.176, 0.016, 0.063, 2.8, -67, 170.1, 173.003}},
    {"BLOSUM50", kUngapped, kUngapped, {0.2318, 0.112, 0.3362, 0.6895, -4.0, 5.38831, 5.38831}},
    {"BLOSUM50", 13, 3, {0.212, 0.063, 0.19, 1.1, -16, 18.1138, 18.2028}},
    {"BLOSUM50", 12, 3, {0.206, 0.055, 0.17, 1.2, -18, 22.6546, 22.7777}},
    {"BLOSUM50", 11, 3, {0.197, 0.042, 0.14, 1.4, -25, 29.8611, 30.0457}},
    {"BLOSUM50", 10, 3, {0.186, 0.031, 0.11, 1.7, -34, 42.3938, 42.674}},
    {"BLOSUM50", 9, 3, {0.172, 0.022, 0.082, 2.1, -48, 66.0696, 66.5164}},
    {"BLOSUM50", 16, 2, {0.215, 0.066, 0.20, 1.05, -15, 17.9518, 18.0921}},
    {"BLOSUM50", 15, 2, {0.210, 0.058, 0.17, 1.2, -20, 21.9401, 22.1418}},
    {"BLOSUM50", 14, 2, {0.202, 0.045, 0.14, 1.4, -27, 28.6812, 28.9619}},
    {"BLOSUM50", 13, 2, {0.193, 0.035, 0.12, 1.6, -32, 42.0595, 42.4716}},
    {"BLOSUM50", 12, 2, {0.181, 0.025, 0.095, 1.9, -41, 63.7476, 64.3973}},
    {"BLOSUM50", 19, 1, {0.212, 0.057, 0.18, 1.2, -21, 26.3112, 26.9233}},
    {"BLOSUM50", 18, 1, {0.207, 0.050, 0.15, 1.4, -28, 34.9037, 35.7348}},
    {"BLOSUM50", 17, 1, {0.198, 0.037, 0.12, 1.6, -33, 48.8958, 50.1486}},
    {"BLOSUM50", 16, 1, {0.186, 0.025, 0.10, 1.9, -42, 76.4691, 78.443}},
    {"BLOSUM50", 15, 1, {0.171, 0.015, 0.063, 2.7, -76, 140.053, 144.16}},
    {"BLOSUM62", kUngapped, kUngapped, {0.3176, 0.134, 0.4012, 0.7916, -3.2, 4.96466, 4.96466}},
    {"BLOSUM62", 11, 2, {0.297, 0.082, 0.27, 1.1, -10, 12.6738, 12.7576}},
    {"BLOSUM62", 10, 2, {0.291, 0.075, 0.23, 1.3, -15, 16.474, 16.6026}},
    {"BLOSUM62", 9, 2, {0.279, 0.058, 0.19, 1.5, -19, 22.7519, 22.95}},
    {"BLOSUM62", 8, 2, {0.264, 0.045, 0.15, 1.8, -26, 35.4838, 35.8213}},
    {"BLOSUM62", 7, 2, {0.239, 0.027, 0.10, 2.5, -46, 61.2383, 61.886}},
    {"BLOSUM62", 6, 2, {0.201, 0.012, 0.061, 3.3, -58, 140.417, 141.882}},
    {"BLOSUM62", 13, 1, {0.292, 0.071, 0.23, 1.2, -11, 19.5063, 19.8931}},
    {"BLOSUM62", 12, 1, {0.283, 0.059, 0.19, 1.5, -19, 27.8562, 28.4699}},
    {"BLOSUM62", 11, 1, {0.267, 0.041, 0.14, 1.9, -30, 42.6028, 43.6362}},
    {"BLOSUM62", 10, 1, {0.243, 0.024, 0.10, 2.5, -44, 83.1787, 85.0656}},
    {"BLOSUM62", 9, 1, {0.206, 0.010, 0.052, 4.0, -87, 210.333, 214.842}},
    {"BLOSUM80", kUngapped, kUngapped, {0.3430, 0.177, 0.6568, 0.5222, -1.6, 1.91813, 1.91813}},
    {"BLOSUM80", 25, 2, {0.342, 0.17, 0.66, 0.52, -1.6, 1.731, 1.7313}},
    {"BLOSUM80", 13, 2, {0.336, 0.15, 0.57, 0.59, -3, 2.67347, 2.6923}},
    {"BLOSUM80", 9, 2, {0.319, 0.11, 0.42, 0.76, -6, 5.57609, 5.66786}},
    {"BLOSUM80", 8, 2, {0.308, 0.090, 0.35, 0.89, -9, 7.53695, 7.68623}},
    {"BLOSUM80", 7, 2, {0.293, 0.070, 0.27, 1.1, -14, 11.5866, 11.8404}},
    {"BLOSUM80", 6, 2, {0.268, 0.045, 0.19, 1.4, -19, 19.9581, 20.4412}},
    {"BLOSUM80", 11, 1, {0.314, 0.095, 0.35, 0.90, -9, 8.80861, 9.22332}},
    {"BLOSUM80", 10, 1, {0.299, 0.071, 0.27, 1.1, -14, 13.8338, 14.5334}},
    {"BLOSUM80", 9, 1, {0.279, 0.048, 0.20, 1.4, -19, 24.252, 25.4904}},
    {"BLOSUM90", kUngapped, kUngapped, {0.3346, 0.190, 0.7547, 0.4434, -1.4, 1.37776, 1.37776}},
    {"BLOSUM90", 9, 2, {0.310, 0.12, 0.46, 0.67, -6, 4.23229, 4.33417}},
    {"BLOSUM90", 8, 2, {0.300, 0.099, 0.39, 0.76, -7, 5.79702, 5.96142}},
    {"BLOSUM90", 7, 2, {0.283, 0.072, 0.30, 0.93, -11, 9.04088, 9.3216}},
    {"BLOSUM90", 6, 2, {0.259, 0.048, 0.22, 1.2, -16, 16.0244, 16.5316}},
    {"BLOSUM90", 11, 1, {0.302, 0.093, 0.39, 0.78, -8, 7.14325, 7.61919}},
    {"BLOSUM90", 10, 1, {0.290, 0.075, 0.28, 1.04, -15, 11.4839, 12.2698}},
    {"BLOSUM90", 9, 1, {0.265, 0.044, 0.20, 1.3, -19, 21.4083, 22.8409}},
    {"PAM30", kUngapped, kUngapped, {0.3400, 0.283, 1.754, 0.1938, -0.3, 0.161818, 0.161818}},
    {"PAM30", 7, 2, {0.305, 0.15, 0.87, 0.35, -3, 1.01401, 1.16273}},
    {"PAM30", 6, 2, {0.287, 0.11, 0.68, 0.42, -4, 1.68806, 1.95143}},
    {"PAM30", 5, 2, {0.264, 0.079, 0.45, 0.59, -7, 3.37701, 3.87195}},
    {"PAM30", 10, 1, {0.309, 0.15, 0.88, 0.35, -3, 1.37205, 1.78877}},
    {"PAM30", 9, 1, {0.294, 0.11, 0.61, 0.48, -6, 2.46392, 3.18615}},
    {"PAM30", 8, 1, {0.270, 0.072, 0.40, 0.68, -10, 5.36813, 6.76348}},
    {"PAM30", 15, 3, {0.339, 0.28, 1.70, 0.20, -0.5, 0.157089, 0.155299}},
    {"PAM30", 14, 2, {0.337, 0.27, 1.62, 0.21, -0.8, 0.206970, 0.198524}},
    {"PAM30", 14, 1, {0.333, 0.27, 1.43, 0.23, -1.4, 0.436301, 0.361947}},
    {"PAM30", 13, 3, {0.338, 0.27, 1.69, 0.20, -0.5, 0.178973, 0.175436}},
    {"PAM70", kUngapped, kUngapped, {0.3345, 0.229, 1.029, 0.3250, -0.7, 0.633439, 0.633439}},
    {"PAM70", 8, 2, {0.301, 0.12, 0.54, 0.56, -5, 2.88165, 3.02571}},
    {"PAM70", 7, 2, {0.286, 0.093, 0.43, 0.67, -7, 4.53454, 4.78578}},
    {"PAM70", 6, 2, {0.264, 0.064, 0.29, 0.90, -12, 7.94263, 8.40272}},
    {"PAM70", 11, 1, {0.305, 0.12, 0.52, 0.59, -6, 3.6814, 4.10802}},
    {"PAM70", 10, 1, {0.291, 0.091, 0.41, 0.71, -9, 6.00297, 6.71657}},
    {"PAM70", 9, 1, {0.270, 0.060, 0.28, 0.97, -14, 11.3608, 12.6367}},
    {"PAM70", 11, 2, {0.323, 0.186, 0.80, 1.32, -27, 1.321301, 1.281671}},
    {"PAM70", 12, 3, {0.330, 0.219, 0.93, 0.82, -16, 0.818768, 0.811240}},
    {"PAM250", kUngapped, kUngapped, {0.2252, 0.0868, 0.2223, 0.98, -5.0, 11.7543, 11.7543}},
    {"PAM250", 15, 3, {0.205, 0.049, 0.13, 1.6, -23, 34.5784, 34.928}},
    {"PAM250", 14, 3, {0.200, 0.043, 0.12, 1.7, -26, 43.353, 43.4438}},
    {"PAM250", 13, 3, {0.194, 0.036, 0.10, 1.9, -31, 50.9485, 51.0817}},
    {"PAM250", 12, 3, {0.186, 0.029, 0.085, 2.2, -41, 69.6065, 69.7936}},
    {"PAM250", 11, 3, {0.174, 0.020, 0.070, 2.5, -48, 98.6535, 98.9271}},
    {"PAM250", 17, 2, {0.204, 0.047, 0.12, 1.7, -28, 41.5838, 41.7358}},
    {"PAM250", 16, 2, {0.198, 0.038, 0.11, 1.8, -29, 51.6352, 51.8439}},
    {"PAM250", 15, 2, {0.191, 0.031, 0.087, 2.2, -44, 67.2567, 67.5585}},
    {"PAM250", 14, 2, {0.182, 0.024, 0.073, 2.5, -53, 96.3151, 96.7568}},
    {"PAM250", 13, 2, {0.171, 0.017, 0.059, 2.9, -64, 135.653, 136.339}},
    {"PAM250", 21, 1, {0.205, 0.045, 0.11, 1.8, -34, 48.7282, 49.2188}},
    {"PAM250", 20, 1, {0.199, 0.037, 0.10, 1.9, -35, 60.832, 61.5141}},
    {"PAM250", 19, 1, {0.192, 0.029, 0.083, 2.3, -52, 84.0197, 84.9856}},
    {"PAM250", 18, 1, {0.183, 0.021, 0.070, 2.6, -60, 113.829, 115.184}},
    {"PAM250", 17, 1, {0.171, 0.014, 0.052, 3.3, -86, 175.071, 177.196}},
    {"IDENTITY", kUngapped, kUngapped, {0.28768, 0.282, 1.69, 0.1703, -0.3, 0.16804, 0.16804}},
    {"IDENTITY", 15, 2, {0.2835, 0.255, 1.49, 0.19, -1, 0.24613, 0.22743}},
};

struct Default {
    std::string_view matrix;
    GapCosts gaps;
};
constexpr Default kDefaults[] = {
    {"BLOSUM45", {14, 2}}, {"BLOSUM50", {13, 2}}, {"BLOSUM62", {11, 1}}, {"BLOSUM80", {10, 1}}, {"BLOSUM90", {10, 1}},
    {"PAM30", {9, 1}},     {"PAM70", {10, 1}},    {"PAM250", {14, 2}},   {"IDENTITY", {15, 2}},
};

const Row* find_row(std::string_view matrix, int open, int extend) {
    const auto row = std::ranges::find_if(kRows, [&](const Row& candidate) {
        return candidate.matrix == matrix && candidate.open == open && candidate.extend == extend;
    });
    return row == std::end(kRows) ? nullptr : &*row;
}

/// Returns the complementary error function as NCBI BLAST has it, except for its last digit. For z
/// in [0.5, 1.5) that is exp(-z^2) / z times a rational function of z - 0.5. The last term of its
/// denominator, of the sixth degree, is missing there, so E-values differ from the seventh digit
/// on. The coefficients are those that Boost.Math has for this interval.
double blast_erfc(double z) {
    if (z < 0) return 2 - blast_erfc(-z);
    if (z < 0.5 || z >= 1.5) return std::erfc(z);
    constexpr double kConstant = 0.405935764312744140625;
    constexpr double kNumerator[] = {-0.098090592216281240205, 0.178114665841120341155,  0.191003695796775433986,
                                     0.0888900368967884466578, 0.0195049001251218801359, 0.00180424538297014223957};
    constexpr double kDenominator[] = {1,
                                       1.84759070983002217845,
                                       1.42628004845511324508,
                                       0.578052804889902404909,
                                       0.12385097467900864233,
                                       0.0113385233577001411017};
    const auto polynomial = [x = z - 0.5](std::span<const double> coefficients) {
        double value = 0;
        for (std::size_t k = coefficients.size(); k-- > 0;) value = value * x + coefficients[k];
        return value;
    };
    return std::exp(-z * z) / z * (kConstant + polynomial(kNumerator) / polynomial(kDenominator));
}

double normal_cdf(double x) { return 0.5 * blast_erfc(-x / std::numbers::sqrt2); }
constexpr double kNormalDensityAtZero = 0.39894228040143267793994605993438;  // 1 / sqrt(2 pi)

}  // namespace

AlignmentStatistics::AlignmentStatistics(const KarlinAltschulParameters& gapped,
                                         const KarlinAltschulParameters& ungapped, GapCosts gaps)
    : gapped_(gapped),
      ungapped_(ungapped),
      length_offset_(2.0 * gaps.first() * (ungapped.alpha - gapped.alpha)),
      variance_offset_(2.0 * gaps.first() * (ungapped.alpha_v - gapped.alpha_v)),
      covariance_offset_(2.0 * gaps.first() * (ungapped.alpha_v - gapped.sigma)) {}

std::optional<AlignmentStatistics> AlignmentStatistics::find(const ScoringScheme& scheme) {
    const auto builtin = builtin_matrix(scheme.matrix.name());
    if (!builtin || builtin->table() != scheme.matrix.table()) return std::nullopt;
    if (scheme.gaps.open < 0 || scheme.gaps.extend < 0) return std::nullopt;
    const Row* ungapped = find_row(builtin->name(), kUngapped, kUngapped);
    const Row* gapped = scheme.gaps.open == kNoGaps && scheme.gaps.extend == kNoGaps
                            ? ungapped
                            : find_row(builtin->name(), scheme.gaps.open, scheme.gaps.extend);
    if (gapped == nullptr || ungapped == nullptr) return std::nullopt;
    return AlignmentStatistics(gapped->parameters, ungapped->parameters, scheme.gaps);
}

AlignmentStatistics AlignmentStatistics::without_gaps(const UngappedParameters& own) const {
    KarlinAltschulParameters parameters = ungapped_;
    parameters.lambda = own.lambda;
    parameters.k = own.k;
    parameters.h = own.h;
    return {parameters, ungapped_, GapCosts{0, 0}};
}

std::string AlignmentStatistics::known_gap_costs(std::string_view matrix_name) {
    std::string list;
    for (const Row& row : kRows) {
        if (row.matrix != matrix_name || row.open == kUngapped) continue;
        if (!list.empty()) list += ", ";
        list += std::to_string(row.open) + "/" + std::to_string(row.extend);
    }
    return list;
}

std::optional<GapCosts> AlignmentStatistics::default_gap_costs(std::string_view matrix_name) {
    for (const Default& entry : kDefaults) {
        if (entry.matrix == matrix_name) return entry.gaps;
    }
    return std::nullopt;
}

double AlignmentStatistics::bits(std::int64_t score_raw) const {
    return (gapped_.lambda * static_cast<double>(score_raw) - std::log(gapped_.k)) / std::numbers::ln2;
}

double AlignmentStatistics::evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                                   std::uint64_t database_residues) const {
    const double score = score_raw;
    const double lost = gapped_.alpha * score + length_offset_;
    const double deviation =
        std::sqrt(std::max(2 * gapped_.alpha_v / gapped_.lambda, gapped_.alpha_v * score + variance_offset_));
    struct Side {
        double reach;        // P above: the chance that there is room for the alignment
        double free_length;  // p above: the expected number of starting points
    };
    const auto side = [&](std::uint64_t residues) {
        const double free = static_cast<double>(residues) - lost;
        const double deviations = free / deviation;
        const double reach = normal_cdf(deviations);
        return Side{reach, free * reach + deviation * kNormalDensityAtZero * std::exp(-0.5 * deviations * deviations)};
    };
    const Side query = side(query_residues), target = side(target_residues);
    const double covariance = std::max(2 * gapped_.sigma / gapped_.lambda, gapped_.sigma * score + covariance_offset_);
    const double area = query.free_length * target.free_length + covariance * query.reach * target.reach;
    const double targets = static_cast<double>(database_residues) / static_cast<double>(target_residues);
    return area * gapped_.k * std::exp(-gapped_.lambda * score) * targets;
}

double AlignmentStatistics::evalue(double score_raw, std::uint64_t query_residues, std::uint64_t target_residues,
                                   const SearchSpace& space) const {
    if (space.effective == 0) {
        const double positive = evalue(score_raw, query_residues, target_residues, space.database_residues);
        return space.is_negative ? -positive : positive;
    }
    return static_cast<double>(static_cast<std::int64_t>(space.effective)) *
           std::exp(-gapped_.lambda * score_raw + std::log(gapped_.k));
}

std::int32_t AlignmentStatistics::cutoff_raw(double evalue_limit, std::uint64_t query_residues,
                                             std::uint64_t target_residues, const SearchSpace& space) const {
    if (space.effective != 0) {
        constexpr double kLeastEvalue = 1e-297;
        const double score = std::ceil(
            std::log(gapped_.k * static_cast<double>(space.effective) / std::max(evalue_limit, kLeastEvalue)) /
            gapped_.lambda);
        return static_cast<std::int32_t>(std::max(1.0, score));
    }
    const auto passes = [&](std::int32_t score) {
        return evalue(score, query_residues, target_residues, space) <= evalue_limit;
    };
    const double guess = std::log(static_cast<double>(space.database_residues) / evalue_limit) / gapped_.lambda;
    std::int32_t too_low = 0, enough = std::max(2, static_cast<std::int32_t>(std::clamp(guess, 0.0, 1e9)));
    while (!passes(enough)) {
        too_low = enough;
        enough *= 2;
    }
    while (enough - too_low > 1) {
        const std::int32_t middle = (too_low + enough) / 2;
        (passes(middle) ? enough : too_low) = middle;
    }
    return too_low;
}

std::uint64_t AlignmentStatistics::length_adjustment(std::uint64_t query_residues, std::uint64_t database_residues,
                                                     std::uint64_t sequences) const {
    const auto m = static_cast<double>(query_residues), n = static_cast<double>(database_residues),
               count = static_cast<double>(sequences);
    // The expected length of an alignment in the space left after `length` is subtracted
    // everywhere. Its score is the one that is expected once there.
    const auto expected = [&](double length) {
        return gapped_.alpha / gapped_.lambda * (std::log(gapped_.k) + std::log((m - length) * (n - count * length))) +
               gapped_.beta;
    };
    // Up to this length there is a search space of at least max(m, n) / K.
    const double room = n * m - std::max(m, n) / gapped_.k;
    if (room < 0) return 0;
    const double sum = m * count + n;
    double most = 2 * room / (sum + std::sqrt(sum * sum - 4 * count * room)), least = 0, next = 0;
    constexpr int kMostSteps = 20;
    bool converged = false;
    for (int step = 1; step <= kMostSteps; ++step) {
        const double length = next, better = expected(length);
        if (better >= length) {
            least = length;
            if (better - least <= 1) {
                converged = true;
                break;
            }
            if (least == most) break;
        } else {
            most = length;
        }
        if (least <= better && better <= most) {
            next = better;
        } else {
            next = step == 1 ? most : (least + most) / 2;
        }
    }
    if (converged) {
        const double up = std::ceil(least);
        if (up <= most && expected(up) >= up) return static_cast<std::uint64_t>(up);
    }
    return static_cast<std::uint64_t>(least);
}

std::uint64_t AlignmentStatistics::effective_search_space(std::uint64_t query_residues, std::uint64_t database_residues,
                                                          std::uint64_t sequences) const {
    const std::uint64_t adjustment = length_adjustment(query_residues, database_residues, sequences);
    const std::uint64_t lost = sequences * adjustment;
    return (lost < database_residues ? database_residues - lost : 1) *
           (query_residues - std::min(adjustment, query_residues));
}

}  // namespace warpseq
