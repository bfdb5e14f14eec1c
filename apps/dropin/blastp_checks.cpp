#include "apps/dropin/blastp_checks.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/dropin/blast_command_line.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/frequency_ratios.h"
#include "libcore/scoring/word_rule.h"
#include "libcore/statistics/karlin_altschul.h"
#include "options/arguments.h"
#include "reports/fields.h"

namespace warpseq {
namespace {

constexpr int kStatusOfException = 255;

/// Returns the columns that a value of -outfmt names.
Result<BlastpFields> columns_of(std::string_view outfmt) {
    outfmt.remove_prefix(std::min(outfmt.find_first_not_of(' '), outfmt.size()));
    return parse_blastp_fields(split_outfmt(outfmt).second);
}

/// Returns the name of the matrix that a search takes.
std::string matrix_of(const BlastArguments& arguments) {
    if (arguments.has("matrix")) return arguments.text("matrix");
    return arguments.text("task") == "blastp-short" ? "PAM30" : "BLOSUM62";
}

/// Whether -num_descriptions and -num_alignments leave nothing to report.
bool saves_no_hits(const BlastArguments& arguments, std::int64_t format) {
    const auto is_zero = [&](const char* name) { return whole_number_of(arguments.text(name)) == 0; };
    return is_zero("num_alignments") && (format > kBlastpLastWithTable || is_zero("num_descriptions"));
}

/// Checks the matrix and the gap costs. If they are wrong, prints the error in BLAST+'s words and
/// returns the exit status.
std::optional<int> check_matrix(const BlastArguments& arguments) {
    const std::string name = matrix_of(arguments);
    auto matrix = builtin_matrix(name);
    if (!matrix) {
        return blast_options_error(name +
                                   " is not a supported matrix, supported matrices are:\nBLOSUM80 \nBLOSUM62 "
                                   "\nBLOSUM50 \nBLOSUM45 \nPAM250 \nBLOSUM90 \nPAM30 \nPAM70 \nIDENTITY \n");
    }
    const std::string known_name = matrix->name();
    GapCosts gaps = AlignmentStatistics::default_gap_costs(known_name).value_or(GapCosts());
    const std::int64_t open = whole_number_of(arguments.text("gapopen")).value_or(gaps.open);
    const std::int64_t extend = whole_number_of(arguments.text("gapextend")).value_or(gaps.extend);
    gaps = {static_cast<int>(open), static_cast<int>(extend)};
    if (open >= 0 && extend >= 0 && arguments.has("ungapped")) return {};
    if (open >= 0 && extend >= 0 && AlignmentStatistics::find({*std::move(matrix), gaps})) return {};
    std::string known = AlignmentStatistics::known_gap_costs(known_name) + ", ";
    std::string lines = "32767, 32767\n";
    for (std::size_t at = 0, end = 0; (end = known.find(", ", at)) != std::string::npos; at = end + 2) {
        std::string costs = known.substr(at, end - at);
        if (const std::size_t slash = costs.find('/'); slash != std::string::npos) costs.replace(slash, 1, ", ");
        lines += costs + "\n";
    }
    return blast_options_error("Gap existence and extension values of " + std::to_string(open) + " and " +
                               std::to_string(extend) + " not supported for " + known_name +
                               "\nsupported values are:\n" + lines);
}

/// Returns the number of processors of the machine.
std::int64_t processors() { return std::max<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1); }

}  // namespace

void blastp_warn(const std::string& text, const std::string& subject) {
    blast_failure(0, "Warning: [" + subject + "] " + text);
}

int refuse_in_blastp(const std::string& what) {
    return blast_options_error(what + " is not supported by warpseq's blastp");
}

