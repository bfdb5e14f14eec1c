#include "engines/targets/database_facts.h"

namespace warpseq {

std::string DatabaseFacts::names() const {
    std::string names;
    for (std::size_t d = 0; d < size(); ++d) {
        if (continues_set(d)) continue;
        if (!names.empty()) names += "; ";
        names += file(d).filename().string();
    }
    return names;
}

}  // namespace warpseq
