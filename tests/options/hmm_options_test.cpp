#include "options/hmm/hmm_options.h"

#include <doctest/doctest.h>

#include <cmath>

#include <array>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "options/arguments.h"
#include "options/option_set.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

Result<HmmOptions> read(std::vector<std::string> arguments) {
    std::vector<const char*> argv = {"hmm", "-q", "q.hmm", "-d", "d.wsdb"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    OptionSet options = make_hmm_options();
    const auto parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    if (!parsed.ok()) return parsed.status();
    return read_hmm_options(*parsed);
}

/// Checks that the words are refused as wrong usage, with a message that names each of `parts`.
void refuses(std::vector<std::string> arguments, std::initializer_list<std::string_view> parts) {
    const auto options = read(std::move(arguments));
    REQUIRE_FALSE(options.ok());
    CHECK(options.status().exit_status() == 2);
    INFO(options.status().message());
    for (const std::string_view part : parts) CHECK(options.status().message().find(part) != std::string::npos);
}

std::string header_lines(const HmmOptions& options) {
    std::string lines;
    for (const HmmRun::Given& given : options.run.given)
        if (!given.is_default) lines += given.label + " " + given.shown + "\n";
    return lines;
}

}  // namespace

TEST_CASE("defaults are hmmsearch's and phmmer's") {
    const auto options = read({});
    REQUIRE(options.ok());
    CHECK(options->thresholds.by_evalue);
    CHECK(options->thresholds.evalue == 10);
    CHECK(options->thresholds.domain_evalue == 10);
    CHECK(options->thresholds.include_evalue == 0.01);
    CHECK(options->thresholds.include_domain_evalue == 0.01);
    CHECK(options->run.msv_pvalue == 0.02);
    CHECK(options->run.viterbi_pvalue == 1e-3);
    CHECK(options->run.forward_pvalue == 1e-5);
    CHECK(options->bias_filter);
    CHECK(options->null2);
    CHECK(options->seed == 42);
    CHECK(options->run.text_width == 120);
    CHECK(options->run.show_alignments);
    CHECK_FALSE(options->run.show_accessions);
    CHECK_FALSE(options->targets_z);
    CHECK_FALSE(options->files.alignment);
    CHECK(options->gaps.open == 0.02);
    CHECK(options->gaps.extend == 0.4);
    CHECK(options->matrix.name() == "BLOSUM62");
    CHECK(options->run.given.empty());
    CHECK(options->run.command_line == "search hmm -q q.hmm -d d.wsdb");
}

