#include "apps/common/command_line.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "apps/common/advice.h"
#include "formats/io/output_sink.h"
#include "formats/io/shown_text.h"

namespace warpseq {

Result<std::uint64_t> parse_size_bytes(std::string_view text, std::string_view option) {
    const auto refuse = [&](std::string_view why) {
        return Status::usage(std::string(option) + ": '" + std::string(text) + "' " + std::string(why) +
                             "; give a number of bytes, with K, M, G or T for powers of 1024, such as 4G");
    };
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0) return refuse("is not a size");
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    int shift = 0;
    if (!unit.empty()) {
        const std::string_view units = "kmgt";
        if (const auto place = units.find(lower(unit.front())); place != std::string_view::npos) {
            shift = 10 * (static_cast<int>(place) + 1);
            unit.remove_prefix(1);
            if (unit.size() == 2 && lower(unit.front()) == 'i') unit.remove_prefix(1);
        }
        if (unit.size() == 1 && lower(unit.front()) == 'b') unit.remove_prefix(1);
    }
    if (!unit.empty()) return refuse("has an unknown unit");
    const double bytes = std::ldexp(number, shift);
    if (bytes >= 0x1p63) return refuse("is too large");
    return static_cast<std::uint64_t>(bytes);
}

Status of_option(std::string_view option, const Status& status) {
    return Status(status.code(), std::string(option) + ": " + status.message()).with(status.advice());
}

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
    // No memory even for that. What the message was is less than that memory ran out.
    if (!printed.ok()) std::fprintf(stderr, "%.*s: out of memory\n", static_cast<int>(program.size()), program.data());
    return status.exit_status();
}

}  // namespace warpseq
