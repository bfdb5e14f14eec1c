#include "options/hmm/hmm_option_table.h"

#include "libcore/base/append_printf.h"

namespace warpseq {
namespace {

using Option = HmmOption;
using Shown = HmmShown;

constexpr Option kSequenceOptions[] = {
    {"popen", "P", "0.02", "probability of opening a gap, below 0.5", "gap open probability:", "", Shown::kFixed},
    {"pextend", "P", "0.4", "probability of extending a gap, below 1", "gap extend probability:", "", Shown::kFixed},
    {"mx", "NAME", "BLOSUM62", "substitution matrix: BLOSUM45, 50, 62, 80, 90, PAM30, 70, 120, 240, 250, IDENTITY",
     "subst score matrix (built-in):", ""},
    {"mxfile", "FILE", nullptr, "substitution matrix in NCBI's format", "subst score matrix (file):", ""},
};

constexpr Option kCalibrationOptions[] = {
    {"EmL", "N", "200", "length of random sequences that mu of MSV scores is fitted to",
     "seq length, MSV Gumbel mu fit:", "", Shown::kWhole},
    {"EmN", "N", "200", "number of them", "seq number, MSV Gumbel mu fit:", "", Shown::kWhole},
    {"EvL", "N", "200", "length of random sequences that mu of Viterbi scores is fitted to",
     "seq length, Vit Gumbel mu fit:", "", Shown::kWhole},
    {"EvN", "N", "200", "number of them", "seq number, Vit Gumbel mu fit:", "", Shown::kWhole},
    {"EfL", "N", "100", "length of random sequences that tau of Forward scores is fitted to",
     "seq length, Fwd exp tau fit:", "", Shown::kWhole},
    {"EfN", "N", "200", "number of them", "seq number, Fwd exp tau fit:", "", Shown::kWhole},
    {"Eft", "P", "0.04", "probability of the tail of Forward scores that tau is fitted to",
     "tail mass for Fwd exp tau fit:", "", Shown::kFixed},
};

constexpr Option kFilterOptions[] = {
    {"max", nullptr, nullptr, "no filters: slower, and a few more weak hits",
     "Max sensitivity mode:", "on [all heuristic filters off]"},
    {"F1", "P", "0.02", "P-value up to which a target passes the MSV filter", "MSV filter P threshold:       <=", "",
     Shown::kGeneral},
    {"F2", "P", "1e-3", "the same for the Viterbi filter", "Vit filter P threshold:       <=", "", Shown::kGeneral},
    {"F3", "P", "1e-5", "the same for the Forward score", "Fwd filter P threshold:       <=", "", Shown::kGeneral},
    {"nobias", nullptr, nullptr, "no filter of targets of biased composition", "biased composition HMM filter:", "off"},
};

constexpr Option kNull2Options[] = {
    {"nonull2", nullptr, nullptr, "no correction of scores for biased composition", "null2 bias corrections:", "off"}};

constexpr Option kStatisticsOptions[] = {
    {"Z", "X", nullptr, "number of targets that E-values are computed for; default: as many as there are",
     "sequence search space set to:", "", Shown::kWhole},
    {"domZ", "X", nullptr, "the same for conditional E-values of domains; default: targets reported",
     "domain search space set to:", "", Shown::kWhole},
    {"seed", "N", "42", "seed of random numbers: sampling of domains, calibration; 0: another one in each run",
     "random number seed set to:", "", Shown::kWhole},
};

constexpr Option kReportFile = {"out", "FILE", nullptr, "", "output directed to file:", ""};

std::string shown_value(const Option& option, const std::string& text) {
    std::string shown = option.shown_before;
    const double value = number_of(text).value_or(0);  // texts are checked later
    switch (option.shown) {
        case Shown::kText: shown += text; break;
        case Shown::kGeneral: append_printf(shown, "%g", value); break;
        case Shown::kFixed: append_printf(shown, "%f", value); break;
        case Shown::kThreeDigits: append_printf(shown, "%.3f", value); break;
        case Shown::kWhole: append_printf(shown, "%.0f", value); break;
    }
    return shown + option.shown_behind;
}

}  // namespace

std::span<const HmmOption> hmm_sequence_options() { return kSequenceOptions; }
std::span<const HmmOption> hmm_calibration_options() { return kCalibrationOptions; }
std::span<const HmmOption> hmm_filter_options() { return kFilterOptions; }
std::span<const HmmOption> hmm_null2_options() { return kNull2Options; }
std::span<const HmmOption> hmm_statistics_options() { return kStatisticsOptions; }

bool HmmCommandTable::defines(std::string_view option) const {
    return std::ranges::any_of(groups, [&](const HmmOptionGroup& group) {
        return std::ranges::any_of(group.options, [&](const HmmOption& each) { return each.name == option; });
    });
}

std::string with_dashes(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

void add_hmm_options(OptionSet& options, std::span<const HmmOptionGroup> groups) {
    for (const HmmOptionGroup& group : groups) {
        for (const HmmOption& option : group.options) {
            const OptionValue value = option.argument == nullptr ? flag_value() : text_value(option.standard);
            const std::string names =
                option.name + (option.other_name == nullptr ? "" : "," + std::string(option.other_name));
            options.add_options(group.title)(names, option.help, value,
                                             option.argument == nullptr ? "" : option.argument);
        }
    }
}

std::vector<HmmRun::Given> given_hmm_options(const OptionValues& parsed, std::span<const HmmOptionGroup> groups) {
    std::vector<HmmRun::Given> all;
    const auto add = [&](const Option& option, bool is_layout = false) {
        if (parsed.count(option.name) == 0) return;
        HmmRun::Given given;
        given.name = option.name == kReportFile.name ? "-o" : with_dashes(option.name);
        if (option.argument != nullptr) given.value = parsed.text(option.name);
        given.label = option.label;
        given.shown = shown_value(option, given.value);
        given.is_layout = is_layout;
        given.is_default = option.standard != nullptr && given.value == option.standard;
        if (given.name == "--seed" && given.shown == "0") {
            given.label = "random number seed:";
            given.shown = "one-time arbitrary";
        }
        all.push_back(std::move(given));
    };
    const auto layout = std::ranges::find(groups, true, &HmmOptionGroup::is_layout);
    for (auto group = groups.begin(); group != groups.end(); ++group) {
        if (group == layout) add(kReportFile, true);
        for (const HmmOption& option : group->options) add(option, group->is_layout);
    }
    return all;
}

Status check_hmm_conflicts(const OptionValues& parsed, std::span<const HmmExclusiveOptions> exclusive) {
    for (const std::string& name : parsed.names_given()) {
        if (name != "db" && parsed.count(name) > 1)
            return Status::usage(with_dashes(name == kEvalueOption ? "E" : name) + " is given more than once");
    }
    for (const HmmExclusiveOptions& set : exclusive) {
        std::string_view first;
        for (const std::string_view name : set) {
            if (parsed.count(std::string(name)) == 0) continue;
            if (!first.empty())
                return Status::usage(with_dashes(first) + " and " + with_dashes(name) + " exclude each other");
            first = name;
        }
    }
    return {};
}

}  // namespace warpseq
