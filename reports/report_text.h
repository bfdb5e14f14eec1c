// Text on its way to where a report goes: held back and handed over in large pieces, so that an
// error on the way leaves no partial report of usual size on standard output, and no report has to
// fit into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "formats/io/output_sink.h"
#include "libcore/base/status.h"

namespace warpseq {

class ReportText {
   public:
    static constexpr std::size_t kHeldBytes = std::size_t{64} << 20;

    /// Opens standard output where no file is given.
    static Result<ReportText> open(const std::optional<std::filesystem::path>& file,
                                   std::size_t held_bytes = kHeldBytes,
                                   ExistingFile existing = ExistingFile::kReplace) {
        auto sink = OutputSink::open(file, existing);
        if (!sink.ok()) return sink.status();
        return ReportText(*std::move(sink), held_bytes);
    }
    explicit ReportText(OutputSink sink, std::size_t held_bytes = kHeldBytes)
        : sink_(std::move(sink)), held_bytes_(held_bytes) {}

    /// What is appended here is written by and by.
    std::string& text() { return text_; }
    /// Likewise, a text that may be large.
    void add(std::string text) {
        if (text_.empty())
            text_ = std::move(text);
        else
            text_ += text;
    }
    /// To be called now and then.
    Status spill() { return text_.size() < held_bytes_ ? Status() : flush(); }
    Status flush() {
        const Status status = sink_.write(text_);
        text_.clear();
        return status;
    }
    /// After the last text: OutputSink::finish().
    Status finish() {
        WARPSEQ_TRY(flush());
        return sink_.finish();
    }

   private:
    OutputSink sink_;
    std::size_t held_bytes_;
    std::string text_;
};

}  // namespace warpseq
