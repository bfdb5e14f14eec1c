#include "options/hmm/hmm_options.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "formats/alignments/alignment_format.h"
#include "formats/profiles/matrix_file.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/scoring/profile_matrices.h"
#include "options/arguments.h"
#include "options/hmm/hmm_option_table.h"
#include "options/hmm/hmm_rows.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_report_format.h"

namespace warpseq {

namespace {

/// The row about the alignment, with hmmsearch's help; phmmer's help words it otherwise.
constexpr auto kAlignment = hmm_rows::alignment_rows("save multiple alignment of all hits to file <f>");

const HmmCommandTable& search_hmm() {
    static const HmmCommandTable kTable = {
        .name = "hmm",
        .groups = {{"Input and output", hmm_rows::kFormat, true},
                   {"Input and output", kAlignment, true},
                   {"Input and output", hmm_rows::kAlignmentFormat, true},
                   {"Input and output", hmm_rows::kOutput, true},
                   {"Sequence query", hmm_rows::kSequence},
                   {"Reporting", hmm_rows::kReporting},
                   {"Inclusion", hmm_rows::kInclusion},
                   {"Cutoff", hmm_rows::kCutoff},
                   {"Filter", hmm_rows::kFilter},
                   {"Statistics", hmm_rows::kNull2},
                   {"Sequence query", hmm_rows::kCalibration},
                   {"Statistics", hmm_rows::kStatistics}},
        .exclusive = hmm_exclusive_options(),
    };
    return kTable;
}

HmmThresholds read_thresholds(HmmOptionReader& reader) {
    HmmThresholds limits;
    const auto pair = [&](const char* evalue_name, const char* bits_name, double& evalue, double& bits,
                          bool& by_evalue) {
        evalue = reader.evalue(evalue_name);
        by_evalue = !reader.has(bits_name);
        if (!by_evalue) bits = reader.bits(bits_name);
    };
    pair("E", "T", limits.evalue, limits.bits, limits.by_evalue);
    pair("domE", "domT", limits.domain_evalue, limits.domain_bits, limits.domain_by_evalue);
    pair("incE", "incT", limits.include_evalue, limits.include_bits, limits.include_by_evalue);
    pair("incdomE", "incdomT", limits.include_domain_evalue, limits.include_domain_bits,
         limits.include_domain_by_evalue);
    return limits;
}

void read_alignment_format(HmmOptionReader& reader, HmmOptions& options) {
    if (!reader.has("aformat")) return;
    const std::string name = reader.text("aformat");
    if (const auto format = alignment_format_named(name))
        options.run.alignment_format = *format;
    else
        reader.fail(Status::usage("--aformat " + name + ": expected " +
                                  std::string(hmm_rows::kAlignmentFormat[0].warpseq.help)));
    if (!options.files.alignment)
        reader.fail(Status::usage("--aformat " + name + " is the format of the alignment of -A; add -A FILE"));
}

void read_filters(HmmOptionReader& reader, HmmOptions& options) {
    options.msv_pvalue = reader.pvalue("F1");
    options.viterbi_pvalue = reader.pvalue("F2");
    options.forward_pvalue = reader.pvalue("F3");
    options.bias_filter = !reader.has("nobias");
    options.max_sensitivity = reader.has("max");
    if (options.max_sensitivity) {
        options.msv_pvalue = options.viterbi_pvalue = options.forward_pvalue = 1;
        options.bias_filter = false;
    }
}

void read_matrix(HmmOptionReader& reader, HmmOptions& options) {
    if (options.matrix_file) {
        auto matrix = read_matrix_file(*options.matrix_file);
        if (matrix.ok()) {
            options.matrix = *std::move(matrix);
        } else {
            reader.fail(matrix.status());
        }
        return;
    }
    const std::string name = reader.text("mx");
    if (auto matrix = profile_matrix(name)) {
        options.matrix = *std::move(matrix);
        return;
    }
    std::string known;
    for (const std::string_view each : profile_matrix_names()) known += (known.empty() ? "" : ", ") + std::string(each);
    reader.fail(Status::usage("--mx " + name + ": expected one of " + known + "; --mxfile reads a file"));
}

/// Sets what outputs say about the run, once the options are read.
void describe(const HmmCommandTable& table, HmmOptions& options) {
    HmmRun& run = options.run;
    run.query_file = options.common.query_file.string();
    run.msv_pvalue = options.msv_pvalue;
    run.viterbi_pvalue = options.viterbi_pvalue;
    run.forward_pvalue = options.forward_pvalue;
    run.command_line = "search " + table.name;
    run.outputs_at = run.command_line.size();
    const auto layout = std::ranges::find(table.groups, true, &HmmOptionGroup::is_layout);
    const auto precedes_outputs = [&](const HmmRun::Given& given) {
        return std::any_of(table.groups.begin(), layout, [&](const HmmOptionGroup& group) {
            return std::ranges::any_of(group.options,
                                       [&](const OptionRow& row) { return with_dashes(row.key()) == given.name; });
        });
    };
    for (const HmmRun::Given& each : run.given) {
        run.command_line += " " + each.name + (each.value.empty() ? "" : " " + each.value);
        if (precedes_outputs(each)) run.outputs_at = run.command_line.size();
    }
    run.command_line += " -q " + run.query_file;
    for (const std::filesystem::path& file : options.common.database_files) {
        run.command_line += " -d " + file.string();
        run.database_names += (run.database_names.empty() ? "" : "; ") + file.string();
    }
}

}  // namespace

std::vector<HmmExclusiveOptions> hmm_exclusive_options() {
    return {{"E", "T", "cut_ga", "cut_nc", "cut_tc"},
            {"domE", "domT", "cut_ga", "cut_nc", "cut_tc"},
            {"incE", "incT", "cut_ga", "cut_nc", "cut_tc"},
            {"incdomE", "incdomT", "cut_ga", "cut_nc", "cut_tc"},
            {"textw", "notextw"},
            {"max", "F1"},
            {"max", "F2"},
            {"max", "F3"},
            {"max", "nobias"},
            {"mx", "mxfile"}};
}

RunFiles run_files_of(const HmmOptions& options) {
    RunFiles files = files_of(options.common);
    const CommonOptions& common = options.common;
    for (const std::filesystem::path& file : files_beside_profiles(common.query_file))
        files.add_input(common.query_option, file);
    for (const std::filesystem::path& database : common.database_files) {
        for (const std::filesystem::path& file : files_beside_profiles(database))
            files.add_input(common.database_option, file);
    }
    if (options.matrix_file) files.add_input("--mxfile", *options.matrix_file);
    for (const auto& [option, file] :
         {std::pair("-A", &options.files.alignment), std::pair("--tblout", &options.files.targets),
          std::pair("--domtblout", &options.files.domains), std::pair("--pfamtblout", &options.files.pfam)}) {
        if (*file) files.add_output(option, **file);
    }
    // Several outputs may go to one stream: hmmsearch --tblout /dev/stdout | ... sends the report
    // there, too.
    files.let_outputs_share_streams();
    return files;
}

OptionSet make_hmm_options() {
    OptionSet options("search hmm",
                      "Profile HMMs, or sequences as profiles, against every sequence: HMMER 3's\n"
                      "hmmsearch and phmmer, with their options and their output.\n");
    options.custom_help("-q QUERY.hmm|QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    options.help_groups({"Input and output", "Reporting", "Inclusion", "Cutoff", "Filter", "Statistics",
                         "Sequence query", "Targets", "Machine", "Other"});
    add_input_options(
        options,
        "profiles in HMMER3 format, or sequences: FASTA, EMBL, UniProt, GenBank or rows of alignments; plain, gzip "
        "or zstd; - is standard input");
    add_hmm_options(options, search_hmm().groups);
    add_target_options(options);
    add_machine_options(options);
    add_chunk_options(options);
    return options;
}

