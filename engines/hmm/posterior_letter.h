// Posterior probabilities as HMMER writes them in alignments, a letter each.
#pragma once

namespace warpseq {

/// Returns '0' below 0.05, '1' below 0.15, ... '9' below 0.95, and '*' from there.
char posterior_letter(float probability);
/// Returns the middle of what a letter stands for: a little above 0 for '0', 0 for '.'.
float posterior_of(char letter);

}  // namespace warpseq
