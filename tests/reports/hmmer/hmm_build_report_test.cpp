#include "reports/hmmer/hmm_build_report.h"

#include <doctest/doctest.h>

#include <string>

namespace warpseq {
namespace {

TEST_CASE("the header names files and what was given") {
    HmmBuildRun run;
    run.program = {.name = "hmmbuild", .banner = "profiles", .credits = {"who"}};
    run.alignment_file = "in.sto";
    run.profile_file = "out.hmm";
    run.given = {{.name = "--hand", .label = "model:", .shown = "by hand"},
                 {.name = "--seed", .label = "seed:", .shown = "42", .is_default = true},
                 {.name = "--fast"}};
    std::string text;
    append_build_header(run, text);
    CHECK(text ==
          "# hmmbuild :: profiles\n"
          "# who\n"
          "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"
          "# input alignment file:             in.sto\n"
          "# output HMM file:                  out.hmm\n"
          "# model:                            by hand\n"
          "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"
          "\n"
          "# idx name                  nseq  alen  mlen eff_nseq re/pos description\n"
          "#---- -------------------- ----- ----- ----- -------- ------ -----------\n");
}

TEST_CASE("a row") {
    BuiltHmm built;
    built.name = "globins4";
    built.description = "of blood";
    built.sequences = 4;
    built.columns = 171;
    built.hmm.length = 149;
    built.hmm.effective_sequences = 0.964844f;
    built.entropy_bits = 0.5891;
    std::string text;
    append_build_row(1, built, text);
    CHECK(text == "1     globins4                 4   171   149     0.96  0.589 of blood\n");
}

}  // namespace
}  // namespace warpseq
