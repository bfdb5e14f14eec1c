// Messages and exit statuses of the programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Prints "PROGRAM: MESSAGE" on standard error, with '?' for characters that a terminal would act
/// on (formats/io/shown_text.h). All messages go this way: names of files and sequences may hold
/// anything.
void print_message(std::string_view program, std::string_view message);
/// Text for standard output at once: help, a version, a summary.
Status print(std::string_view text);

/// print_message() with the advice unless status is ok; returns the exit status.
int report_status(std::string_view program, const Status& status);

}  // namespace warpseq
