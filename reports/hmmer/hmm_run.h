// Describes a run of a profile search for its outputs, and how they are laid out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/alignments/alignment_format.h"
#include "formats/io/atomic_file.h"

namespace warpseq {

/// The program's name and other texts in its outputs. Readers of HMMER's output rely on them.
struct HmmReportProgram {
    std::string name = "search hmm";
    std::string banner = {};                // text after the name in a report; if empty, one about the queries
    std::vector<std::string> credits = {};  // the lines below the name, without their "# "
    std::string version = {};               // shown in the last lines of a table
    std::string author = {};                // author of alignments
    std::string folder = {}, date = {};     // shown in the last lines of a table; if empty, the lines are left out
};
/// Returns the texts of the program `search hmm`.
HmmReportProgram search_hmm_program();

/// A run of a profile search.
struct HmmRun {
    HmmReportProgram program = search_hmm_program();
    bool scans_models = false;  // whether the queries are sequences and the targets are models
    std::string query_file;
    std::string database_names;  // names of the files as given, separated by "; "
    std::string command_line;    // the program with all options that affect results or output
    std::size_t outputs_at = 0;  // place in command_line where options that name outputs would stand

    /// An option that was given and affects results or output. Options are in the order of the
    /// help.
    struct Given {
        std::string name = {};               // with its dashes
        std::string value = {};              // as given; empty if the option has none
        std::string label = {}, shown = {};  // name and value of the setting in the line at the top of a report
        bool is_default = false;             // whether the given text is the default, in which case it gets no line
        bool is_layout = false;              // whether it sets where outputs go or how they look, not the hits
    };
    std::vector<Given> given;

    // The highest P-values with which a target passes the filters.
    double msv_pvalue = 0.02, viterbi_pvalue = 1e-3, forward_pvalue = 1e-5;

    bool show_accessions = false;
    bool show_alignments = true;
    int text_width = 120;  // 0 if there is no limit
    AlignmentFormat alignment_format = AlignmentFormat::kStockholm;
};

/// The files of the outputs. Without a file the report goes to standard output, and another output
/// is not written.
struct HmmOutputFiles {
    std::optional<std::filesystem::path> report;
    std::optional<std::filesystem::path> alignment, targets, domains, pfam;
    ExistingFile existing = ExistingFile::kReplace;
};

}  // namespace warpseq