Result<HmmOptions> read_hmm_options(const OptionValues& parsed, std::string_view query_option,
                                    std::string_view database_option, ExistingFile existing) {
    return read_hmm_options(search_hmm(), parsed, query_option, database_option, existing);
}

Result<HmmOptions> read_hmm_options(const HmmCommandTable& table, const OptionValues& parsed,
                                    std::string_view query_option, std::string_view database_option,
                                    ExistingFile existing) {
    auto common = read_common_options(table.name, parsed);
    if (!common.ok()) return common.status();
    WARPSEQ_TRY(check_hmm_conflicts(parsed, table.exclusive));

    HmmOptions options;
    options.common = *std::move(common);
    options.common.query_option = query_option;
    options.common.database_option = database_option;
    options.common.existing = options.files.existing = existing;
    options.common.target_format.kind = SequenceFileKind::kAsHmmer;
    options.run.given = given_hmm_options(parsed, table.groups);
    HmmOptionReader reader(parsed);
    options.outfmt = parsed.text("outfmt");
    options.has_header = reader.has("header");
    if (auto format = make_hmm_report_format(options.outfmt, options.has_header); !format.ok())
        reader.fail(of_option("--outfmt", format.status()));
    options.files.alignment = reader.output("A");
    read_alignment_format(reader, options);
    options.files.targets = reader.output("tblout");
    options.files.domains = reader.output("domtblout");
    options.files.pfam = reader.output("pfamtblout");
    options.run.show_accessions = reader.has("acc");
    options.run.show_alignments = !reader.has("noali");
    options.run.text_width = reader.number<int>("textw", "a whole number from 120 to 2147483647", [](std::int64_t n) {
        return n >= 120 && n <= std::numeric_limits<int>::max();
    });
    if (reader.has("notextw")) options.run.text_width = 0;

    options.thresholds = read_thresholds(reader);
    using Cutoffs = HmmOptions::ProfileCutoffs;
    if (reader.has("cut_ga")) options.profile_cutoffs = Cutoffs::kGathering;
    if (reader.has("cut_nc")) options.profile_cutoffs = Cutoffs::kNoise;
    if (reader.has("cut_tc")) options.profile_cutoffs = Cutoffs::kTrusted;
    options.targets_z = reader.space("Z");
    options.domains_z = reader.space("domZ");
    read_filters(reader, options);
    options.null2 = !reader.has("nonull2");
    options.seed = reader.number<std::uint32_t>("seed", "a whole number from 0 to 4294967295", [](std::int64_t n) {
        return n >= 0 && n <= std::numeric_limits<std::uint32_t>::max();
    });
    if (table.defines("popen")) {
        options.gaps.open = reader.number<double>("popen", "a probability from 0 to below 0.5",
                                                  [](double p) { return p >= 0 && p < 0.5; });
        options.gaps.extend = reader.number<double>("pextend", "a probability from 0 to below 1",
                                                    [](double p) { return p >= 0 && p < 1; });
    }
    if (table.defines("EmL")) options.calibration = read_calibration(reader);
    options.matrix_file = reader.file("mxfile");
    if (options.matrix_file) options.common.decisive_files.push_back(*options.matrix_file);
    if (!reader.status().ok()) return reader.status();
    WARPSEQ_TRY(run_files_of(options).check());
    if (table.defines("mx")) read_matrix(reader, options);
    if (!reader.status().ok()) return reader.status();
    options.files.report = options.common.output_file;
    describe(table, options);
    return options;
}

