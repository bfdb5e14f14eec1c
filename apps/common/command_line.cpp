#include "apps/common/command_line.h"

#include <cstdio>

#include "apps/common/advice.h"
#include "formats/io/output_sink.h"
#include "formats/io/shown_text.h"

namespace warpseq {

void print_message(std::string_view program, std::string_view message) {
    const std::string line = for_terminal(std::string(program) + ": " + std::string(message)) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

Status print(std::string_view text) {
    auto output = OutputSink::open(std::nullopt);
    if (!output.ok()) return output.status();
    WARPSEQ_TRY(output->write(text));
    return output->finish();
}

int report_status(std::string_view program, const Status& status) {
    if (status.ok()) return 0;
    const Status printed =
        guarded([&] { print_message(program, status.message() + std::string(advice_text(status.advice()))); });
    // There was no memory even for printing the message. That memory ran out matters more than the
    // message.
    if (!printed.ok()) std::fprintf(stderr, "%.*s: out of memory\n", static_cast<int>(program.size()), program.data());
    return status.exit_status();
}

}  // namespace warpseq
