#include "formats/io/output_sink.h"

#include <unistd.h>

#include <utility>

#include "formats/io/shown_text.h"

namespace warpseq {

Result<OutputSink> OutputSink::open(const std::optional<std::filesystem::path>& file, ExistingFile existing) {
    auto opened =
        file ? AtomicFile::create(*file, existing) : AtomicFile::of_descriptor(STDOUT_FILENO, "standard output");
    if (!opened.ok()) return opened.status();
    return OutputSink(*std::move(opened));
}

Status OutputSink::write_bytes(std::string_view text) {
    return file_.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Status OutputSink::write(std::string_view text) {
    if (!to_terminal_) return write_bytes(text);
    std::string shown;
    const std::string whole = std::exchange(cut_, {}) + std::string(text);
    const std::size_t cut_bytes = append_for_terminal(shown, whole);
    cut_ = whole.substr(whole.size() - cut_bytes);
    return write_bytes(shown);
}

Status OutputSink::finish() {
    if (!cut_.empty()) WARPSEQ_TRY(write_bytes(for_terminal(cut_)));
    return file_.commit();
}

}  // namespace warpseq
