// Letters for posterior probabilities, as HMMER writes them in alignments.
#pragma once

namespace warpseq {

/// Returns '0' for probabilities below 0.05, '1' below 0.15, ..., '9' below 0.95, and '*' for
/// others.
char posterior_letter(float probability);
/// Returns the middle of the probabilities that a letter stands for. It is a little above 0 for
/// '0', and 0 for '.'.
float posterior_of(char letter);

}  // namespace warpseq