std::optional<std::int64_t> read_blastp_format(const std::string& outfmt, std::optional<int>& ended) {
    std::string number = outfmt.substr(std::min(outfmt.find_first_not_of(' '), outfmt.size()));
    number = number.substr(0, number.find(' '));
    const auto value = whole_number_of(number);
    constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();
    const bool is_decimal =
        value && number.find_first_of("xX") == std::string::npos && *value >= -kMostNumber && *value <= kMostNumber;
    const auto format = is_decimal ? value : std::nullopt;
    constexpr std::int64_t kSam = 17, kMost = 18, kRearrangements = 19, kFasta = 20;
    constexpr std::int64_t kNotYet[] = {8, 9, 11, 12, 18};
    if (!format) {
        ended = blast_options_error("'" + outfmt + "' is not a valid output format");
    } else if (*format == kSam) {
        ended = blast_options_error("SAM format is only applicable to blastn");
    } else if (*format == kRearrangements) {
        ended = blast_options_error("AIRR rearrangement format is only applicable to igblastn");
    } else if (*format == kFasta) {
        ended = blast_options_error("FASTA output format is only applicable to magicblast");
    } else if (*format < 0 || *format > kMost) {
        ended = blast_failure(kStatusOfException, "Error: Formatting choice is out of range");
    } else if (std::ranges::find(kNotYet, *format) != std::end(kNotYet)) {
        ended = refuse_in_blastp("-outfmt " + std::to_string(*format));
    } else if (has_blastp_columns(*format)) {
        const auto columns = columns_of(outfmt);
        if (!columns.ok()) ended = blast_options_error(columns.status().message());
    }
    return ended ? std::nullopt : format;
}

std::optional<ResidueRange> read_blastp_range(const std::string& text, const std::string& what,
                                              std::optional<int>& ended) {
    const auto wrong = [&](const std::string& why) {
        ended = blast_failure(kBlastEngineError,
                              "BLAST engine error: Invalid specification of " + what + " location (" + why + ")");
        return std::nullopt;
    };
    const std::size_t hyphen = text.find('-');
    const std::string words[] = {text.substr(0, hyphen), hyphen == text.npos ? "" : text.substr(hyphen + 1)};
    if (words[0].empty() || words[1].empty() || words[1].find('-') != text.npos) return wrong("Format: start-stop");
    std::int32_t positions[2] = {};
    for (int i = 0; i < 2; ++i) {
        const char* const begin = words[i].data() + (words[i].starts_with('+') ? 1 : 0);
        const auto [end, error] = std::from_chars(begin, words[i].data() + words[i].size(), positions[i]);
        if (error == std::errc() && *end == '\0') continue;
        const bool is_long = error == std::errc::result_out_of_range && *end == '\0';
        ended = blast_failure(kStatusOfException, "Error: Cannot convert string '" + words[i] + "' to " +
                                                      (is_long ? "int, overflow" : "Int8") +
                                                      " (m_Pos = " + std::to_string(is_long ? 0 : end - begin) + ")");
        return std::nullopt;
    }
    const auto [first, last] = positions;
    if (first <= 0 || last <= 0) return wrong("range elements cannot be less than or equal to 0");
    if (first > last) return wrong("start cannot be larger than stop");
    if (first == last) return wrong("range cannot be empty");
    return ResidueRange{static_cast<std::uint64_t>(first - 1), static_cast<std::uint64_t>(last)};
}

std::optional<TaxonList> read_blastp_taxa(const BlastArguments& arguments, std::optional<int>& ended) {
    for (const char* const name : {"taxids", "negative_taxids", "taxidlist", "negative_taxidlist"}) {
        if (!arguments.has(name)) continue;
        const std::string value = arguments.text(name);
        std::optional<std::vector<std::uint64_t>> taxids;
        if (!std::string_view(name).ends_with("list")) {
            taxids = parse_taxids(value, ',');
        } else if (!blast_can_read(value)) {
            ended = blast_options_error("File is not acessible: " + value);
            return {};
        } else if (auto read = read_taxids(value); read.ok()) {
            taxids = *std::move(read);
        }
        if (!taxids) {
            ended = blast_options_error("Invalid taxidlist file ");
            return {};
        }
        if (!taxids->empty())
            return TaxonList{"-" + std::string(name), *std::move(taxids), std::string_view(name).starts_with("neg")};
    }
    return {};
}

