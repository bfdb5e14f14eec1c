#include "reports/blast/joined_targets.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace warpseq {
namespace {

/// Whether more than one database has identifiers. The volumes of a set are one database.
bool can_share_identifiers(const BlastpNames& names, const DatabaseSet& databases) {
    if (names.are_subjects) return false;
    std::size_t count = 0;
    for (std::size_t d = 0; d < databases.size(); ++d)
        count += names.of(d).has_parsed_ids && !databases.continues_set(d);
    return count > 1;
}

}  // namespace

void join_targets(const BlastpNames& names, const DatabaseSet& databases, std::vector<BlastpHit>& hits,
                  std::vector<std::string>& headers) {
    if (hits.size() < 2 || !can_share_identifiers(names, databases)) return;
    const auto name_of = [&](std::size_t h) {
        const TargetNames target = name_target(names, hits[h], headers[h]);
        return target.lines[target.best].full_id;
    };
    const auto residues_of = [&](const BlastpHit& hit) { return databases.whole_residues(hit.database, hit.rank); };
    std::size_t last = 0;
    std::string last_name = name_of(0);
    for (std::size_t h = 1; h < hits.size(); ++h) {
        std::string name = name_of(h);
        BlastpHit &joined = hits[last], &hit = hits[h];
        const bool is_same = !name.empty() && name == last_name && hit.database != joined.database &&
                             residues_of(hit) == residues_of(joined);
        if (is_same) {
            std::ranges::move(hit.hsps, std::back_inserter(joined.hsps));
            std::ranges::move(hit.aligned_targets, std::back_inserter(joined.aligned_targets));
            if (hit.position < joined.position) {
                joined.database = hit.database;
                joined.rank = hit.rank;
                joined.position = hit.position;
                headers[last] = std::move(headers[h]);
            }
            continue;
        }
        if (++last != h) {
            hits[last] = std::move(hit);
            headers[last] = std::move(headers[h]);
        }
        last_name = std::move(name);
    }
    hits.resize(last + 1);
    headers.resize(last + 1);
}

}  // namespace warpseq
