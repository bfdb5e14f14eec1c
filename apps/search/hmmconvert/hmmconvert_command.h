// `search hmmconvert`: writes profiles in another format.
#pragma once

#include <string_view>

#include "apps/search/driver/division.h"
#include "formats/io/output_sink.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_format.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Runs the command. An error is returned, not printed. A division is a usage error, because the
/// command is not divided.
Status run_hmmconvert_command(const OptionValues& values, Division* division = nullptr);

/// The format into which profiles are converted.
struct ProfileConversion {
    enum class Kind { kText, kBinary, kHmmer2 } kind = Kind::kText;
    HmmFormat version = HmmFormat::k3f;  // of kText and kBinary
    std::string_view program = {};       // the program in the format line of kText, as append_hmm() takes it
};

/// Converts all profiles that `profiles` has, one after the other. After an error, those before it
/// have been written.
Status convert_profiles(HmmFileReader& profiles, const ProfileConversion& conversion, OutputSink& out);

}  // namespace warpseq
