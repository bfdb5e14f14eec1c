#include "options/hmmemit/hmmemit_options.h"

#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include "options/hmm/hmm_option_table.h"

namespace warpseq {
namespace {

using Output = HmmemitOptions::Output;

/// The options that say what is emitted, in both dialects.
struct OutputName {
    Output output;
    std::string_view warpseq, easel;
};
constexpr OutputName kOutputNames[] = {{Output::kAlignment, "alignment", "-a"},
                                       {Output::kConsensus, "consensus", "-c"},
                                       {Output::kGradedConsensus, "graded", "-C"},
                                       {Output::kSearchSamples, "search-model", "-p"}};

/// Sets the output and the mode of the search model. `has` says whether an option is given. Its
/// arguments are the option's names in both dialects.
template <typename Has>
void read_choices(const Has& has, HmmemitOptions& options) {
    for (const OutputName& name : kOutputNames)
        if (has(name.warpseq, name.easel)) options.output = name.output;
    options.model.is_local = !has("glocal", "--glocal") && !has("uniglocal", "--uniglocal");
    options.model.is_multihit = !has("unilocal", "--unilocal") && !has("uniglocal", "--uniglocal");
}

/// Returns an error if an option is given that has no effect on the chosen output.
Status check_effect(const OptionValues& values, Output output) {
    const auto given_in_vain = [&](std::string_view name, bool has_effect, const char* needed) -> Status {
        if (has_effect || values.count(name) == 0) return {};
        return Status::usage(with_dashes(name) + " has no effect " + needed);
    };
    for (const char* name : {"length", "local", "unilocal", "glocal", "uniglocal"})
        WARPSEQ_TRY(given_in_vain(name, output == Output::kSearchSamples, "without --search-model"));
    for (const char* name : {"minl", "minu"})
        WARPSEQ_TRY(given_in_vain(name, output == Output::kGradedConsensus, "without --graded"));
    const bool is_sampled = output != Output::kConsensus && output != Output::kGradedConsensus;
    return given_in_vain("samples", is_sampled, "on a consensus");
}

}  // namespace

OptionSet make_hmmemit_options() {
    OptionSet options("search hmmemit",
                      "Emits sequences from each profile of a file: samples, an alignment of samples, or the\n"
                      "consensus. With the same seed they are those of HMMER's hmmemit.\n");
    options.custom_help("-d PROFILES.hmm [options]");
    options.help_groups({"Input and output", "Emitted sequences", "Search model", "Graded consensus", "Other"});
    options.add_rows(hmmemit_rows::kCommon, "Input and output");
    options.add_rows(hmmemit_rows::kWhat, "Emitted sequences");
    options.add_rows(hmmemit_rows::kOther, "Emitted sequences");
    options.add_rows(hmmemit_rows::kProfile, "Search model");
    options.add_rows(hmmemit_rows::kConsensus, "Graded consensus");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

Result<HmmemitOptions> read_hmmemit_options(const OptionValues& values) {
    if (values.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    const std::vector<HmmExclusiveOptions> exclusive = {{"alignment", "consensus", "graded", "search-model"},
                                                        {"local", "unilocal", "glocal", "uniglocal"}};
    WARPSEQ_TRY(check_hmm_conflicts(values, exclusive));
    HmmemitOptions options;
    options.profile_file = values.text("db");
    read_choices([&](std::string_view name, std::string_view) { return values.count(name) != 0; }, options);
    WARPSEQ_TRY(check_effect(values, options.output));
    HmmOptionReader reader(values);
    options.output_file = reader.output("out");
    const auto whole = [&](const char* name, const char* expected, std::int64_t least) {
        constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
        return reader.number<std::int64_t>(name, expected,
                                           [least](std::int64_t n) { return n >= least && n <= kMost; });
    };
    const auto fraction = [&](const char* name) {
        return static_cast<float>(
            reader.number<double>(name, "a number from 0 to 1", [](double x) { return x >= 0 && x <= 1; }));
    };
    options.samples = whole("samples", "a whole number from 1 to 2147483647", 1);
    options.model.expected_residues = whole("length", "a whole number from 0 to 2147483647", 0);
    options.seed = static_cast<std::uint32_t>(whole("seed", "a whole number from 0 to 2147483647", 0));
    options.least_shown = fraction("minl");
    options.least_upper = fraction("minu");
    if (!reader.status().ok()) return reader.status();
    return options;
}

HmmemitOptions read_hmmemit_options(const EaselArguments& arguments) {
    HmmemitOptions options;
    options.profile_file = arguments.positional().front();
    if (const auto file = arguments.value("-o")) options.output_file = *file;
    read_choices([&](std::string_view, std::string_view name) { return arguments.has(name); }, options);
    const auto whole = [&](std::string_view name, auto& value) {
        if (const auto text = arguments.value(name))
            value = static_cast<std::remove_reference_t<decltype(value)>>(std::strtoll(text->c_str(), nullptr, 10));
    };
    const auto fraction = [&](std::string_view name, float& value) {
        if (const auto text = arguments.value(name)) value = static_cast<float>(std::strtod(text->c_str(), nullptr));
    };
    whole("-N", options.samples);
    whole("-L", options.model.expected_residues);
    whole("--seed", options.seed);
    fraction("--minl", options.least_shown);
    fraction("--minu", options.least_upper);
    return options;
}

}  // namespace warpseq
