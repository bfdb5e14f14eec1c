#include "apps/search/hmmconvert/profile_files.h"

#include "formats/io/run_files.h"
#include "formats/profiles/pressed_profiles.h"

namespace warpseq {

Status check_profile_files(const std::string& profiles, const std::string& input_option,
                           const std::optional<std::filesystem::path>& output, const std::string& output_option,
                           ExistingFile existing) {
    RunFiles files;
    files.set_existing(existing);
    files.add_input(input_option, profiles);
    for (const std::filesystem::path& file : files_beside_profiles(profiles)) files.add_input(input_option, file);
    files.add_output(output_option, output);
    return files.check();
}

}  // namespace warpseq
