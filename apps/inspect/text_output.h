// Text that fits a terminal: its width, bars and percentages.
#pragma once

#include <cstddef>
#include <string>

namespace warpseq {

/// Returns the width of the terminal on standard output in columns, or 40 if it is narrower.
/// Returns 80 if standard output is no terminal.
std::size_t terminal_columns();

/// Returns a bar of '#' whose length is `fraction` (0 to 1) of `columns`. It has at least one '#'
/// if the fraction is above 0.
std::string bar(double fraction, std::size_t columns);

/// Returns the part as a percentage of the whole, such as "12.34 %". If the whole is 0, it returns
/// "0.00 %".
std::string percentage(double part, double whole);

}  // namespace warpseq
