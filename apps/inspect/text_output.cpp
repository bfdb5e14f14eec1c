// Buffered writing with every error seen, the last one of a pipe or a full disk among them.
#include "apps/inspect/text_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpseq {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

Result<TextOutput> TextOutput::open(const std::optional<std::filesystem::path>& file, bool replace) {
    TextOutput output;
    if (file) {
        auto opened = AtomicFile::create(*file, replace);
        if (!opened.ok()) return opened.status();
        output.file_ = *std::move(opened);
    }
    return output;
}

Status TextOutput::write(std::string_view text) {
    waiting_ += text;
    return waiting_.size() >= kBufferBytes ? flush() : Status();
}

Status TextOutput::flush() {
    std::string_view text = waiting_;
    if (file_) {
        WARPSEQ_TRY(file_->append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
        text = {};
    }
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return Status::io(std::string("standard output: cannot write: ") + std::strerror(errno));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    waiting_.clear();
    return {};
}

Status TextOutput::finish() {
    WARPSEQ_TRY(flush());
    return file_ ? file_->commit() : Status();
}

Status print(std::string_view text) {
    auto output = TextOutput::open(std::nullopt, false);
    if (!output.ok()) return output.status();
    WARPSEQ_TRY(output->write(text));
    return output->finish();
}

std::size_t terminal_columns() {
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 80;
    return std::max<std::size_t>(window.ws_col, 40);
}

std::string bar(double fraction, std::size_t columns) {
    const double filled = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(columns);
    const auto whole = static_cast<std::size_t>(std::lround(filled));
    return std::string(fraction > 0 ? std::max<std::size_t>(whole, 1) : 0, '#');
}

std::string percentage(double part, double whole) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f %%", whole > 0 ? 100 * part / whole : 0.0);
    return text.data();
}

}  // namespace warpseq
