#include "options/hmm/hmm_option_table.h"

#include <cstdint>
#include <limits>

#include "libcore/base/append_printf.h"

namespace warpseq {
namespace {

constexpr OptionRow kReportFile = {
    .type = OptionType::kFile, .warpseq = {"out", "FILE"}, .report = {"output directed to file:"}};

std::string shown_value(const ReportLine& line, const std::string& text) {
    std::string shown(line.before);
    const double value = number_of(text).value_or(0);  // the values are checked later
    switch (line.number) {
        case ReportedNumber::kText: shown += text; break;
        case ReportedNumber::kGeneral: append_printf(shown, "%g", value); break;
        case ReportedNumber::kFixed: append_printf(shown, "%f", value); break;
        case ReportedNumber::kThreeDigits: append_printf(shown, "%.3f", value); break;
        case ReportedNumber::kWhole: append_printf(shown, "%.0f", value); break;
    }
    return shown + std::string(line.behind);
}

}  // namespace

bool HmmCommandTable::defines(std::string_view option) const {
    return std::ranges::any_of(groups, [&](const HmmOptionGroup& group) {
        return std::ranges::any_of(group.options, [&](const OptionRow& each) { return each.key() == option; });
    });
}

std::string with_dashes(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

void add_hmm_options(OptionSet& options, std::span<const HmmOptionGroup> groups) {
    for (const HmmOptionGroup& group : groups) options.add_rows(group.options, group.title);
}

std::vector<HmmRun::Given> given_hmm_options(const OptionValues& parsed, std::span<const HmmOptionGroup> groups) {
    std::vector<HmmRun::Given> all;
    const auto add = [&](const OptionRow& option, bool is_layout = false) {
        const std::string_view key = option.key();
        if (key.empty() || parsed.count(key) == 0) return;
        HmmRun::Given given;
        given.name = &option == &kReportFile ? "-o" : with_dashes(key);
        if (option.type != OptionType::kFlag) given.value = parsed.text(key);
        given.label = option.report.label;
        given.shown = shown_value(option.report, given.value);
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
        for (const OptionRow& option : group->options) add(option, group->is_layout);
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

CalibrationSettings read_calibration(HmmOptionReader& reader) {
    CalibrationSettings settings;
    const auto count = [&](const char* name, std::uint32_t& value) {
        value = reader.number<std::uint32_t>(name, "a whole number from 1 to 2147483647", [](std::int64_t n) {
            return n >= 1 && n <= std::numeric_limits<std::int32_t>::max();
        });
    };
    count("EmL", settings.msv_residues);
    count("EmN", settings.msv_sequences);
    count("EvL", settings.viterbi_residues);
    count("EvN", settings.viterbi_sequences);
    count("EfL", settings.forward_residues);
    count("EfN", settings.forward_sequences);
    settings.forward_tail =
        reader.number<double>("Eft", "a probability above 0 and below 1", [](double p) { return p > 0 && p < 1; });
    return settings;
}

}  // namespace warpseq
