#include "apps/dropin/hmmer_search.h"

#include <algorithm>
#include <utility>

#include "apps/dropin/hmmer_program.h"
#include "libcore/scoring/profile_matrices.h"
#include "options/hmm/hmm_rows.h"

namespace warpseq {
namespace {

/// Returns the line about an option that `search` does not have, or nothing if it is not given.
std::optional<HmmRun::Given> line_about(const EaselArguments& arguments, std::string_view option,
                                        std::string_view label) {
    const EaselArguments::Given* const given = arguments.find(option);
    if (given == nullptr) return std::nullopt;
    return HmmRun::Given{.name = std::string(option),
                         .value = given->value,
                         .label = std::string(label),
                         .shown = given->value,
                         .is_default = given->is_standard()};
}

/// Returns the format that `option` gives. `what` is the kind of file in the message for an unknown
/// name.
Result<SequenceFileFormat> format_of(const EaselArguments& arguments, const char* option, std::string_view what) {
    const auto given = arguments.value(option);
    if (!given) return SequenceFileFormat{.dialect = FastaDialect::kHmmer};
    if (const auto format = sequence_format_named(*given)) return *format;
    return Status::invalid_input(*given + " is not a recognized " + std::string(what) + " file format");
}

}  // namespace

Result<SequenceFileFormats> sequence_formats_of(const EaselArguments& arguments) {
    const auto queries = format_of(arguments, "--qformat", "input sequence");
    if (!queries.ok()) return queries.status();
    const auto targets = format_of(arguments, "--tformat", "sequence database");
    if (!targets.ok()) return targets.status();
    return SequenceFileFormats{*queries, *targets};
}

Status check_matrix(const EaselArguments& arguments) {
    constexpr std::string_view kFailed = "Failed to set single query seq score system:\n";
    if (const auto file = arguments.value("--mxfile"); file && !can_be_read(*file))
        return Status::io(std::string(kFailed) + "Failed to find or open matrix file " + *file);
    const std::optional<std::string> name = arguments.value("--mx");
    if (!name || is_hmmer_matrix(*name)) return {};
    return Status::invalid_input(std::string(kFailed) + "no matrix named " + *name + " is available as a built-in");
}

void read_targets_as_hmmer(const SequenceFileFormat& format, CommonOptions& options) {
    options.target_format = format;
    options.targets_may_be_empty = true;
}

Status name_targets(const Status& status, const std::string& targets) {
    const std::string& message = status.message();
    const std::string misformatted = targets + " is empty or misformatted";
    if (message == "Sequence file " + misformatted)
        return Status::invalid_input("Target sequence database file " + misformatted);
    const std::string opening = " opening sequence file " + targets;
    if (!message.starts_with("Unexpected error ") || !message.ends_with(opening)) return status;
    return Status::invalid_input(message.substr(0, message.size() - opening.size()) +
                                 " opening target sequence database file " + targets);
}

Result<std::optional<TargetRecords>> target_records_of(const EaselArguments& arguments) {
    TargetRecords records;
    const auto most = arguments.value("--restrictdb_n"), first = arguments.value("--restrictdb_stkey");
    const bool has_most = most && *most != "-1", has_first = first && *first != "0";  // other than the defaults
    if (has_most) {
        if (std::stoi(*most) < 1) return Status::invalid_input("--restrictdb_n must be >= 1");
        records.most = static_cast<std::uint64_t>(std::stoi(*most));
    }
    if (has_first) records.first = *first;
    return has_most || has_first ? std::optional(records) : std::nullopt;
}

Result<OptionValues> search_values(const OptionSet& options, const EaselArguments& arguments,
                                   const std::string& queries, const std::string& database) {
    OptionValues values = options.values();
    WARPSEQ_TRY(values.set("quiet"));
    WARPSEQ_TRY(values.set("query", queries));
    WARPSEQ_TRY(values.set("db", database));
    WARPSEQ_TRY(values.set("threads", std::to_string(hmmer_threads(arguments))));
    if (const auto report = arguments.value("-o")) WARPSEQ_TRY(values.set("out", *report));
    WARPSEQ_TRY(add_easel_values(
        arguments, {"-o", "--cpu", "--qformat", "--tformat", "--restrictdb_stkey", "--restrictdb_n", "--ssifile"},
        values));
    return values;
}

void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run) {
    using Given = HmmRun::Given;
    for (Given& each : run.given)
        if (const EaselArguments::Given* const given = arguments.find(each.name))
            each.is_default = given->is_standard();
    const auto seed = std::ranges::find(run.given, "--seed", &Given::name);
    if (seed != run.given.end() && seed->value == "0")
        run.given.insert(seed + 1, Given{.name = "--seed", .label = "random number seed set to:", .shown = "0"});
    // The lines about restricted targets stand before those of --nonull2, of calibration and of the
    // options behind.
    auto place = std::ranges::find_if(run.given, [](const Given& given) {
        return given.name == "--nonull2" || given.name.starts_with("--E") || given.name == "-Z" ||
               given.name == "--domZ" || given.name == "--seed";
    });
    for (const OptionRow& row : hmm_rows::kRestriction)
        if (const auto given = line_about(arguments, row.easel.name, row.report.label))
            place = run.given.insert(place, *given) + 1;
    for (const auto& [option, label] : {std::pair("--qformat", labels.queries), std::pair("--tformat", labels.targets),
                                        std::pair("--cpu", std::string_view("number of worker threads:"))}) {
        if (const auto given = line_about(arguments, option, label)) run.given.push_back(*given);
    }
}

}  // namespace warpseq
