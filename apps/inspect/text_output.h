// Text that fits a terminal: its width, bars and percentages.
#pragma once

#include <cstddef>
#include <string>

namespace warpseq {

/// Returns the columns of the terminal on standard output, at least 40; 80 if it is no terminal.
std::size_t terminal_columns();

/// Returns '#' for `fraction` (0 to 1) of `columns`, and at least one '#' if the fraction is above
/// 0.
std::string bar(double fraction, std::size_t columns);

/// Returns the part as a percentage, such as "12.34 %".
std::string percentage(double part, double whole);

}  // namespace warpseq
