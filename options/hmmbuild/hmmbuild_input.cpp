#include "options/hmmbuild/hmmbuild_input.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "formats/profiles/matrix_file.h"
#include "libcore/base/draw_seed.h"
#include "libcore/scoring/profile_matrices.h"

namespace warpseq {
namespace {

std::string date_of_now() {
    const std::time_t now = std::time(nullptr);
    std::tm local = {};
    std::array<char, 64> text{};
    if (localtime_r(&now, &local) == nullptr) return {};
    const std::size_t length = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &local);
    return {text.data(), length};
}

Result<SubstitutionMatrix> matrix_of(const HmmbuildOptions& options) {
    constexpr std::string_view kFailed = "Failed to set single query seq score system:\n";
    if (options.matrix_file) {
        auto matrix = read_matrix_file(*options.matrix_file);
        if (matrix.ok()) return matrix;
        if (options.takes_hmmer_matrices_only && access(options.matrix_file->c_str(), R_OK) != 0) {
            return Status::io(std::string(kFailed) + "Failed to find or open matrix file " +
                              options.matrix_file->string());
        }
        return Status::invalid_input(std::string(kFailed) + matrix.status().message());
    }
    if (!options.takes_hmmer_matrices_only || is_hmmer_matrix(options.matrix_name)) {
        if (auto matrix = profile_matrix(options.matrix_name)) return *std::move(matrix);
    }
    return Status::invalid_input(std::string(kFailed) + "no matrix named " + options.matrix_name +
                                 " is available as a built-in");
}

}  // namespace

Result<HmmBuildSettings> build_settings_of(const HmmbuildOptions& options) {
    HmmBuildSettings settings;
    settings.profile = options.profile;
    settings.calibration = options.calibration;
    if (settings.calibration.seed == 0) settings.calibration.seed = draw_seed();
    settings.backend = options.run.cpu_backend;
    settings.keeps_alignments = options.processed_file.has_value();
    settings.date = date_of_now();
    settings.error_prefix = options.error_prefix;
    if (!options.single_by_matrix) return settings;
    const Result<SubstitutionMatrix> matrix = matrix_of(options);
    if (!matrix.ok()) return matrix.status();
    Result<ReplacementProbabilities> replacements = replacement_probabilities(*matrix);
    if (!replacements.ok()) return replacements.status();
    settings.single_sequence = {*std::move(replacements), options.gaps};
    return settings;
}

Status check_letters(const HmmbuildOptions& options, AlignmentReader& reader) {
    if (options.is_protein) return reader.open();
    const Result<AlignmentLetterKind> kind = reader.letter_kind();
    if (!kind.ok()) return kind.status();
    if (*kind == AlignmentLetterKind::kProtein) return {};
    const std::string file = options.alignment_file.string();
    if (*kind == AlignmentLetterKind::kUnknown)
        return Status::invalid_input(file + ": its letters may or may not be amino acids; if they are, add --amino");
    return Status::invalid_input(file + ": its letters look like " +
                                 (*kind == AlignmentLetterKind::kDna ? "DNA" : "RNA") +
                                 "; warpseq builds protein profiles only (if these are proteins, add --amino)");
}

Status AlignmentNames::name(MultipleAlignment& alignment) {
    ++read_;
    const bool has_name = !alignment.name.empty();
    if (has_name) ++named_;
    if (read_ == 1) {
        if (given_) {
            alignment.name = *given_;
        } else if (!has_name) {
            alignment.name = of_file_;
        }
        if (!alignment.name.empty()) return {};
        return Status::invalid_input("Failed to set model name: msa has no name, no msa filename, and no -n");
    }
    if (given_) return Status::invalid_input("Oops. Wait. You can't use -n with an alignment database.");
    constexpr const char* kNeeded = "Oops. Wait. I need name annotation on each alignment in a multi MSA file; ";
    if (!has_name) return Status::invalid_input(kNeeded + ("failed on #" + std::to_string(read_ + 1)));
    if (named_ != read_) return Status::invalid_input(std::string(kNeeded) + "first MSA didn't have one");
    return {};
}

std::string profile_name_of(const std::filesystem::path& file) {
    return file == "-" ? std::string() : file.stem().string();
}

}  // namespace warpseq
