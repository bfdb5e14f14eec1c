// What the outputs of a profile search say about the run, and how they are laid out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/alignments/alignment_format.h"
#include "formats/io/atomic_file.h"

namespace warpseq {

/// What outputs say of the program that writes them. Readers of HMMER's output go by it.
struct HmmReportProgram {
    std::string name = "search hmm";
    std::string banner = {};                // follows the name at the top of a report; empty: what the queries say
    std::vector<std::string> credits = {};  // the lines below that, without their "# "
    std::string version = {};               // in the last lines of a table
    std::string author = {};                // of alignments
    std::string folder = {}, date = {};     // in the last lines of a table; empty: no such lines
};
HmmReportProgram search_hmm_program();

struct HmmRun {
    HmmReportProgram program = search_hmm_program();
    bool scans_models = false;  // queries are sequences, and models are the targets
    std::string query_file;
    std::string database_names;  // files as given, separated by "; "
    std::string command_line;    // the program with all options that bear on results or output

    /// An option that bears on results or output, in the order of the help.
    struct Given {
        std::string name = {};               // with its dashes
        std::string value = {};              // as given; empty: it has none
        std::string label = {}, shown = {};  // the line about it at the top of a report: what it sets, and to what
        bool is_default = false;             // given, but with the text of the default: no line
        bool is_layout = false;              // says where outputs go and how they look, not what is found
    };
    std::vector<Given> given;

    // P-values up to which a target passes a filter.
    double msv_pvalue = 0.02, viterbi_pvalue = 1e-3, forward_pvalue = 1e-5;

    bool show_accessions = false;
    bool show_alignments = true;
    int text_width = 120;  // 0: no limit
    AlignmentFormat alignment_format = AlignmentFormat::kStockholm;
};

/// Where each output goes. The report goes to standard output where it has no file, the others
/// nowhere.
struct HmmOutputFiles {
    std::optional<std::filesystem::path> report;
    std::optional<std::filesystem::path> alignment, targets, domains, pfam;
    ExistingFile existing = ExistingFile::kReplace;
};

}  // namespace warpseq
