#include "engines/hmm/press_profiles.h"

#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "engines/hmm/hmmer2_calibration.h"
#include "formats/io/byte_source.h"
#include "formats/io/run_files.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_profiles.h"

namespace warpseq {
namespace {

/// Refuses pressed files that exist. HMMER ends the name of some kinds of files with a semicolon
/// and of others without.
Status refuse_existing(const PressedFiles& files) {
    for (const auto& [what, file, ending] :
         {std::tuple("SSI index", files.index, ";"), std::tuple("Binary HMM", files.models, ";"),
          std::tuple("Binary MSV filter", files.filters, ""), std::tuple("Binary profile", files.profiles, "")}) {
        std::error_code error;
        if (std::filesystem::exists(file, error)) {
            return Status::invalid_input(std::string(what) + " file " + file.string() + " already exists" + ending +
                                         "\nDelete old hmmpress indices first");
        }
    }
    return {};
}

/// Checks that no link makes a pressed file the same file as the profiles or another pressed file.
Status check_files(const std::filesystem::path& file, const PressedFiles& pressed, ExistingFile existing) {
    RunFiles files;
    files.set_existing(existing);
    files.add_input("the file of profiles", file);
    for (const auto& each : {pressed.models, pressed.index, pressed.filters, pressed.profiles})
        files.add_output("the pressed file " + each.extension().string(), each);
    files.add_optional_output("the pressed file " + pressed.own.extension().string(), pressed.own);
    return files.check();
}

Status twice(const char* keys, const std::string& key) {
    if (key.empty()) return {};
    return Status::invalid_input(std::string("SSI index construction failed:\n  ") + keys + " keys not unique: '" +
                                 key + "' occurs more than once");
}

}  // namespace

Result<PressedCounts> press_profile_file(const std::filesystem::path& file, const PressSettings& settings) {
    const PressedFiles files(file);
    std::error_code error;
    if (file.extension() == ".gz" || (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file, error)))
        return Status::io("HMM file " + file.string() + " must be a normal file, not gzipped or a stdin pipe");
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const auto start = source->peek_block();
    if (!start.ok()) return start.status();
    const bool are_profiles = begins_like_profiles(*start);
    HmmFileReader reader(*std::move(source));
    ProfileHmm hmm;
    auto more = reader.next(hmm);
    if (!are_profiles && !more.ok()) {
        return Status::io("File format problem in trying to open HMM file " + file.string() + ".\n" +
                          more.status().message());
    }
    if (!settings.replace) WARPSEQ_TRY(refuse_existing(files));
    WARPSEQ_TRY(check_files(file, files, settings.existing));
    auto presser = ProfilePresser::create(file, settings.existing);
    if (!presser.ok()) return presser.status();
    if (settings.on_start) WARPSEQ_TRY(settings.on_start());
    Hmmer2Calibrator calibrator;
    for (; more.ok() && *more; more = reader.next(hmm)) {
        if (settings.stop.stop_requested()) return Status::interrupted();
        WARPSEQ_TRY(calibrator.complete(hmm));
        WARPSEQ_TRY(presser->add(hmm));
    }
    if (!more.ok() && more.status().code() == StatusCode::kInvalidInput)
        return Status::invalid_input("bad file format in HMM file " + file.string() + "\n" + more.status().message());
    if (!more.ok()) return more.status();
    WARPSEQ_TRY(twice("primary", presser->name_twice()));
    WARPSEQ_TRY(twice("secondary", presser->accession_twice()));
    WARPSEQ_TRY(presser->finish());
    return PressedCounts{presser->profiles(), presser->accessions()};
}

}  // namespace warpseq
