// How probable each score of a random pair of letters is, and the scale that makes scores log-odds:
// Karlin and Altschul's lambda.
//
// lambda > 0 solves sum p(s) exp(lambda s) = 1 (1990, PNAS 87:2264), to five digits, by the steps
// that NCBI BLAST takes.
#pragma once

#include <optional>
#include <vector>

namespace warpseq {

class ScoreDistribution {
   public:
    /// probability[i] is that of the score lowest + i, at least one of them; they need not sum to
    /// exactly 1.
    ScoreDistribution(int lowest, std::vector<double> probability);

    int lowest() const { return lowest_; }
    int highest() const { return lowest_ + static_cast<int>(probability_.size()) - 1; }
    double operator()(int score) const { return probability_[static_cast<std::size_t>(score - lowest_)]; }
    double mean() const { return mean_; }
    /// The greatest number that divides the lowest score and all that have a probability.
    int step() const;

    /// Nothing where there is none: the mean is not negative, or the lowest score is not. `guess`
    /// is where the search begins.
    std::optional<double> lambda(double guess) const;

   private:
    int lowest_;
    std::vector<double> probability_;
    double mean_ = 0;
};

}  // namespace warpseq
