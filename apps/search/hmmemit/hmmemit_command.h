// `search hmmemit`: emits sequences from profiles, which are samples or the consensus.
#pragma once

#include <string>
#include <string_view>

#include "apps/search/driver/division.h"
#include "formats/io/output_sink.h"
#include "formats/profiles/hmm_file.h"
#include "libcore/base/linear_congruential.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "options/hmmemit/hmmemit_options.h"
#include "options/option_values.h"

namespace warpseq {

/// Runs the command. An error is returned, not printed. A division is a usage error, because the
/// command is not divided.
Status run_hmmemit_command(const OptionValues& values, Division* division = nullptr);

/// An emitter of the sequences of one profile after the other. The random numbers of a profile
/// follow on those of the profile before. Options and output have to outlive it.
class ProfileEmitter {
   public:
    /// The reasons why a profile cannot emit what is asked for.
    enum class Fault {
        kNone,
        kProfile,      // is_sound(hmm) is false
        kSearchModel,  // SearchSampler::is_sound() is false
        kNoChoice,     // a state has no usable probabilities
    };

    ProfileEmitter(const HmmemitOptions& options, OutputSink& output);

    /// Emits from all profiles that `profiles` has. After an error, the sequences before it have
    /// been written. Some of them may be samples of the same profile.
    Status emit_all(HmmFileReader& profiles);
    /// Returns the fault of the profile because of which emit_all() failed, or kNone if something
    /// else failed.
    Fault fault() const { return fault_; }

   private:
    Status emit(const ProfileHmm& hmm);
    Status emit_samples(const ProfileHmm& hmm);
    Status emit_alignment(const ProfileHmm& hmm);
    Status write_sequence(const std::string& name, std::string_view letters);
    Status fail(Fault fault, const ProfileHmm& hmm);

    const HmmemitOptions& options_;
    OutputSink& output_;
    LinearCongruential random_;
    Fault fault_ = Fault::kNone;
};

}  // namespace warpseq
