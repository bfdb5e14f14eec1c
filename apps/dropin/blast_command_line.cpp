#include "apps/dropin/blast_command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "apps/common/advice.h"
#include "apps/common/command_line.h"
#include "formats/io/output_sink.h"
#include "formats/io/shown_text.h"
#include "libcore/base/version.h"
#include "options/arguments.h"

namespace warpseq {

int end_blast_program(const BlastEnding& ending) {
    if (!ending.error.empty()) return blast_failure(kBlastWrongInput, ending.error);
    return report_blast_status(guarded([&] { return print(ending.output); }));
}

int blast_failure(int exit_status, const std::string& message) {
    const std::string line = for_terminal(message) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    return exit_status;
}

int blast_exception(const std::string& message) { return blast_failure(kBlastException, "Error: " + message); }

int blast_options_error(const std::string& message) {
    return blast_failure(kBlastWrongInput,
                         "BLAST query/options error: " + message + "\nPlease refer to the BLAST+ user manual.");
}

std::string blast_inaccessible_text(const std::string& option, const std::string& file) {
    return "Argument \"" + option + "\". File is not accessible" + (file.empty() ? "" : ":  `" + file + "'");
}

int blast_inaccessible(const std::string& option, const std::string& file) {
    return blast_failure(kBlastWrongInput, "Command line argument error: " + blast_inaccessible_text(option, file));
}

void log_blast_messages(const std::string& file) {
    if (file == "-") return;
    constexpr mode_t kForAll = 0666;
    // Without a name, the messages are lost, as NCBI's programs lose them. A pipe without a reader
    // must not stop the program.
    const int log = open(file.empty() ? "/dev/null" : file.c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, kForAll);
    if (log < 0) return;
    fcntl(log, F_SETFL, O_APPEND);
    dup2(log, STDERR_FILENO);
    close(log);
}

int report_blast_status(const Status& status) {
    if (status.ok()) return 0;
    // Messages of `search` name options with two dashes. BLAST+'s options have the same names, but
    // one dash.
    std::string message = status.message() + std::string(advice_text(status.advice()));
    for (std::size_t at = 0; (at = message.find("--", at)) != std::string::npos; ++at) {
        const bool begins_name = (at == 0 || message[at - 1] == ' ' || message[at - 1] == '(') &&
                                 at + 2 < message.size() &&
                                 std::isalpha(static_cast<unsigned char>(message[at + 2])) != 0;
        if (begins_name) message.erase(at, 1);
    }
    switch (status.code()) {
        case StatusCode::kOutOfMemory: return blast_failure(kBlastOutOfMemory, "BLAST engine error: " + message);
        case StatusCode::kUnavailable: return blast_failure(kBlastEngineError, "BLAST engine error: " + message);
        case StatusCode::kUsage: return blast_options_error(message);
        default: return blast_failure(kBlastWrongInput, "Error: " + message);
    }
}

std::string left_out_lines(const FastaLeftOut& left_out) {
    const std::string line = std::to_string(left_out.line);
    std::string lines;
    if (left_out.has_hyphens)
        lines = "CFastaReader: Hyphens are invalid and will be ignored around line " + line + "\n";
    std::string columns;
    for (const auto& [first, last] : left_out.columns) {
        columns += (columns.empty() ? "" : ", ") + std::to_string(first);
        if (last > first) columns += "-" + std::to_string(last);
    }
    if (!columns.empty())
        lines += "FASTA-Reader: Ignoring invalid residues at position(s): On line " + line + ": " + columns + "\n";
    return lines;
}

bool blast_can_write(const std::string& file) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    return !file.empty() && !std::filesystem::is_directory(file, error) &&
           (folder.empty() || std::filesystem::is_directory(folder, error));
}

bool blast_can_read(const std::string& file) { return file == "-" || access(file.c_str(), R_OK) == 0; }

}  // namespace warpseq
