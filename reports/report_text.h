// ReportText: buffers the text of a report and writes it in large pieces. A report that is smaller
// than the buffer's limit is written when it is complete, so an error before that leaves no partial
// report on standard output. A larger report is written piece by piece and need not fit into
// memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "formats/io/output_sink.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The text of a report.
class ReportText {
   public:
    /// The default of `held_bytes`: from that many buffered bytes on, spill() writes them.
    static constexpr std::size_t kHeldBytes = std::size_t{64} << 20;

    /// Opens `file`, or standard output if no file is given.
    static Result<ReportText> open(const std::optional<std::filesystem::path>& file,
                                   std::size_t held_bytes = kHeldBytes,
                                   ExistingFile existing = ExistingFile::kReplace) {
        auto sink = OutputSink::open(file, existing);
        if (!sink.ok()) return sink.status();
        return ReportText(*std::move(sink), held_bytes);
    }
    explicit ReportText(OutputSink sink, std::size_t held_bytes = kHeldBytes)
        : sink_(std::move(sink)), held_bytes_(held_bytes) {}
    /// Returns a report that stays in memory. text() has all of it.
    static ReportText in_memory() { return {}; }

    /// Returns the buffer. The caller appends to it and calls spill() after each addition.
    std::string& text() { return text_; }
    /// Appends a text that may be large.
    void add(std::string text) {
        if (text_.empty())
            text_ = std::move(text);
        else
            text_ += text;
    }
    /// Writes the buffered text if it has `held_bytes` bytes or more.
    Status spill() { return text_.size() < held_bytes_ ? Status() : flush(); }
    /// Writes the buffered text.
    Status flush() {
        if (!sink_) return {};
        const Status status = sink_->write(text_);
        text_.clear();
        return status;
    }
    /// Writes the buffered text and ends the report (OutputSink::finish()), so that a file appears.
    /// Called after the last text.
    Status finish() {
        WARPSEQ_TRY(flush());
        return sink_ ? sink_->finish() : Status();
    }

   private:
    ReportText() = default;

    std::optional<OutputSink> sink_;  // nothing if the report stays in memory
    std::size_t held_bytes_ = kHeldBytes;
    std::string text_;
};

}  // namespace warpseq
