// One option, described once: its type, its limits, and its name and help in each dialect. A table of
// rows is all that parsers, helps, completions and settings of a command need to know.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace warpseq {

enum class OptionType : std::uint8_t {
    kFlag,   // no value
    kText,   // any text
    kTexts,  // the same, each time it is given
    kFile,   // a file; kFileIn and kFileOut where a dialect tells them apart
    kFileIn,
    kFileOut,
    kInteger,   // a whole number of 32 bits
    kInteger8,  // of 64 bits
    kReal,
    kBoolean,  // a truth value as a word
};

/// The numbers that an option takes.
struct OptionRange {
    std::string_view text = "";  // as helps and messages show it; empty: any number
    double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
    bool without_least = false, without_most = false;

    constexpr bool has(double value) const {  // false for NaN
        return (without_least ? value > least : value >= least) && (without_most ? value < most : value <= most);
    }
};

/// An option as warpseq's own programs have it; option_set.h parses it.
struct WarpseqName {
    std::string_view names = "";     // "x,long,other_long", without dashes; empty: not in this dialect
    std::string_view argument = "";  // the help's name of the value
    std::string_view help = "";
    /// Where it stands among the options of its group in the help; options of equal places stand in
    /// the order of rows.
    int place = 0;
    std::string_view group = "";     // of the help; the caller may give one for all rows instead
    const char* standard = nullptr;  // where it is not OptionRow::standard; "": none, or the help says it in words
};

/// An option as HMMER's programs have it; easel_options.h parses it.
struct EaselName {
    std::string_view name = "";  // with its dashes; empty: not in this dialect
    std::string_view help = "";
    const char* environment_name = nullptr;  // variable that gives the value where the command line does not
    bool is_hidden = false;                  // the help does not show it
};

/// An option as BLAST+'s programs have it; blast_options.h parses it.
struct BlastName {
    const char* name = nullptr;      // without its dash; nullptr: not in this dialect
    const char* group = "";          // of -help
    const char* argument = nullptr;  // USAGE's name of the value; nullptr: a flag
    const char* help = "";           // lines; each is set apart by a line end
    bool is_mandatory = false;
};

/// How a value is written in the line about its option at the top of HMMER's reports.
enum class ReportedNumber : std::uint8_t { kText, kGeneral, kFixed, kThreeDigits, kWhole };

/// The line about an option at the top of HMMER's reports.
struct ReportLine {
    std::string_view label = "";   // empty: there is none
    std::string_view before = "";  // of a value; of a flag all there is
    ReportedNumber number = ReportedNumber::kText;
    std::string_view behind = "";  // of a value
};

struct OptionRow {
    OptionType type = OptionType::kFlag;
    const char* standard = nullptr;  // the value where none is given
    OptionRange range = {};
    const char* choices = nullptr;  // BLAST+'s list of the only values: "'a' 'b'" or "`a', `b'"
    /// Lists of other options by their names in the dialect of the originals, set apart by blanks
    /// (BLAST+) or commas (HMMER).
    std::string_view excludes = "";  // they cannot be given with it
    std::string_view needs = "";     // BLAST+: they must be given with it; HMMER: it has no effect without one of them
    std::string_view toggles = "";   // one of them is on at a time
    bool is_on = false;              // of options that toggle each other: on by itself
    bool is_supported = true;        // giving one that is not is an error
    WarpseqName warpseq = {};
    EaselName easel = {};
    BlastName blast = {};
    ReportLine report = {};

    /// The first of the names in warpseq's dialect, which names the option in OptionValues.
    constexpr std::string_view key() const { return warpseq.names.substr(0, warpseq.names.find(',')); }
};

}  // namespace warpseq
