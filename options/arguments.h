// Functions that read values on a command line. All programs use them, so that they read values
// alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// Returns the number that `text` states, or nothing if the text as a whole is no number. Both
/// functions read numbers as blastp and HMMER do: "5", "+5", "-5", "005" (decimal in spite of its
/// zeros) and "0x10". number_of() also reads "5.", ".5", "1e-5" and "inf". A number beyond a
/// double's range becomes infinity or 0. A text with blanks, and "nan", are no numbers.
std::optional<std::int64_t> whole_number_of(std::string_view text);
std::optional<double> number_of(std::string_view text);

/// Returns the whole number in `text`, which has to be from `least` to `most`. Any other text is a
/// usage error that names `option`, which is spelled with its dashes.
Result<std::int64_t> parse_whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Does the same for a number that need not be whole.
Result<double> parse_number(std::string_view text, std::string_view option, double least,
                            double most = std::numeric_limits<double>::infinity());

/// Returns the number of bytes that a size such as "4096", "64K", "1.5M", "4G" or "2T" states.
/// Units are powers of 1024, in either letter case. A trailing "B" or "iB" is optional. Any other
/// text is a usage error that names `option`.
Result<std::uint64_t> parse_size_bytes(std::string_view text, std::string_view option);

/// Returns `status` with the name of `option` before its message. `status` is the error of a
/// library function that was given the option's value.
Status of_option(std::string_view option, const Status& status);

/// Returns the file to write for an output option's value. "-" becomes the name under which
/// standard output can be opened.
std::filesystem::path output_path(const std::string& text);

/// Returns the number of threads that `option` asks for, from 1 to 1024. Without the option it
/// returns the number of the host's threads that the process may use.
Result<unsigned> read_threads(const OptionValues& parsed, const std::string& option = "threads");

/// Returns the taxonomy IDs in `text`, ascending and without repeats. They are numbers from 0 to
/// 2^31 - 1 that `separator` sets apart, perhaps with blanks around them. Empty pieces are skipped.
/// Returns nothing if the text holds anything else.
std::optional<std::vector<std::uint64_t>> parse_taxids(std::string_view text, char separator);

}  // namespace warpseq
