#include "apps/search/hmm/hmm_options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "formats/matrix_file.h"
#include "libcore/base/append_printf.h"
#include "libcore/scoring/profile_matrices.h"
#include "reports/hmmer/hmm_report_format.h"

namespace warpseq {

namespace {

constexpr const char* kEvalueOption = "evalue";

/// How a value is written in the line about its option at the top of a report.
enum class Shown { kText, kGeneral, kFixed, kWhole };

struct Option {
    const char* name;
    const char* argument;  // nullptr: a switch
    const char* standard;  // the default, or nullptr
    const char* help;
    const char* label;         // of its line at the top of a report
    const char* shown_before;  // of a value; of a switch all there is
    Shown shown = Shown::kText;
    const char* other_name = nullptr;  // what the option of that meaning is called in all engines
};

constexpr Option kOutputOptions[] = {
    {"outfmt", "FORMAT", "0",
     "0 HMMER's report, 6 a tab-separated row for each domain, 7 the same with comments, json; 6 and 7 take field "
     "names: \"6 std cevalue envstart envend\"",
     "", ""},
    {"A", "FILE", nullptr, "write an alignment of all included domains, in Stockholm format",
     "MSA of all hits saved to file:", ""},
    {"tblout", "FILE", nullptr, "write a table of targets", "per-seq hits tabular output:", ""},
    {"domtblout", "FILE", nullptr, "write a table of domains", "per-dom hits tabular output:", ""},
    {"pfamtblout", "FILE", nullptr, "write a table of targets and one of domains, as Pfam likes it",
     "pfam-style tabular hit output:", ""},
    {"acc", nullptr, nullptr, "show accessions of profiles instead of names where there are any",
     "prefer accessions over names:", "yes"},
    {"noali", nullptr, nullptr, "show no alignments", "show alignments in output:", "no"},
    {"notextw", nullptr, nullptr, "lines of any length", "max ASCII text line length:", "unlimited"},
    {"textw", "N", "120", "lines of at most N characters, at least 120", "max ASCII text line length:", "",
     Shown::kWhole},
};

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

constexpr Option kReportingOptions[] = {
    {"E", "X", "10.0", "report targets up to this E-value",
     "sequence reporting threshold:", "E-value <= ", Shown::kGeneral, kEvalueOption},
    {"T", "X", nullptr, "report targets from this score in bits on",
     "sequence reporting threshold:", "score >= ", Shown::kGeneral},
    {"domE", "X", "10.0", "report domains up to this conditional E-value",
     "domain reporting threshold:", "E-value <= ", Shown::kGeneral},
    {"domT", "X", nullptr, "report domains from this score in bits on",
     "domain reporting threshold:", "score >= ", Shown::kGeneral},
};

constexpr Option kInclusionOptions[] = {
    {"incE", "X", "0.01", "include targets up to this E-value",
     "sequence inclusion threshold:", "E-value <= ", Shown::kGeneral},
    {"incT", "X", nullptr, "include targets from this score in bits on",
     "sequence inclusion threshold:", "score >= ", Shown::kGeneral},
    {"incdomE", "X", "0.01", "include domains up to this conditional E-value",
     "domain inclusion threshold:", "E-value <= ", Shown::kGeneral},
    {"incdomT", "X", nullptr, "include domains from this score in bits on",
     "domain inclusion threshold:", "score >= ", Shown::kGeneral},
};

constexpr Option kCutoffOptions[] = {
    {"cut_ga", nullptr, nullptr, "report and include by each profile's own gathering cutoffs (GA)",
     "model-specific thresholding:", "GA cutoffs"},
    {"cut_nc", nullptr, nullptr, "the same by its noise cutoffs (NC)", "model-specific thresholding:", "NC cutoffs"},
    {"cut_tc", nullptr, nullptr, "the same by its trusted cutoffs (TC)", "model-specific thresholding:", "TC cutoffs"},
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

constexpr Option kNull2Option = {
    "nonull2", nullptr, nullptr, "no correction of scores for biased composition", "null2 bias corrections:", "off"};

constexpr Option kStatisticsOptions[] = {
    {"Z", "X", nullptr, "number of targets that E-values are computed for; default: as many as there are",
     "sequence search space set to:", "", Shown::kWhole},
    {"domZ", "X", nullptr, "the same for conditional E-values of domains; default: targets reported",
     "domain search space set to:", "", Shown::kWhole},
    {"seed", "N", "42", "seed of random numbers: sampling of domains, calibration; 0: another one in each run",
     "random number seed set to:", "", Shown::kWhole},
};

constexpr Option kReportFile = {"out", "FILE", nullptr, "", "output directed to file:", ""};

/// At most one of each set may be given.
constexpr std::string_view kExclusive[][5] = {
    {"E", "T", "cut_ga", "cut_nc", "cut_tc"},
    {"domE", "domT", "cut_ga", "cut_nc", "cut_tc"},
    {"incE", "incT", "cut_ga", "cut_nc", "cut_tc"},
    {"incdomE", "incdomT", "cut_ga", "cut_nc", "cut_tc"},
    {"textw", "notextw"},
    {"max", "F1"},
    {"max", "F2"},
    {"max", "F3"},
    {"max", "nobias"},
    {"mx", "mxfile"},
};

std::string with_dashes(std::string_view name) { return (name.size() == 1 ? "-" : "--") + std::string(name); }

void add_group(OptionSet& options, const char* group, std::span<const Option> members) {
    for (const Option& option : members) {
        const OptionValue value = option.argument == nullptr ? flag_value() : text_value(option.standard);
        const std::string names =
            option.name + (option.other_name == nullptr ? "" : "," + std::string(option.other_name));
        options.add_options(group)(names, option.help, value, option.argument == nullptr ? "" : option.argument);
    }
}

/// Reads options by name and remembers the first thing that is wrong.
class Reader {
   public:
    explicit Reader(const ParsedOptions& parsed) : parsed_(parsed) {}

    bool has(std::string_view name) const { return parsed_.count(std::string(name)) != 0; }
    std::string text(std::string_view name) const { return parsed_.text(std::string(name)); }

    std::optional<std::filesystem::path> file(std::string_view name) const {
        if (!has(name)) return std::nullopt;
        return std::filesystem::path(text(name));
    }
    std::optional<std::filesystem::path> output(std::string_view name) const {
        if (!has(name)) return std::nullopt;
        return output_path(text(name));
    }

    /// The number, where `fits` takes it; `expected` says what does.
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

    /// The E-value, where it is given or nothing else is.
    double evalue(std::string_view name) {
        return number<double>(name, "an E-value above 0", [](double value) { return value > 0; });
    }
    double bits(std::string_view name) {
        return number<double>(name, "a score in bits", [](double) { return true; });
    }
    double pvalue(std::string_view name) {
        const double value = number<double>(name, "a P-value", [](double) { return true; });
        return std::min(1.0, value);
    }
    std::optional<double> space(std::string_view name) {
        if (!has(name)) return std::nullopt;
        return number<double>(name, "a number above 0", [](double value) { return value > 0; });
    }

    void fail(Status status) {
        if (status_.ok()) status_ = std::move(status);
    }
    const Status& status() const { return status_; }

   private:
    const ParsedOptions& parsed_;
    Status status_;
};

Status check_conflicts(const ParsedOptions& parsed) {
    for (const std::string& name : parsed.names_given()) {
        if (name != "db" && parsed.count(name) > 1)
            return Status::usage(with_dashes(name == kEvalueOption ? "E" : name) + " is given more than once");
    }
    for (const auto& set : kExclusive) {
        std::string_view first;
        for (const std::string_view name : set) {
            if (name.empty() || parsed.count(std::string(name)) == 0) continue;
            if (!first.empty())
                return Status::usage(with_dashes(first) + " and " + with_dashes(name) + " exclude each other");
            first = name;
        }
    }
    return {};
}

/// No output may replace another one, or what is read.
Status check_files(const HmmOptions& options) {
    RunFiles files = files_of(options.common);
    if (options.matrix_file) files.add_input("--mxfile", *options.matrix_file);
    for (const auto& [option, file] :
         {std::pair("-A", &options.files.alignment), std::pair("--tblout", &options.files.targets),
          std::pair("--domtblout", &options.files.domains), std::pair("--pfamtblout", &options.files.pfam)}) {
        if (*file) files.add_output(option, **file);
    }
    // As with hmmsearch --tblout /dev/stdout | ..., where the report goes, too.
    files.let_outputs_share_streams();
    return files.check();
}

std::string shown_value(const Option& option, const std::string& text) {
    std::string shown = option.shown_before;
    const double value = number_of(text).value_or(0);  // texts are checked later
    switch (option.shown) {
        case Shown::kText: shown += text; break;
        case Shown::kGeneral: append_printf(shown, "%g", value); break;
        case Shown::kFixed: append_printf(shown, "%f", value); break;
        case Shown::kWhole: append_printf(shown, "%.0f", value); break;
    }
    return shown;
}

std::vector<HmmRun::Given> given_options(const ParsedOptions& parsed) {
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
    add(kReportFile, true);
    for (const Option& option : kOutputOptions) add(option, true);
    for (const Option& option : kSequenceOptions) add(option);
    for (const Option& option : kReportingOptions) add(option);
    for (const Option& option : kInclusionOptions) add(option);
    for (const Option& option : kCutoffOptions) add(option);
    for (const Option& option : kFilterOptions) add(option);
    add(kNull2Option);
    for (const Option& option : kCalibrationOptions) add(option);
    for (const Option& option : kStatisticsOptions) add(option);
    return all;
}

HmmThresholds read_thresholds(Reader& reader) {
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

void read_filters(Reader& reader, HmmOptions& options) {
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

void read_calibration(Reader& reader, HmmOptions& options) {
    CalibrationSettings& settings = options.calibration;
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
}

void read_matrix(Reader& reader, HmmOptions& options) {
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

/// What outputs say of the run, once the options are read.
void describe(HmmOptions& options) {
    HmmRun& run = options.run;
    run.query_file = options.common.query_file.string();
    run.msv_pvalue = options.msv_pvalue;
    run.viterbi_pvalue = options.viterbi_pvalue;
    run.forward_pvalue = options.forward_pvalue;
    run.command_line = "search hmm";
    for (const HmmRun::Given& each : run.given) {
        run.command_line += " " + each.name + (each.value.empty() ? "" : " " + each.value);
    }
    run.command_line += " -q " + run.query_file;
    for (const std::filesystem::path& file : options.common.database_files) {
        run.command_line += " -d " + file.string();
        run.database_names += (run.database_names.empty() ? "" : "; ") + file.string();
    }
}

}  // namespace

OptionSet make_hmm_options() {
    OptionSet options("search hmm",
                      "Profile HMMs, or sequences as profiles, against every sequence: HMMER 3's\n"
                      "hmmsearch and phmmer, with their options and their output.\n");
    options.custom_help("-q QUERY.hmm|QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    add_input_options(options,
                      "profiles in HMMER3 format, or FASTA sequences; plain, gzip or zstd; - is standard input");
    add_group(options, "Input and output", kOutputOptions);
    add_group(options, "Reporting", kReportingOptions);
    add_group(options, "Inclusion", kInclusionOptions);
    add_group(options, "Cutoff", kCutoffOptions);
    add_group(options, "Filter", kFilterOptions);
    add_group(options, "Statistics", {&kNull2Option, 1});
    add_group(options, "Statistics", kStatisticsOptions);
    add_group(options, "Sequence query", kSequenceOptions);
    add_group(options, "Sequence query", kCalibrationOptions);
    add_machine_options(options);
    add_chunk_options(options);
    return options;
}

std::string hmm_help(const OptionSet& options) {
    return options.help({"Input and output", "Reporting", "Inclusion", "Cutoff", "Filter", "Statistics",
                         "Sequence query", "Machine", "Other"});
}

Result<HmmOptions> read_hmm_options(const ParsedOptions& parsed, std::string_view query_option,
                                    std::string_view database_option) {
    auto common = read_common_options("hmm", parsed);
    if (!common.ok()) return common.status();
    WARPSEQ_TRY(check_conflicts(parsed));

    HmmOptions options;
    options.common = *std::move(common);
    options.common.query_option = query_option;
    options.common.database_option = database_option;
    options.run.given = given_options(parsed);
    Reader reader(parsed);
    options.outfmt = parsed.text("outfmt");
    if (auto format = make_hmm_report_format(options.outfmt); !format.ok())
        reader.fail(of_option("--outfmt", format.status()));
    options.files.alignment = reader.output("A");
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
    options.gaps.open =
        reader.number<double>("popen", "a probability from 0 to below 0.5", [](double p) { return p >= 0 && p < 0.5; });
    options.gaps.extend =
        reader.number<double>("pextend", "a probability from 0 to below 1", [](double p) { return p >= 0 && p < 1; });
    read_calibration(reader, options);
    options.matrix_file = reader.file("mxfile");
    if (options.matrix_file) options.common.decisive_files.push_back(*options.matrix_file);
    if (!reader.status().ok()) return reader.status();
    WARPSEQ_TRY(check_files(options));
    read_matrix(reader, options);
    if (!reader.status().ok()) return reader.status();
    options.files.report = options.common.output_file;
    describe(options);
    return options;
}

Result<HmmThresholds> thresholds_for(const HmmOptions& options, const ProfileHmm& hmm) {
    using Cutoffs = HmmOptions::ProfileCutoffs;
    if (options.profile_cutoffs == Cutoffs::kNone) return options.thresholds;
    const auto& [cutoffs, name, option] =
        options.profile_cutoffs == Cutoffs::kGathering ? std::tuple(hmm.gathering, "GA", "--cut_ga")
        : options.profile_cutoffs == Cutoffs::kNoise   ? std::tuple(hmm.noise, "NC", "--cut_nc")
                                                       : std::tuple(hmm.trusted, "TC", "--cut_tc");
    if (!cutoffs && options.only_kind)
        return Status::invalid_input(std::string(name) + " bit thresholds unavailable on model " + hmm.name);
    if (!cutoffs) {
        return Status::invalid_input(options.common.query_file.string() + ": profile " + hmm.name + " has no " + name +
                                     " cutoffs, which " + option + " asks for");
    }
    HmmThresholds limits;
    limits.by_evalue = limits.domain_by_evalue = limits.include_by_evalue = limits.include_domain_by_evalue = false;
    limits.bits = limits.include_bits = cutoffs->sequence_bits;
    limits.domain_bits = limits.include_domain_bits = cutoffs->domain_bits;
    return limits;
}

}  // namespace warpseq
