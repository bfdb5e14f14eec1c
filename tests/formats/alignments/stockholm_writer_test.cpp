#include "formats/alignments/stockholm_writer.h"

#include <doctest/doctest.h>

using namespace warpseq;

namespace {

MultipleAlignment sample() {
    MultipleAlignment alignment;
    alignment.name = "fam";
    alignment.author = "somebody";
    alignment.rows = {{"a/1-3", "", "first", "AC.d", "99.8"}, {"longer/10-12", "", "second", "-CcD", ".9*9"}};
    alignment.posterior_consensus = "99.8";
    alignment.reference = "xx.x";
    return alignment;
}

std::string written(const MultipleAlignment& alignment, std::size_t block_columns = 200) {
    std::string text;
    append_stockholm(alignment, block_columns, text);
    return text;
}

}  // namespace

TEST_CASE("names, marks and columns are in register") {
    CHECK(written(sample()) ==
          "# STOCKHOLM 1.0\n"
          "#=GF ID fam\n"
          "#=GF AU somebody\n"
          "\n"
          "#=GS a/1-3        DE first\n"
          "#=GS longer/10-12 DE second\n"
          "\n"
          "a/1-3                AC.d\n"
          "#=GR a/1-3        PP 99.8\n"
          "longer/10-12         -CcD\n"
          "#=GR longer/10-12 PP .9*9\n"
          "#=GC PP_cons         99.8\n"
          "#=GC RF              xx.x\n"
          "//\n");
}

TEST_CASE("an empty name is shown if the alignment says so") {
    MultipleAlignment alignment = sample();
    alignment.name.clear();
    CHECK(written(alignment).starts_with("# STOCKHOLM 1.0\n#=GF AU somebody\n"));
    alignment.shows_empty_name = true;
    CHECK(written(alignment).starts_with("# STOCKHOLM 1.0\n#=GF ID \n#=GF AU somebody\n"));
}

TEST_CASE("accessions and descriptions, where there are any") {
    MultipleAlignment alignment = sample();
    alignment.accession = "PF1";
    alignment.description = "a family";
    alignment.rows[1].accession = "P2";
    alignment.rows[0].description = alignment.rows[1].description = "";
    CHECK(
        written(alignment).starts_with("# STOCKHOLM 1.0\n"
                                       "#=GF ID fam\n"
                                       "#=GF AC PF1\n"
                                       "#=GF DE a family\n"
                                       "#=GF AU somebody\n"
                                       "\n"
                                       "#=GS longer/10-12 AC P2\n"
                                       "\n"
                                       "a/1-3                AC.d\n"));
}

TEST_CASE("blocks") {
    CHECK(written(sample(), 3)
              .ends_with("a/1-3                AC.\n"
                         "#=GR a/1-3        PP 99.\n"
                         "longer/10-12         -Cc\n"
                         "#=GR longer/10-12 PP .9*\n"
                         "#=GC PP_cons         99.\n"
                         "#=GC RF              xx.\n"
                         "\n"
                         "a/1-3                d\n"
                         "#=GR a/1-3        PP 8\n"
                         "longer/10-12         D\n"
                         "#=GR longer/10-12 PP 9\n"
                         "#=GC PP_cons         8\n"
                         "#=GC RF              x\n"
                         "//\n"));
    CHECK(written(sample(), 0) == written(sample(), 4));
    CHECK(written(sample(), 5) == written(sample(), 4));
}

TEST_CASE("short names leave room for the marks of columns") {
    MultipleAlignment alignment = sample();
    alignment.rows[0].name = "a";
    alignment.rows[1].name = "bc";
    CHECK(
        written(alignment).ends_with("a            AC.d\n"
                                     "#=GR a  PP   99.8\n"
                                     "bc           -CcD\n"
                                     "#=GR bc PP   .9*9\n"
                                     "#=GC PP_cons 99.8\n"
                                     "#=GC RF      xx.x\n"
                                     "//\n"));
}

TEST_CASE("names that are not unique get numbers, as wide as the number of rows") {
    MultipleAlignment alignment = sample();
    alignment.rows[1].name = "a/1-3";
    CHECK(written(alignment) ==
          "# STOCKHOLM 1.0\n"
          "# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n"
          "#=GF ID fam\n"
          "#=GF AU somebody\n"
          "\n"
          "#=GS 0|a/1-3 DE first\n"
          "#=GS 1|a/1-3 DE second\n"
          "\n"
          "0|a/1-3         AC.d\n"
          "#=GR 0|a/1-3 PP 99.8\n"
          "1|a/1-3         -CcD\n"
          "#=GR 1|a/1-3 PP .9*9\n"
          "#=GC PP_cons    99.8\n"
          "#=GC RF         xx.x\n"
          "//\n");
    while (alignment.rows.size() < 10) alignment.rows.push_back(alignment.rows.front());
    CHECK(written(alignment).find("\n09|a/1-3         AC.d\n") != std::string::npos);
}
