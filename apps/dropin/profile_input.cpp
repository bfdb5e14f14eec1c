#include "apps/dropin/profile_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/dropin/hmmer_program.h"
#include "formats/io/byte_source.h"
#include "formats/profiles/hmm_format.h"
#include "formats/profiles/pressed_profiles.h"

namespace warpseq {
namespace {

Status format_problem(const std::string& file, std::string_view why) {
    return Status::invalid_input("File format problem in trying to open HMM file " + file + ".\n" + std::string(why));
}

Status empty_file(const std::string& file) { return format_problem(file, "File exists, but appears to be empty?"); }

/// Returns the error about a file that begins with these bytes, if it is not one of profiles.
Status check_start(const std::string& file, std::span<const std::uint8_t> start) {
    constexpr std::string_view kBlanks = " \t\v\f\r\n";
    constexpr std::size_t kLongestMessage = 127;  // HMMER cuts it there
    const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return empty_file(file);
    const std::string_view tag = text.substr(begin, std::min(text.find_first_of(kBlanks, begin), text.size()) - begin);
    constexpr std::string_view kHmmer = "HMMER";
    const bool is_unknown = tag.starts_with(kHmmer) && tag != "HMMER2.0" && !find_hmm_format(tag.substr(kHmmer.size()));
    if (begins_like_profiles(start) && !is_unknown) return {};
    const std::string why = "Format tag is '" + std::string(tag) +
                            "': unrecognized.\nCurrent H3 format is 'HMMER3/f'. Previous H2/H3 formats also supported.";
    return format_problem(file, std::string_view(why).substr(0, kLongestMessage));
}

}  // namespace

Result<HmmFileReader> open_profiles(const std::string& file) {
    WARPSEQ_TRY(check_profile_file(file));
    const std::filesystem::path read = profile_file_of(file);
    std::error_code error;
    if (std::filesystem::is_directory(read, error)) return empty_file(file);
    auto source = ByteSource::open(read);
    if (!source.ok()) return source.status();
    const auto start = source->peek_block();
    if (!start.ok()) return start.status();
    WARPSEQ_TRY(check_start(file, *start));
    return HmmFileReader(*std::move(source));
}

std::optional<std::string> bad_profile_message(const HmmFileReader& profiles, const std::string& file,
                                               const Status& error) {
    if (error.code() != StatusCode::kInvalidInput) return std::nullopt;
    if (!error.message().ends_with(kOnlyProteinProfiles)) return "bad file format in HMM file " + file;
    if (profiles.profiles_read() == 0) return std::nullopt;
    return "HMM file " + file + " contains different alphabets";
}

}  // namespace warpseq
