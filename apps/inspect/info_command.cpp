// `inspect info`: describes a database by its header, its section table and its provenance.
#include "apps/common/command_line.h"
#include "apps/inspect/commands.h"
#include "options/inspect/inspect_options.h"
#include "reports/inspect/database_info.h"

namespace warpseq {

Status run_info_command(int argc, char** argv) {
    const auto arguments = parse_inspect_arguments(argc, argv);
    if (!arguments.ok()) return arguments.status();
    if (!arguments->help.empty()) return print(arguments->help);
    const auto info = database_info(arguments->database, arguments->json);
    if (!info.ok()) return info.status();
    return print(*info);
}

}  // namespace warpseq
