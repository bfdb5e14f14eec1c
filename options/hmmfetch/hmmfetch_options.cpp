#include "options/hmmfetch/hmmfetch_options.h"

namespace warpseq {

OptionSet make_hmmfetch_options() {
    OptionSet options("search hmmfetch",
                      "Profiles out of a file of them, by name or accession: in the order of the file, or,\n"
                      "where it is pressed or indexed, of the keys, each of which has to be there.\n");
    options.custom_help("-d PROFILES.hmm [KEY] [options]");
    options.help_groups({"Input and output", "Other"});
    options.add_options("Input and output")                                                             //
        ("d,db", "file of profiles in HMMER3 format, pressed (hmmpress) or not", text_value(), "FILE")  //
        ("list", "file of keys, one on each line; - is standard input", text_value(), "FILE")           //
        ("o,out", "profiles (standard output without it)", text_value(), "FILE")                        //
        ("index", "make PROFILES.hmm.ssi, HMMER's index of names and accessions", flag_value());        //
    options.add_options("Other")("h,help", "print this help")("version", "print the version");
    return options;
}

}  // namespace warpseq
