#include "options/hmmpress/hmmpress_options.h"

namespace warpseq {

OptionSet make_hmmpress_options() {
    OptionSet options("search hmmpress",
                      "Makes the files by which hmmscan opens many profiles at once: HMMER's PROFILES.hmm.h3m,\n"
                      ".h3i, .h3f and .h3p, and warpseq's own, PROFILES.hmm.wspressed.\n");
    options.custom_help("-d PROFILES.hmm [options]");
    options.help_groups({"Input and output", "Other"});
    options.add_rows(hmmpress_rows::kRows, "Input and output");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

}  // namespace warpseq
