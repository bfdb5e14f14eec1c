// A search for the known name that is nearest to an unknown one, for "did you mean" messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpseq {

/// Returns the name in `known` that is nearest to `name`, or the first such name. It is at most two
/// edits away (letters inserted, left out or replaced), and at most half as many as `name` has
/// letters. Returns an empty text if no name is that near. Empty names in `known` are skipped.
std::string_view near_name(std::string_view name, std::span<const std::string_view> known);

/// Returns "; did you mean NAME? " for the name that near_name() returns, and "; " if it returns
/// none. The text joins a message about `name` and what follows. `before` stands before NAME.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known, std::string_view before = "");

}  // namespace warpseq
