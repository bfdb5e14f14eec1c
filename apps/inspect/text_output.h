// The width of the terminal, for text that fits it.
#pragma once

#include <cstddef>

namespace warpseq {

/// Returns the width of the terminal on standard output in columns, or 40 if it is narrower.
/// Returns 80 if standard output is no terminal.
std::size_t terminal_columns();

}  // namespace warpseq
