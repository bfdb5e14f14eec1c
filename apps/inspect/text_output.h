// How text fits a terminal: its width, bars, percentages.
#pragma once

#include <cstddef>
#include <string>

namespace warpseq {

/// Columns of the terminal on standard output, 80 where it is none; at least 40.
std::size_t terminal_columns();

/// `fraction` (0 to 1) of `columns` as '#', at least one where it is above 0.
std::string bar(double fraction, std::size_t columns);

/// "12.3 %"
std::string percentage(double part, double whole);

}  // namespace warpseq
