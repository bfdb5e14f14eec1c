// The distribution of the scores of random pairs of letters, and Karlin and Altschul's lambda, the
// scale that makes scores log-odds.
//
// lambda > 0 solves sum p(s) exp(lambda s) = 1 (1990, PNAS 87:2264), to five digits, by the steps
// that NCBI BLAST takes.
#pragma once

#include <optional>
#include <vector>

namespace warpseq {

class ScoreDistribution {
   public:
    /// Makes a distribution in which score lowest + i has probability[i]. There is at least one.
    /// The probabilities need not sum to exactly 1.
    ScoreDistribution(int lowest, std::vector<double> probability);

    int lowest() const { return lowest_; }
    int highest() const { return lowest_ + static_cast<int>(probability_.size()) - 1; }
    double operator()(int score) const { return probability_[static_cast<std::size_t>(score - lowest_)]; }
    /// Returns the mean score.
    double mean() const { return mean_; }
    /// Returns the greatest number that divides the lowest score and all scores that have a
    /// probability other than 0. The lowest score must be negative.
    int step() const;

    /// Returns lambda in nats per score unit, or nothing if the mean or the lowest score is not
    /// negative. The search for it begins at `guess`.
    std::optional<double> lambda(double guess) const;

   private:
    int lowest_;
    std::vector<double> probability_;
    double mean_ = 0;
};

}  // namespace warpseq
