// The description of one option: its type, its limits, and its name and help in each dialect.
// Parsers, helps, completions and settings of a command are all made from a table of such rows.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace warpseq {

/// The kind of value that an option takes.
enum class OptionType : std::uint8_t {
    kFlag,   // no value
    kText,   // any text
    kTexts,  // any text, and the option may be repeated
    kFile,   // a file; kFileIn and kFileOut if a dialect tells input from output
    kFileIn,
    kFileOut,
    kInteger,   // a whole number of 32 bits
    kInteger8,  // a whole number of 64 bits
    kReal,
    kBoolean,  // a truth value as a word
};

/// The range of numbers that an option takes.
struct OptionRange {
    std::string_view text = "";  // as helps and messages show it; empty if any number fits
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool without_least = false, without_most = false;

    constexpr bool has(double value) const {  // false for NaN
        return (without_least ? value > least : value >= least) && (without_most ? value < most : value <= most);
    }
};

/// The name and help of an option in warpseq's own programs; option_set.h parses it.
struct WarpseqName {
    std::string_view names = "";     // "x,long,other_long", without dashes; empty if not in this dialect
    std::string_view argument = "";  // name of the value in the help
    std::string_view help = "";
    /// Position of the option among those of its group in the help. Options with equal positions
    /// stand in the order of rows.
    int place = 0;
    std::string_view group = "";     // heading in the help; the caller may give one for all rows instead
    const char* standard = nullptr;  // replaces OptionRow::standard; "": no default, or the help text states it
};

/// The name and help of an option in HMMER's programs; easel_options.h parses it.
struct EaselName {
    std::string_view name = "";  // with its dashes; empty if not in this dialect
    std::string_view help = "";
    const char* environment_name = nullptr;  // variable whose value counts if the option is not given
    bool is_hidden = false;                  // whether the help leaves the option out
};

/// The name and help of an option in BLAST+'s programs; blast_options.h parses it.
struct BlastName {
    const char* name = nullptr;      // without its dash; nullptr if not in this dialect
    const char* group = "";          // heading in -help
    const char* argument = nullptr;  // name of the value in USAGE; nullptr for a flag
    const char* help = "";           // lines with line ends between them
    bool is_mandatory = false;
};

/// Format of a value in the line about its option at the top of HMMER's reports.
enum class ReportedNumber : std::uint8_t { kText, kGeneral, kFixed, kThreeDigits, kWhole };

/// Line about a given option at the top of HMMER's reports.
struct ReportLine {
    std::string_view label = "";   // empty if the reports have no line about the option
    std::string_view before = "";  // text before the value; a flag has only this text
    ReportedNumber number = ReportedNumber::kText;
    std::string_view behind = "";  // text after the value
};

/// One option, in all dialects that have it.
struct OptionRow {
    OptionType type = OptionType::kFlag;
    const char* standard = nullptr;  // default value
    OptionRange range = {};
    const char* choices = nullptr;  // the only values allowed, as BLAST+ lists them: "'a' 'b'" or "`a', `b'"
    /// Lists of other options, by their names in the dialect of the original program. Names are set
    /// apart by blanks (BLAST+) or commas (HMMER).
    std::string_view excludes = "";  // options that cannot be given with this one
    std::string_view needs = "";     // BLAST+: all must be given with it; HMMER: each must be on
    std::string_view toggles = "";   // options of which at most one is on, this one included
    bool is_on = false;              // whether it is the one of `toggles` that is on by default
    bool is_supported = true;        // whether warpseq has the option; if not, giving it is an error
    WarpseqName warpseq = {};
    EaselName easel = {};
    BlastName blast = {};
    ReportLine report = {};

    /// Returns the first of the names in warpseq's dialect. It is the option's name in
    /// OptionValues.
    constexpr std::string_view key() const { return warpseq.names.substr(0, warpseq.names.find(',')); }
};

}  // namespace warpseq