TEST_CASE("every option is read") {
    const auto options = read(
        {"-E",      "1e-3",     "--domT",    "-7.5",        "--incT", "25",           "--incdomE", "0.5",      "--F1",
         "3",       "--F2",     "0.5",       "--F3",        "1e-9",   "--nobias",     "--nonull2", "-Z",       "1e6",
         "--domZ",  "12",       "--seed",    "7",           "--acc",  "--noali",      "--textw",   "150",      "-A",
         "a.sto",   "--tblout", "t",         "--domtblout", "d",      "--pfamtblout", "p",         "-o",       "out",
         "--popen", "0.01",     "--pextend", "0.3",         "--mx",   "PAM30",        "-d",        "more.wsdb"});
    REQUIRE(options.ok());
    CHECK(options->thresholds.evalue == 1e-3);
    CHECK(options->thresholds.by_evalue);
    CHECK_FALSE(options->thresholds.domain_by_evalue);
    CHECK(options->thresholds.domain_bits == -7.5);
    CHECK_FALSE(options->thresholds.include_by_evalue);
    CHECK(options->thresholds.include_bits == 25);
    CHECK(options->thresholds.include_domain_evalue == 0.5);
    CHECK(options->msv_pvalue == 1);
    CHECK(options->run.msv_pvalue == 1);
    CHECK(options->run.viterbi_pvalue == 0.5);
    CHECK(options->run.forward_pvalue == 1e-9);
    CHECK_FALSE(options->bias_filter);
    CHECK_FALSE(options->max_sensitivity);
    CHECK_FALSE(options->null2);
    CHECK(options->targets_z == 1e6);
    CHECK(options->domains_z == 12);
    CHECK(options->seed == 7);
    CHECK(options->run.show_accessions);
    CHECK_FALSE(options->run.show_alignments);
    CHECK(options->run.text_width == 150);
    CHECK(options->files.alignment == "a.sto");
    CHECK(options->files.targets == "t");
    CHECK(options->files.domains == "d");
    CHECK(options->files.pfam == "p");
    CHECK(options->common.output_file == "out");
    CHECK(options->gaps.open == 0.01);
    CHECK(options->gaps.extend == 0.3);
    CHECK(options->matrix.name() == "PAM30");
    CHECK(options->run.database_names == "d.wsdb; more.wsdb");
    CHECK(options->run.command_line ==
          "search hmm -o out -A a.sto --tblout t --domtblout d --pfamtblout p --acc --noali --textw 150 --popen 0.01 "
          "--pextend 0.3 --mx PAM30 -E 1e-3 --domT -7.5 --incT 25 --incdomE 0.5 --F1 3 --F2 0.5 --F3 1e-9 --nobias "
          "--nonull2 -Z 1e6 --domZ 12 --seed 7 -q q.hmm -d d.wsdb -d more.wsdb");
    CHECK(header_lines(*options) ==
          "output directed to file: out\n"
          "MSA of all hits saved to file: a.sto\n"
          "per-seq hits tabular output: t\n"
          "per-dom hits tabular output: d\n"
          "pfam-style tabular hit output: p\n"
          "prefer accessions over names: yes\n"
          "show alignments in output: no\n"
          "max ASCII text line length: 150\n"
          "gap open probability: 0.010000\n"
          "gap extend probability: 0.300000\n"
          "subst score matrix (built-in): PAM30\n"
          "sequence reporting threshold: E-value <= 0.001\n"
          "domain reporting threshold: score >= -7.5\n"
          "sequence inclusion threshold: score >= 25\n"
          "domain inclusion threshold: E-value <= 0.5\n"
          "MSV filter P threshold:       <= 3\n"
          "Vit filter P threshold:       <= 0.5\n"
          "Fwd filter P threshold:       <= 1e-09\n"
          "biased composition HMM filter: off\n"
          "null2 bias corrections: off\n"
          "sequence search space set to: 1000000\n"
          "domain search space set to: 12\n"
          "random number seed set to: 7\n");
}

TEST_CASE("numbers and lengths of calibration") {
    const auto options = read({"--EmL", "11", "--EmN", "12", "--EvL", "13", "--EvN", "14", "--EfL", "15", "--EfN", "16",
                               "--Eft", "0.25", "-Z", "9", "--nonull2"});
    REQUIRE(options.ok());
    const CalibrationSettings& settings = options->calibration;
    CHECK(settings.msv_residues == 11);
    CHECK(settings.msv_sequences == 12);
    CHECK(settings.viterbi_residues == 13);
    CHECK(settings.viterbi_sequences == 14);
    CHECK(settings.forward_residues == 15);
    CHECK(settings.forward_sequences == 16);
    CHECK(settings.forward_tail == 0.25);
    std::string order;
    for (const HmmRun::Given& given : options->run.given) order += given.name + " ";
    CHECK(order == "--nonull2 --EmL --EmN --EvL --EvN --EfL --EfN --Eft -Z ");
    CHECK(read({})->calibration.forward_sequences == 200);
}

TEST_CASE("--max, --notextw, --seed 0, and values that are the defaults") {
    const auto options = read({"--max", "--notextw", "--seed", "0", "--incE", "0.01", "--threads", "3"});
    REQUIRE(options.ok());
    CHECK(options->max_sensitivity);
    CHECK(options->run.msv_pvalue == 1);
    CHECK(options->run.viterbi_pvalue == 1);
    CHECK(options->run.forward_pvalue == 1);
    CHECK_FALSE(options->bias_filter);
    CHECK(options->run.text_width == 0);
    CHECK(options->seed == 0);
    CHECK(options->common.threads == 3);
    CHECK(header_lines(*options) ==
          "max ASCII text line length: unlimited\n"
          "Max sensitivity mode: on [all heuristic filters off]\n"
          "random number seed: one-time arbitrary\n");
    CHECK(options->run.command_line == "search hmm --notextw --incE 0.01 --max --seed 0 -q q.hmm -d d.wsdb");
}

