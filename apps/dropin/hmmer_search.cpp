#include "apps/dropin/hmmer_search.h"

#include <strings.h>

#include <algorithm>
#include <utility>

#include "apps/dropin/hmmer_program.h"
#include "formats/alignments/alignment_format.h"
#include "libcore/scoring/profile_matrices.h"

namespace warpseq {
namespace {

/// Checks the format that `option` gives for a file. Of the formats that Easel knows, warpseq reads
/// sequences from FASTA, aligned or not. With `alignments` it also reads alignments, for queries.
Status check_format(const EaselArguments& arguments, const char* option, std::string_view what, bool alignments) {
    const auto given = arguments.value(option);
    if (!given) return {};
    const auto is = [&](const char* name) { return strcasecmp(given->c_str(), name) == 0; };
    for (const char* name : {"fasta", "afa"})
        if (is(name)) return {};
    for (const char* name : {"embl", "genbank", "ddbj", "uniprot", "ncbi", "daemon", "hmmpgmd", "fmindex", "stockholm",
                             "pfam", "a2m", "psiblast", "selex", "clustal", "clustallike", "phylip", "phylips"}) {
        if (!is(name)) continue;
        if (alignments && alignment_format_named(name)) return {};
        return Status::invalid_input(std::string(option) + " " + *given +
                                     ": this format is not read by warpseq; make FASTA of it");
    }
    return Status::invalid_input(*given + " is not a recognized " + std::string(what) + " file format");
}

}  // namespace

Status check_sequence_formats(const EaselArguments& arguments) {
    WARPSEQ_TRY(check_format(arguments, "--qformat", "input sequence", true));
    return check_format(arguments, "--tformat", "sequence database", false);
}

Status check_matrix(const EaselArguments& arguments) {
    const std::optional<std::string> name = arguments.value("--mx");
    if (!name || is_hmmer_matrix(*name)) return {};
    return Status::invalid_input("Failed to set single query seq score system:\nno matrix named " + *name +
                                 " is available as a built-in");
}

QuerySequenceFormat query_format_of(const EaselArguments& arguments) {
    const auto given = arguments.value("--qformat");
    QuerySequenceFormat chosen{.dialect = FastaDialect::kHmmer};
    if (!given) return chosen;
    chosen.alignments = alignment_format_named(*given);
    chosen.kind = chosen.alignments ? SequenceFileKind::kAlignments : SequenceFileKind::kFasta;
    return chosen;
}

Status name_targets(const Status& status, const std::string& targets) {
    const std::string what = targets + " is empty or misformatted";
    if (status.ok() || status.message() != "Sequence file " + what) return status;
    return Status::invalid_input("Target sequence database file " + what);
}

Result<OptionValues> search_values(const OptionSet& options, const EaselArguments& arguments,
                                   const std::string& queries, const std::string& database) {
    OptionValues values = options.values();
    WARPSEQ_TRY(values.set("quiet"));
    WARPSEQ_TRY(values.set("query", queries));
    WARPSEQ_TRY(values.set("db", database));
    WARPSEQ_TRY(values.set("threads", std::to_string(hmmer_threads(arguments))));
    if (const auto report = arguments.value("-o")) WARPSEQ_TRY(values.set("out", *report));
    WARPSEQ_TRY(add_easel_values(arguments, {"-o", "--cpu", "--qformat", "--tformat"}, values));
    return values;
}

void describe_other_options(const EaselArguments& arguments, const SequenceFormatLabels& labels, HmmRun& run) {
    using Given = HmmRun::Given;
    const auto seed = std::ranges::find(run.given, "--seed", &Given::name);
    if (seed != run.given.end() && seed->value == "0")
        run.given.insert(seed + 1, Given{.name = "--seed", .label = "random number seed set to:", .shown = "0"});
    for (const auto& [option, label] : {std::pair("--qformat", labels.queries), std::pair("--tformat", labels.targets),
                                        std::pair("--cpu", std::string_view("number of worker threads:"))}) {
        const auto given =
            std::ranges::find(arguments.given(), option, [](const auto& each) { return each.option->easel.name; });
        if (given == arguments.given().end()) continue;
        run.given.push_back(
            {.name = option,
             .value = given->value,
             .label = std::string(label),
             .shown = given->value,
             .is_default = given->option->standard != nullptr && given->value == given->option->standard});
    }
}

}  // namespace warpseq
