// The references to cite after a search with warpseq.
#pragma once

#include <string>

namespace warpseq {

/// Returns the references as lines of text: warpseq itself, and for each engine the papers of the
/// methods that it computes. CITATION.cff has the same references; tests/package/recipes_test.py
/// compares them.
std::string citation_text();

}  // namespace warpseq