TEST_CASE("values out of range") {
    for (const char* option : {"-E", "--domE", "--incE", "--incdomE", "-Z", "--domZ"}) {
        for (const char* value : {"0", "-1", "nan", "", "1x", "1,5", "e"}) refuses({option, value}, {option, value});
        CHECK(read({option, "1e-30"}).ok());
        CHECK(read({option, "inf"}).ok());
    }
    for (const char* option : {"-T", "--domT", "--incT", "--incdomT", "--F1", "--F2", "--F3"}) {
        for (const char* value : {"nan", "", "x"}) refuses({option, value}, {option, value});
        CHECK(read({option, "-3"}).ok());
    }
    for (const char* value : {"119", "0", "-150", "150.5", ""}) refuses({"--textw", value}, {"--textw", "120"});
    for (const char* value : {"-1", "1.5", "4294967296", "99999999999", "x"}) refuses({"--seed", value}, {"--seed"});
    CHECK(read({"--seed", "4294967295"})->seed == 4'294'967'295);
    CHECK(read({"--seed", "+010"})->seed == 10);
    CHECK(read({"-E", "0x10"})->thresholds.evalue == 16);
    CHECK(read({"-Z", "1e400"})->targets_z == HUGE_VAL);
    for (const char* value : {"0.5", "-0.1", "nan"}) refuses({"--popen", value}, {"--popen", "0.5"});
    for (const char* value : {"1", "-0.1", "nan"}) refuses({"--pextend", value}, {"--pextend"});
    for (const char* option : {"--EmL", "--EmN", "--EvL", "--EvN", "--EfL", "--EfN"}) {
        for (const char* value : {"0", "-1", "1.5", "2147483648", "x"}) refuses({option, value}, {option, value});
    }
    for (const char* value : {"0", "1", "nan"}) refuses({"--Eft", value}, {"--Eft", value});
    refuses({"--mx", "BLOSUM61"}, {"--mx", "BLOSUM61", "BLOSUM62", "--mxfile"});
}

TEST_CASE("options that exclude each other") {
    const std::array<std::vector<std::string>, 11> options = {{{"-E", "1"},
                                                               {"-T", "1"},
                                                               {"--domE", "1"},
                                                               {"--domT", "1"},
                                                               {"--incE", "1"},
                                                               {"--incT", "1"},
                                                               {"--incdomE", "1"},
                                                               {"--incdomT", "1"},
                                                               {"--cut_ga"},
                                                               {"--cut_nc"},
                                                               {"--cut_tc"}}};
    for (std::size_t i = 0; i < options.size(); ++i) {
        for (std::size_t j = i + 1; j < options.size(); ++j) {
            std::vector<std::string> both = options[j];
            both.insert(both.end(), options[i].begin(), options[i].end());
            // Test each E-value with its own score, and every cutoff with everything.
            if (j >= 8 || (i % 2 == 0 && j == i + 1)) {
                refuses(both, {options[i].front(), options[j].front(), "exclude"});
            } else {
                CHECK(read(both).ok());
            }
        }
    }
    for (const char* option : {"--F1", "--F2", "--F3"}) refuses({"--max", option, "0.1"}, {"--max", option});
    refuses({"--nobias", "--max"}, {"--max", "--nobias"});
    refuses({"--notextw", "--textw", "130"}, {"--textw", "--notextw"});
    refuses({"--mx", "PAM30", "--mxfile", "x"}, {"--mx", "--mxfile"});
}

TEST_CASE("no file is written twice, or over what is read") {
    refuses({"-o", "x", "-A", "./x"}, {"-o", "-A", "x"});
    refuses({"--pfamtblout", "q.hmm"}, {"--pfamtblout", "-q"});
    refuses({"-A", "d.wsdb"}, {"-A", "-d"});
    CHECK(read({"-o", "/dev/null", "--tblout", "/dev/null", "-A", "a"}).ok());

    const testing::ScratchFolder folder;
    const auto file = folder.write("report", "old");
    const auto link = folder.path("link");
    std::filesystem::create_symlink(file, link);
    refuses({"-o", file.string(), "--tblout", link.string()}, {"-o", "--tblout"});
    std::filesystem::create_directory(folder.path("sub"));
    refuses({"--tblout", folder.path("x").string(), "--domtblout", folder.path("sub/../x").string()},
            {"--tblout", "--domtblout"});
}

TEST_CASE("values that the common options refuse, and unknown options") {
    OptionSet options = make_hmm_options();
    const char* const no_query[] = {"hmm", "-d", "d"};
    const auto parsed = options.parse(3, no_query);
    REQUIRE(parsed.ok());
    CHECK(read_hmm_options(*parsed).status().exit_status() == 2);
    refuses({"--evaluate", "1"}, {"evaluate"});
    refuses({"-E", "1", "--evalue", "2"}, {"-E", "more than once"});
    refuses({"-E", "1", "-E", "2"}, {"-E", "more than once"});
    refuses({"-q", "other.hmm"}, {"--query", "more than once"});
    refuses({"--acc", "--acc"}, {"--acc", "more than once"});
    refuses({"--threads", "0"}, {"--threads"});
}

TEST_CASE("the help has every option once, in groups") {
    const std::string help = make_hmm_options().help();
    for (const char* option :
         {"-q, --query",  "  -A FILE",  "--tblout FILE",  "--domtblout", "--pfamtblout", "--acc",     "--noali",
          "--notextw",    "--textw N",  "-E, --evalue X", "  -T X",      "--domE",       "--domT",    "--incE",
          "--incT",       "--incdomE",  "--incdomT",      "--cut_ga",    "--cut_nc",     "--cut_tc",  "--max",
          "--F1",         "--F2",       "--F3",           "--nobias",    "--nonull2",    "  -Z X",    "--domZ",
          "--seed",       "--popen",    "--pextend",      "--mx NAME",   "--mxfile",     "--threads", "--device ",
          "--chunk-size", "-h, --help", "--version"}) {
        INFO(option);
        const auto place = help.find(option);
        CHECK(place != std::string::npos);
        CHECK(help.find(option, place + 1) == std::string::npos);
    }
    CHECK(help.find("Input and output options") < help.find("Reporting options"));
    CHECK(help.find("Sequence query options") < help.find("Machine options"));
}

TEST_CASE("a matrix of a file; one that is missing is no wrong usage") {
    const testing::ScratchFolder folder;
    const std::string absent = folder.path("absent").string();
    const auto missing = read({"--mxfile", absent});
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.status().exit_status() == 1);
    CHECK(missing.status().message().find(absent) != std::string::npos);

    std::string text = " ";
    const std::string_view letters = kResidueLetters.substr(0, kAminoAcids);
    for (const char letter : letters) text += std::string(" ") + letter;
    for (const char row : letters) {
        text += std::string("\n") + row;
        for (const char column : letters) text += row == column ? " 5" : " -1";
    }
    const auto options = read({"--mxfile", folder.write("MY", text + "\n").string()});
    REQUIRE(options.ok());
    CHECK(options->matrix.score_raw(0, 0) == 5);
}

