#include "apps/search/hmmscan/hmmpress_command.h"

#include <string>

#include "apps/common/command_line.h"
#include "engines/hmm/press_profiles.h"
#include "formats/profiles/pressed_profiles.h"

namespace warpseq {

Status press_profiles(const std::filesystem::path& file, bool replace, ExistingFile existing) {
    PressSettings settings;
    settings.replace = replace;
    settings.existing = existing;
    settings.on_start = [] { return print("Working...    "); };
    const auto pressed = press_profile_file(file, settings);
    if (!pressed.ok()) return pressed.status();
    const PressedFiles files(file);
    std::string text = "done.\nPressed and indexed " + std::to_string(pressed->profiles) + " HMMs (" +
                       std::to_string(pressed->profiles) + " names";
    if (pressed->accessions > 0) text += " and " + std::to_string(pressed->accessions) + " accessions";
    text += ").\nModels pressed into binary file:   " + files.models.string();
    text += "\nSSI index for binary model file:   " + files.index.string();
    text += "\nProfiles (MSV part) pressed into:  " + files.filters.string();
    text += "\nProfiles (remainder) pressed into: " + files.profiles.string() + "\n";
    return print(text);
}

Status run_hmmpress_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmpress cannot be divided between processes");
    if (values.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    return press_profiles(values.text("db"), values.count("force") != 0);
}

}  // namespace warpseq
