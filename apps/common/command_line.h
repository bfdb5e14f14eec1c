// The messages and exit statuses of the programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Prints "PROGRAM: MESSAGE" on standard error, with '?' for characters that a terminal would act
/// on (formats/io/shown_text.h). All messages are printed this way, since names of files and
/// sequences may hold anything.
void print_message(std::string_view program, std::string_view message);
/// Writes a whole text to standard output, such as a help, a version or a summary.
Status print(std::string_view text);

/// Prints the status and its advice by print_message(), unless it is ok. Returns the exit status.
int report_status(std::string_view program, const Status& status);

}  // namespace warpseq
