// Restriction of a search to some of the databases' sequences, by lists of identifiers and of
// taxonomy IDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "formats/io/run_files.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "options/option_set.h"
#include "options/search/defline_choice.h"

namespace warpseq {

/// Returns the list with all descendants of its taxa that the databases know.
Result<std::optional<TaxonList>> with_descendants(const DatabaseSet& databases, const std::optional<TaxonList>& taxa);

/// Returns the chosen sequences of each database. `lines` is made of the same lists as `choice`. It
/// is invalid input if the taxonomy IDs have no effect (DeflineChoice::has_decided()), or if no
/// sequence is left, unless choice.may_be_empty.
Result<std::vector<TargetMembers>> choose_targets(const DatabaseSet& databases, const TargetChoice& choice,
                                                  const DeflineChoice& lines, const ThreadPool& pool);

/// Returns the function that restricts a session to `choice` (SessionSettings::choose_targets).
/// When it has chosen sequences, it passes the chosen definition lines to `use_lines`.
std::function<Result<std::vector<TargetMembers>>(const DatabaseSet& databases, const ThreadPool& pool)> target_chooser(
    TargetChoice choice, std::function<void(std::shared_ptr<const DeflineChoice>)> use_lines);

}  // namespace warpseq
