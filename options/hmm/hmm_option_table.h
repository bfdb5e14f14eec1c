// The options of profile searches as tables. A table holds the help of each option and the line
// about it at the top of a report. Several commands share them, such as `search hmm` and `search
// jackhmmer`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines/hmm/calibration.h"
#include "libcore/base/status.h"
#include "options/arguments.h"
#include "options/option_row.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_run.h"

namespace warpseq {

/// A group of options that stand together in the help. The options of a layout group say where
/// outputs go and how they look, and do not affect the hits.
struct HmmOptionGroup {
    const char* title;
    std::span<const OptionRow> options;
    bool is_layout = false;
};

/// The long name of -E in all engines.
inline constexpr const char* kEvalueOption = "evalue";

/// Adds the options of all groups to `options`.
void add_hmm_options(OptionSet& options, std::span<const HmmOptionGroup> groups);

/// Returns the options that were given, in the order of the groups. -o is in no group. Its place is
/// before the options of the first layout group.
std::vector<HmmRun::Given> given_hmm_options(const OptionValues& parsed, std::span<const HmmOptionGroup> groups);

/// Returns a name with its dashes.
std::string with_dashes(std::string_view name);

/// A set of options that exclude each other.
using HmmExclusiveOptions = std::vector<std::string_view>;

/// The options of a command.
struct HmmCommandTable {
    std::string name;                    // the word after "search"
    std::vector<HmmOptionGroup> groups;  // in the order of the lines at the top of a report
    std::vector<HmmExclusiveOptions> exclusive;

    /// Whether a group has an option with this key (OptionRow::key()).
    bool defines(std::string_view option) const;
};

/// Returns a usage error if an option other than -d was given twice, or if two options of a set in
/// `exclusive` were given.
Status check_hmm_conflicts(const OptionValues& parsed, std::span<const HmmExclusiveOptions> exclusive);

/// A reader of options by name. Its functions return a default value on an error. It remembers the
/// first error, which status() returns.
class HmmOptionReader {
   public:
    explicit HmmOptionReader(const OptionValues& parsed) : parsed_(parsed) {}

    bool has(std::string_view name) const { return parsed_.count(std::string(name)) != 0; }
    std::string text(std::string_view name) const { return parsed_.text(std::string(name)); }

    /// Returns the file that an option names, or nothing if it was not given.
    std::optional<std::filesystem::path> file(std::string_view name) const {
        if (!has(name)) return std::nullopt;
        return std::filesystem::path(text(name));
    }
    /// Does the same for an output file (output_path()).
    std::optional<std::filesystem::path> output(std::string_view name) const {
        if (!has(name)) return std::nullopt;
        return output_path(text(name));
    }

    /// Returns the option's number if `fits` accepts it. Otherwise remembers a usage error and
    /// returns 0. `expected` describes the numbers that fit.
    template <typename Number, typename Fits>
    Number number(std::string_view name, const char* expected, Fits fits) {
        const std::string given = text(name);
        const auto value = [&] {
            if constexpr (std::is_floating_point_v<Number>) {
                return number_of(given);
            } else {
                return whole_number_of(given);
            }
        }();
        if (value && fits(*value)) return static_cast<Number>(*value);
        fail(Status::usage(with_dashes(name) + " " + given + ": expected " + expected));
        return Number{};
    }

    /// Returns the E-value that was given, or the default.
    double evalue(std::string_view name) {
        return number<double>(name, "an E-value above 0", [](double value) { return value > 0; });
    }
    double bits(std::string_view name) {
        return number<double>(name, "a score in bits", [](double) { return true; });
    }
    /// Returns the P-value, or 1 if it is above 1.
    double pvalue(std::string_view name) {
        const double value = number<double>(name, "a P-value", [](double) { return true; });
        return std::min(1.0, value);
    }
    /// Returns the size of a search space, or nothing if the option was not given.
    std::optional<double> space(std::string_view name) {
        if (!has(name)) return std::nullopt;
        return number<double>(name, "a number above 0", [](double value) { return value > 0; });
    }

    void fail(Status status) {
        if (status_.ok()) status_ = std::move(status);
    }
    const Status& status() const { return status_; }

   private:
    const OptionValues& parsed_;
    Status status_;
};

/// Returns the settings of calibration: the lengths and numbers of its random sequences, and the
/// tail that is fitted. The seed and with_hardly_any_information keep their defaults.
CalibrationSettings read_calibration(HmmOptionReader& reader);

}  // namespace warpseq
