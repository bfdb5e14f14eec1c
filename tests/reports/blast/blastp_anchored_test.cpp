// All alignments of a query in one picture. The expected text is what blastp 2.12 prints for such
// alignments. tests/cli/blast/dropin_blast_test.sh compares whole reports with it.
#include "reports/blast/blastp_anchored.h"

#include <doctest/doctest.h>

#include <vector>

#include "libcore/sequence/alphabet.h"

using namespace warpseq;

namespace {

using enum AlignmentOperation;

struct Example {
    BlastpQuery query;
    std::vector<Hsp> hsps;
    std::vector<std::vector<ResidueCode>> targets;
    std::vector<AnchoredRow> rows;
    AnchoredStyle style{.query_label = "Query_1"};

    explicit Example(std::string_view residues) {
        query.residues = encode_residues(residues);
        hsps.reserve(8);
        targets.reserve(8);
    }
    void add(std::string label, std::uint64_t query_begin, std::uint64_t target_begin, std::string_view target,
             std::vector<AlignmentRun> runs) {
        std::uint64_t query_end = query_begin;
        for (const AlignmentRun& run : runs)
            if (run.operation != kDelete) query_end += run.length;
        targets.push_back(encode_residues(target));
        hsps.push_back({50, query_begin, query_end, target_begin, target_begin + targets.back().size(), 0, 0, 1e-5,
                        std::move(runs)});
        rows.push_back({std::move(label), &hsps.back(), targets.back()});
    }
    std::string text() const {
        std::string out;
        append_anchored_alignments(query, rows, style, out);
        return out;
    }
};

/// Returns an example with an insertion of three residues, an insertion of one, a deletion, and a
/// row that begins in the second line.
Example mixed() {
    Example example("MKTAYIAKQRQISFVKSHFS");
    example.add("1", 0, 0, "MKTAYWWWIAKQRQISFVKSHFS", {{kMatch, 5}, {kDelete, 3}, {kMatch, 15}});
    example.add("22", 1, 8, "KTAYPIAKQRSF", {{kMatch, 4}, {kDelete, 1}, {kMatch, 5}, {kInsert, 2}, {kMatch, 2}});
    example.add("3", 12, 99, "SLVKSH", {{kMatch, 6}});
    example.style.line_length = 12;
    return example;
}

}  // namespace

TEST_CASE("nothing without alignments") { CHECK(Example("MK").text().empty()); }

TEST_CASE("letters, with insertions in columns of their own") {
    Example example = mixed();
    example.style.is_flat = true;
    CHECK(example.text() ==
          "Query_1  1    MKTAY---IAKQ  9\n"
          "1        1    MKTAYWWWIAKQ  12\n"
          "22       9     KTAYP--IAKQ  17\n"
          "\n"
          "Query_1  10   RQISFVKSHFS  20\n"
          "1        13   RQISFVKSHFS  23\n"
          "22       18   R--SF        20\n"
          "3        100     SLVKSH    105\n"
          "\n");
}

TEST_CASE("points, with insertions in lines of their own") {
    Example example = mixed();
    example.style.has_points = true;
    CHECK(example.text() ==
          "Query_1  1    MKTAYIAKQRQI  12\n"
          "1        1    ............  15\n"
          "                   \\      \n"
          "                   |      \n"
          "                 WWW\n"
          "22       9     .........--  18\n"
          "                   \\      \n"
          "                   |      \n"
          "                   P\n"
          "\n"
          "Query_1  13   SFVKSHFS  20\n"
          "1        16   ........  23\n"
          "22       19   ..        20\n"
          "3        100  .L....    105\n"
          "\n");
}

TEST_CASE("positions count in whole targets") {
    Example example = mixed();
    example.style.target_begin = 1000;
    const std::string text = example.text();
    CHECK(text.find("\n1        1001  MKTAYIAKQRQI  1015\n") != std::string::npos);
    CHECK(text.find("\n3        1100  SLVKSH    1105\n") != std::string::npos);
    example.style.is_flat = true;
    CHECK(example.text().find("\n1        1001  MKTAYWWWIAKQ  1012\n") != std::string::npos);
}

TEST_CASE("insertions that leave each other no room stand in further lines") {
    Example example("MKTAYIAKQR");
    example.add("1", 0, 0, "MKTWAYPPPPIAVKQR",
                {{kMatch, 3}, {kDelete, 1}, {kMatch, 2}, {kDelete, 4}, {kMatch, 2}, {kDelete, 1}, {kMatch, 3}});
    CHECK(example.text() ==
          "Query_1  1   MKTAYIAKQR  10\n"
          "1        1   MKTAYIAKQR  16\n"
          "                \\ \\ \\  \n"
          "                | | |  \n"
          "                W PPPP\n"
          "                    |  \n"
          "                    V\n"
          "\n");
}

TEST_CASE("masked residues are lower-case letters, grey in HTML; positions count in the whole query") {
    Example example("MKTAYIAKQR");
    example.query.masked = {{2, 4}, {7, 10}};
    example.add("1", 0, 0, "MKTAYIAKQR", {{kMatch, 10}});
    example.style.query_begin = 90;
    example.style.line_length = 8;
    const std::string rest = "1        1   MKTAYIAK  8\n\n";
    CHECK(example.text().starts_with("Query_1  91  MKtaYIAk  98\n" + rest + "Query_1  99  qr  100\n"));
    example.style.is_html = true;
    CHECK(example.text().starts_with(
        "Query_1  91  MK<font color=\"#000000\">ta</font>YIA<font color=\"#000000\">k</font>  98\n" + rest));
}

TEST_CASE("residues that no alignment has are the query's alone, between alignments but not beyond them") {
    Example example("MKTAYIAKQRQISFVKSHFS");
    example.add("1", 2, 0, "TAY", {{kMatch, 3}});
    example.add("2", 15, 0, "KSH", {{kMatch, 3}});
    example.style.line_length = 6;
    CHECK(example.text() ==
          "Query_1  3   TAYIAK  8\n"
          "1        1   TAY     3\n"
          "\n"
          "Query_1  9   QRQISF  14\n"
          "\n"
          "Query_1  15  VKSH  18\n"
          "2        1    KSH  3\n"
          "\n");
}

TEST_CASE("between two pairs insertions stand right before the second, behind the columns of deletions") {
    Example example("MKTAYIAKQRQI");
    example.add("1", 0, 0, "MKTAWWWKQRQI", {{kMatch, 4}, {kDelete, 3}, {kInsert, 3}, {kMatch, 5}});
    example.add("2", 0, 0, "MKTAWWPKQRQI", {{kMatch, 4}, {kDelete, 2}, {kInsert, 3}, {kDelete, 1}, {kMatch, 5}});
    example.style.is_flat = true;
    CHECK(example.text() ==
          "Query_1  1   MKTAYIA---KQRQI  12\n"
          "1        1   MKTA---WWWKQRQI  12\n"
          "2        1   MKTA---WWPKQRQI  12\n"
          "\n");
    example.style.is_flat = false;
    CHECK(example.text() ==
          "Query_1  1   MKTAYIAKQRQI  12\n"
          "1        1   MKTA---KQRQI  12\n"
          "                    \\    \n"
          "                    |    \n"
          "                  WWW\n"
          "2        1   MKTA---KQRQI  12\n"
          "                    \\    \n"
          "                    |    \n"
          "                  WWP\n"
          "\n");
}
