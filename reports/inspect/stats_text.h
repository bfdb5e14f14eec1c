// Pieces of text in the figures of a database: bars, percentages and columns.
#pragma once

#include <cstddef>
#include <string>

namespace warpseq {

/// Returns a bar of '#' whose length is `fraction` (0 to 1) of `columns`. It has at least one '#'
/// if the fraction is above 0.
std::string bar(double fraction, std::size_t columns);

/// Returns the part as a percentage of the whole, such as "12.34 %". If the whole is 0, it returns
/// "0.00 %".
std::string percentage(double part, double whole);

/// Returns the text with blanks before it, so that it fills `width` columns.
std::string right(std::string text, std::size_t width);

}  // namespace warpseq
