#include "reports/hmmer/hmm_alignment_display.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::string printed(const ProfileHmm& hmm, const HmmDomain& domain, int text_width, std::string_view target = "t") {
    std::string text;
    append_alignment(draw_alignment(HmmModel(hmm, even_odds(hmm)), domain), domain, hmm.name, target, text_width, text);
    return text;
}

}  // namespace

TEST_CASE("match line: the consensus where equal, '+' where the odds are above 1, else a blank") {
    const ProfileHmm hmm = named_profile("m", "acDeFG");
    ForwardProfile odds = even_odds(hmm);
    odds.match[static_cast<std::size_t>(encode_residues("W").front()) * 6 + 1] = 1.01F;
    odds.match[static_cast<std::size_t>(kCodeStop) * 6 + 5] = 0;
    HmmDomain domain;
    set_alignment(domain, 1, 11, "acD..eFG", "aWVcc-X*", "0123456*");
    const HmmAlignmentLines lines = draw_alignment(HmmModel(hmm, odds), domain);
    CHECK(lines.model == "acD..eFG");
    CHECK(lines.match == "a+      ");
    CHECK(lines.target == "AWVcc-X*");
    CHECK(lines.posterior == "01234.6*");
    CHECK(lines.structure.empty());
    CHECK(lines.reference.empty());
}

TEST_CASE("structure and reference have a dot in inserts; a mask is not shown") {
    ProfileHmm hmm = named_profile("m", "acde");
    hmm.structure = "HHTE";
    hmm.reference = "xx.x";
    hmm.mask = "..mm";
    HmmDomain domain;
    set_alignment(domain, 2, 9, "c.de", "Ck-E", "9999");
    CHECK(printed(hmm, domain, 120) ==
          "       H.TE CS\n"
          "       x..x RF\n"
          "  m  2 c.de 4 \n"
          "       c  e\n"
          "  t  9 Ck-E 11\n"
          "       99.9 PP\n");
}

TEST_CASE("a model's name is shown without white space at its end, as in HMMER") {
    ProfileHmm hmm = named_profile("m", "acD");
    HmmDomain domain;
    set_alignment(domain, 1, 11, "acD", "aWV", "012");
    const std::string text = printed(hmm, domain, 120);
    hmm.name = "m\n";
    CHECK(printed(hmm, domain, 120) == text);
}

TEST_CASE("blocks: the width holds names and coordinates, and at least 40 columns") {
    const std::string model(100, 'a');
    const ProfileHmm hmm = named_profile("model", model);
    HmmDomain domain;
    set_alignment(domain, 1, 1001, model, model, std::string(100, '9'));
    // 120 - 5 for the name - 2 * 4 for coordinates - 5 blanks = 102.
    CHECK(printed(hmm, domain, 120) == "  model    1 " + model + " 100 \n" +  //
                                           "             " + model + "\n" + "      t 1001 " + std::string(100, 'A') +
                                           " 1100\n" + "             " + std::string(100, '9') + " PP\n");
    CHECK(printed(hmm, domain, 0) == printed(hmm, domain, 120));
    const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
    CHECK(first_line(printed(hmm, domain, 117)) == "  model    1 " + model.substr(0, 99) + " 99  ");
    CHECK(printed(hmm, domain, 117)
              .ends_with("PP\n\n"
                         "  model  100 a 100 \n"
                         "             a\n"
                         "      t 1100 A 1100\n"
                         "             9 PP\n"));
    // A long name leaves 40 columns, whatever the width.
    const std::string name(110, 'n');
    CHECK(first_line(printed(hmm, domain, 120, name)) ==
          "  " + std::string(105, ' ') + "model    1 " + model.substr(0, 40) + " 40  ");
}

TEST_CASE("a block without residues has dashes for coordinates, one without nodes ends before it begins") {
    const std::string forty(40, 'a');
    const ProfileHmm hmm = named_profile("m", "a" + forty + forty + "c");
    HmmDomain deleted;
    set_alignment(deleted, 1, 8, "a" + forty + forty + "c", "A" + std::string(80, '-') + "C", std::string(82, '*'));
    const std::string name(120, 'n');
    CHECK(printed(hmm, deleted, 120, name).find(name + "  - " + std::string(40, '-') + "  -\n") != std::string::npos);

    HmmDomain inserted;
    set_alignment(inserted, 1, 8, "a" + std::string(80, '.') + "a", "A" + std::string(80, 'k') + "A",
                  std::string(82, '*'));
    CHECK(printed(hmm, inserted, 120, name).find("m  2 " + std::string(40, '.') + " 1 \n") != std::string::npos);
}
