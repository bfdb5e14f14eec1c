#include "apps/search/output_sink.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace warpseq {

Result<OutputSink> OutputSink::open(const std::optional<std::filesystem::path>& file) {
    OutputSink sink;
    if (file) {
        auto opened = AtomicFile::create(*file, true);
        if (!opened.ok()) return opened.status();
        sink.file_ = *std::move(opened);
    }
    return sink;
}

Status OutputSink::write(std::string_view text) {
    if (file_) return file_->append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return Status::io(std::string("standard output: cannot write: ") + std::strerror(errno));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Status OutputSink::finish() { return file_ ? file_->commit() : Status(); }

}  // namespace warpseq
