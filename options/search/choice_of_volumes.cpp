#include "options/search/choice_of_volumes.h"

#include <cstddef>

namespace warpseq {

TargetChoice choice_of_volumes(const TargetChoice& choice, const DatabaseSet& databases) {
    TargetChoice found = choice;
    found.repeated.clear();
    found.taxids_of_databases.clear();
    std::size_t given = 0;  // index of the name that a database belongs to
    for (std::size_t d = 0; d < databases.size(); ++d) {
        if (d > 0 && !databases.continues_set(d)) ++given;
        for (const RepeatedSequences& sequences : choice.repeated) {
            if (sequences.database == given) found.repeated.push_back({d, sequences.first, sequences.end});
        }
        if (given >= choice.taxids_of_databases.size()) continue;
        TaxidsOfDatabase taxids = choice.taxids_of_databases[given];
        if (const auto& facts = databases.blast_facts(d)) taxids.are_in_lines = facts->has_taxids;
        found.taxids_of_databases.push_back(taxids);
    }
    return found;
}

}  // namespace warpseq
