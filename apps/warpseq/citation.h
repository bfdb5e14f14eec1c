// What to cite after a search with warpseq.
#pragma once

#include <string>

namespace warpseq {

/// Lines for people: warpseq itself, and for each engine the papers of the methods that it
/// computes. CITATION.cff has the same; tests/package/recipes_test.py compares them.
std::string citation_text();

}  // namespace warpseq