std::optional<int> check_blastp_seg(const std::string& value) {
    if (value == "yes" || value == "no") return {};
    std::vector<std::string> words(1);
    for (const char c : value) {
        if (c == ' ') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    if (words.size() != 3) return blast_options_error("Invalid number of arguments to filtering option");
    const auto window = whole_number_of(words[0]);
    const auto low = number_of(words[1]), high = number_of(words[2]);
    if (!window || !low || !high) return blast_options_error("Invalid input for filtering parameters");
    // For other values NCBI's blastp takes levels of its own.
    if (*window < 1 || *low <= 0 || *high <= 0) return refuse_in_blastp("-seg '" + value + "'");
    return {};
}

std::optional<int> check_blastp_search(const BlastArguments& arguments, std::int64_t format, const std::string& mode) {
    const auto number = [&](const char* name) { return number_of(arguments.text(name)); };
    if (arguments.has("ungapped") && mode != "0") {
        return blast_options_error(
            "Composition-adjusted searched are not supported with an ungapped search, please add -comp_based_stats F "
            "or do a gapped search");
    }
    if (const auto wrong = check_matrix(arguments)) return wrong;
    if (arguments.has("threshold") && *number("threshold") <= 0)
        return blast_options_error("Non-zero threshold required");
    constexpr std::int64_t kFastWord = 6;
    const std::int64_t word =
        whole_number_of(arguments.text("word_size")).value_or(arguments.text("task") == "blastp-fast" ? kFastWord : 0);
    if (word > WordRule::kMostResidues) {
        return blast_options_error("Word-size must be less than " + std::to_string(WordRule::kMostResidues + 1) +
                                   " for a tblastn, blastp or blastx search");
    }
    if (arguments.has("xdrop_ungap") && *number("xdrop_ungap") <= 0)
        return blast_options_error("x_dropoff must be greater than zero");
    if (saves_no_hits(arguments, format)) return blast_options_error("No hits are being saved");
    if (*number("evalue") <= 0) return blast_options_error("expect value or cutoff score must be greater than zero");
    if (word >= WordRule::kFewestCompressed && !frequency_ratios(builtin_matrix(matrix_of(arguments))->name()))
        return blast_options_error("Word size larger than 5 is not supported for the identity scoring matrix");
    return {};
}

std::optional<std::string> blastp_composition_mode(const std::string& value) {
    if (value.size() > 1 && (value[1] == 'u' || value[1] == 'U')) return {};  // asks for another kind of E-value
    const std::string_view first = std::string_view(value).substr(0, 1);
    if (first == "1" || first == "2" || first == "3") return std::string(first);
    constexpr std::string_view kStandard = "DdTt";
    return !first.empty() && kStandard.find(first) != std::string_view::npos ? "2" : "0";
}

std::int64_t blastp_threads(const BlastArguments& arguments) {
    return std::min(*whole_number_of(arguments.text("num_threads")), processors());
}

void warn_of_blastp_options(const BlastArguments& arguments, std::int64_t format, const std::string& subject) {
    constexpr std::int64_t kFewTargets = 5;
    if (format > kBlastpLastWithTable) {
        if (arguments.has("num_descriptions"))
            blastp_warn(
                "The parameter -num_descriptions is ignored for output formats > 4 . Use -max_target_seqs to control "
                "output",
                subject);
        if (arguments.has("line_length"))
            blastp_warn("The parameter -line_length is not applicable for output formats > 4 .", subject);
        if (arguments.has("sorthits"))
            blastp_warn("The parameter -sorthits is ignored for output formats > 4.", subject);
    }
    const auto count = [&](const char* name) { return whole_number_of(arguments.text(name)).value_or(0); };
    std::optional<std::int64_t> targets;
    if (arguments.has("max_target_seqs")) {
        targets = count("max_target_seqs");
    } else if (format > kBlastpLastWithTable && arguments.has("num_alignments")) {
        targets = count("num_alignments");
    } else if (format <= kBlastpLastWithTable && arguments.has("num_alignments") && arguments.has("num_descriptions")) {
        targets = std::max(count("num_alignments"), count("num_descriptions"));
    }
    if (targets && *targets < kFewTargets) blastp_warn("Examining 5 or more matches is recommended", subject);
    if (format != 0 && arguments.has("sorthsps"))
        blastp_warn("The parameter -sorthsps is ignored for output formats != 0.", subject);
    if (count("num_threads") > processors()) {
        blastp_warn("Number of threads was reduced to " + std::to_string(processors()) +
                        " to match the number of available CPUs",
                    subject);
    }
    if (arguments.has("subject") && blastp_threads(arguments) > 1) {
        blastp_warn(std::string("'num_threads") +
                        (whole_number_of(arguments.text("mt_mode")) == 0 ? "" : " and mt_mode") +
                        "' is currently ignored when 'subject' is specified.",
                    subject);
    }
}

}  // namespace warpseq
