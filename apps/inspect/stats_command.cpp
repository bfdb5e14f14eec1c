// `inspect stats`: prints composition, lengths, and how well the tiles are filled.
#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/inspect/commands.h"
#include "apps/inspect/one_database.h"
#include "apps/inspect/text_output.h"
#include "options/inspect/inspect_options.h"
#include "options/inspect/inspect_run.h"
#include "reports/inspect/database_stats.h"

namespace warpseq {

Status run_stats_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    const auto reader = open_as_one(arguments->database, *arguments, "inspect stats");
    if (!reader.ok()) return reader.status();
    const auto figures = database_figures(*reader);
    if (!figures.ok()) return figures.status();
    TerminalObserver observer("inspect stats", false);
    const auto content = read_content_stats(*reader, *arguments, ThreadPool(arguments->threads), observer);
    if (!content.ok()) return content.status();
    const auto text = arguments->json ? database_stats_json(*reader, *figures, *content)
                                      : database_stats_text(*reader, *figures, *content, terminal_columns());
    if (!text.ok()) return text.status();
    return print(*text);
}

}  // namespace warpseq