Result<HmmThresholds> thresholds_for(const HmmOptions& options, const ProfileHmm& hmm) {
    using Cutoffs = HmmOptions::ProfileCutoffs;
    if (options.profile_cutoffs == Cutoffs::kNone) return options.thresholds;
    const auto& [cutoffs, name, option] =
        options.profile_cutoffs == Cutoffs::kGathering ? std::tuple(hmm.gathering, "GA", "--cut_ga")
        : options.profile_cutoffs == Cutoffs::kNoise   ? std::tuple(hmm.noise, "NC", "--cut_nc")
                                                       : std::tuple(hmm.trusted, "TC", "--cut_tc");
    if (!cutoffs && options.as_hmmer)
        return Status::invalid_input(std::string(name) + " bit thresholds unavailable on model " + hmm.name);
    if (!cutoffs) {
        const CommonOptions& common = options.common;
        const auto& file = options.run.scans_models ? common.database_files.front() : common.query_file;
        return Status::invalid_input(file.string() + ": profile " + hmm.name + " has no " + name + " cutoffs, which " +
                                     option + " asks for");
    }
    HmmThresholds limits;
    limits.by_evalue = limits.domain_by_evalue = limits.include_by_evalue = limits.include_domain_by_evalue = false;
    limits.bits = limits.include_bits = cutoffs->sequence_bits;
    limits.domain_bits = limits.include_domain_bits = cutoffs->domain_bits;
    return limits;
}

HmmSettings engine_settings_of(const HmmOptions& options) {
    HmmSettings settings;
    settings.pipeline.f1 = options.msv_pvalue;
    settings.pipeline.f2 = options.viterbi_pvalue;
    settings.pipeline.f3 = options.forward_pvalue;
    settings.pipeline.max = options.max_sensitivity;
    settings.pipeline.bias_filter = options.bias_filter;
    settings.pipeline.null2 = options.null2;
    settings.pipeline.seed = options.seed;
    settings.targets_z = options.targets_z;
    settings.domains_z = options.domains_z;
    settings.names_as_hmmer = options.as_hmmer;
    return settings;
}

HmmQuerySettings query_settings_of(const HmmOptions& options, const std::filesystem::path& file) {
    HmmQuerySettings settings{.file = file,
                              .takes_profiles = options.only_kind != HmmQueryKind::kSequence,
                              .backend = options.common.cpu_backend,
                              .calibration = options.calibration,
                              .matrix = options.matrix,
                              .gaps = options.gaps};
    settings.calibration.seed = options.seed;
    return settings;
}

}  // namespace warpseq