TEST_CASE("thresholds of a profile are the options', or the cutoffs it brings") {
    ProfileHmm hmm;
    hmm.name = "PF1";
    hmm.gathering = ScoreCutoffs{21.5F, 20};
    hmm.trusted = ScoreCutoffs{31, 30};
    const auto by_options = thresholds_for(*read({"-E", "3"}), hmm);
    REQUIRE(by_options.ok());
    CHECK(by_options->evalue == 3);

    const auto gathering = thresholds_for(*read({"--cut_ga"}), hmm);
    REQUIRE(gathering.ok());
    CHECK_FALSE(gathering->by_evalue);
    CHECK_FALSE(gathering->domain_by_evalue);
    CHECK_FALSE(gathering->include_by_evalue);
    CHECK_FALSE(gathering->include_domain_by_evalue);
    CHECK(gathering->bits == 21.5);
    CHECK(gathering->include_bits == 21.5);
    CHECK(gathering->domain_bits == 20);
    CHECK(gathering->include_domain_bits == 20);
    CHECK(thresholds_for(*read({"--cut_tc"}), hmm)->domain_bits == 30);

    const auto noise = thresholds_for(*read({"--cut_nc"}), hmm);
    REQUIRE_FALSE(noise.ok());
    CHECK(noise.status().exit_status() == 1);
    for (const char* part : {"q.hmm", "PF1", "NC", "--cut_nc"})
        CHECK(noise.status().message().find(part) != std::string::npos);
}
