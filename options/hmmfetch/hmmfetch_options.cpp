#include "options/hmmfetch/hmmfetch_options.h"

namespace warpseq {

OptionSet make_hmmfetch_options() {
    OptionSet options("search hmmfetch",
                      "Gets profiles from a file by name or accession, in the order of the file. If the file is\n"
                      "pressed or indexed, they come in the order of the keys, and each key has to be there.\n");
    options.custom_help("-d PROFILES.hmm [KEY] [options]");
    options.help_groups({"Input and output", "Other"});
    options.add_rows(hmmfetch_rows::kRows, "Input and output");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

}  // namespace warpseq
