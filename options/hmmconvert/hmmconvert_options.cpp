#include "options/hmmconvert/hmmconvert_options.h"

namespace warpseq {

OptionSet make_hmmconvert_options() {
    OptionSet options("search hmmconvert",
                      "Writes the profiles of a file in another of HMMER's formats. Any of these formats is read.\n");
    options.custom_help("-d PROFILES.hmm [options]");
    options.help_groups({"Input and output", "Other"});
    options.add_rows(hmmconvert_rows::kRows, "Input and output");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

}  // namespace warpseq
