#include "options/hmmstat/hmmstat_options.h"

namespace warpseq {

OptionSet make_hmmstat_options() {
    OptionSet options("search hmmstat",
                      "Prints a table with the figures of each profile: sequences, nodes, mean relative entropy,\n"
                      "information, and the relative entropy of the mean composition.\n");
    options.custom_help("-d PROFILES.hmm [options]");
    options.help_groups({"Input and output", "Other"});
    options.add_rows(hmmstat_rows::kRows, "Input and output");
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

}  // namespace warpseq
