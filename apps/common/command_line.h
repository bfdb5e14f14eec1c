// What the programs' command lines have in common: sizes, messages, exit statuses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// "4096", "64K", "1.5M", "4G", "2T": bytes, powers of 1024, either letter case, an optional
/// trailing "B" or "iB". Errors name `option`.
Result<std::uint64_t> parse_size_bytes(std::string_view text, std::string_view option);

/// The error of a library that was given an option's value, with the option's name before it.
Status of_option(std::string_view option, const Status& status);

/// Prints "PROGRAM: MESSAGE" on standard error, with '?' for characters that a terminal would act
/// on (formats/io/shown_text.h). All messages go this way: names of files and sequences may hold
/// anything.
void print_message(std::string_view program, std::string_view message);
/// Text for standard output at once: help, a version, a summary.
Status print(std::string_view text);

/// print_message() with the advice unless status is ok; returns the exit status.
int report_status(std::string_view program, const Status& status);

}  // namespace warpseq
