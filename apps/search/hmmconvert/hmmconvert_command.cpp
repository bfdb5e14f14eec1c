#include "apps/search/hmmconvert/hmmconvert_command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "apps/search/hmmconvert/profile_files.h"
#include "engines/hmm/hmmer2_calibration.h"
#include "formats/io/byte_source.h"
#include "formats/profiles/hmm_binary.h"
#include "formats/profiles/hmm_writer.h"
#include "formats/profiles/hmmer2_writer.h"
#include "formats/profiles/pressed_profiles.h"

namespace warpseq {

Status convert_profiles(HmmFileReader& profiles, const ProfileConversion& conversion, OutputSink& out) {
    ProfileHmm hmm;
    Hmmer2Calibrator calibrator;
    std::string text;
    for (;;) {
        const auto more = profiles.next(hmm);
        if (!more.ok()) return more.status();
        if (!*more) return {};
        WARPSEQ_TRY(calibrator.complete(hmm));
        text.clear();
        switch (conversion.kind) {
            case ProfileConversion::Kind::kText: append_hmm(hmm, text, conversion.version, conversion.program); break;
            case ProfileConversion::Kind::kBinary: append_binary_profile(hmm, text, conversion.version); break;
            case ProfileConversion::Kind::kHmmer2: append_hmmer2_profile(hmm, text); break;
        }
        WARPSEQ_TRY(out.write(text));
    }
}

Status run_hmmconvert_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmconvert cannot be divided between processes");
    if (values.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    const bool is_binary = values.count("binary") != 0, is_hmmer2 = values.count("hmmer2") != 0;
    if (is_hmmer2 && (is_binary || values.count("outfmt") != 0))
        return Status::usage("--hmmer2 is a format of its own; give it without --binary and --outfmt");
    const auto version = find_hmm_format(values.text("outfmt"));
    if (!version)
        return Status::usage("--outfmt " + values.text("outfmt") + " is not a version of the format: write 3/a to 3/f");
    const ProfileConversion conversion = {.kind = is_hmmer2   ? ProfileConversion::Kind::kHmmer2
                                                  : is_binary ? ProfileConversion::Kind::kBinary
                                                              : ProfileConversion::Kind::kText,
                                          .version = *version};
    const std::string file = values.text("db");
    std::optional<std::filesystem::path> output;
    if (values.count("out") != 0) output = values.text("out");
    WARPSEQ_TRY(check_profile_files(file, "-d", output, output ? "-o" : "the converted profiles"));
    auto source = ByteSource::open(profile_file_of(file));
    if (!source.ok()) return source.status();
    HmmFileReader profiles(*std::move(source));
    auto out = OutputSink::open(output);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(convert_profiles(profiles, conversion, *out));
    return out->finish();
}

}  // namespace warpseq
