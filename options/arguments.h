// Values on a command line that all programs read alike.
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

/// Numbers are read as blastp and HMMER read them: "5", "+5", "-5", "005" (decimal, whatever zeros
/// it begins with), "0x10"; those that need not be whole also as "5.", ".5", "1e-5" and "inf", and
/// what is beyond a double's range as "inf" or 0. Nothing for other text, blanks and "nan" among
/// it.
std::optional<std::int64_t> whole_number_of(std::string_view text);
std::optional<double> number_of(std::string_view text);

/// A whole number from `least` to `most`. Errors name `option`, which is spelled with its dashes.
Result<std::int64_t> parse_whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Likewise, of any number.
Result<double> parse_number(std::string_view text, std::string_view option, double least,
                            double most = std::numeric_limits<double>::infinity());

/// "4096", "64K", "1.5M", "4G", "2T": bytes, powers of 1024, either letter case, an optional
/// trailing "B" or "iB". Errors name `option`.
Result<std::uint64_t> parse_size_bytes(std::string_view text, std::string_view option);

/// The error of a library that was given an option's value, with the option's name before it.
Status of_option(std::string_view option, const Status& status);

/// A file to write: "-" is standard output, under a name that may be opened.
std::filesystem::path output_path(const std::string& text);

/// The value of `option`, from 1 to 1024; where it is not given, all threads of the host that the
/// process may use.
Result<unsigned> read_threads(const OptionValues& parsed, const std::string& option = "threads");

/// Taxonomy IDs, ascending, each once: numbers from 0 to 2^31 - 1, with blanks around them; nothing
/// where anything else is there. Empty pieces do not count.
std::optional<std::vector<std::uint64_t>> parse_taxids(std::string_view text, char separator);

}  // namespace warpseq
