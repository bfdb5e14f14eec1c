// The destination of a report: standard output or a file. A new file appears, or an existing one is
// written into (ExistingFile), only when the report is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"

namespace warpseq {

class OutputSink {
   public:
    /// Opens standard output where no file is given.
    static Result<OutputSink> open(const std::optional<std::filesystem::path>& file,
                                   ExistingFile existing = ExistingFile::kReplace);
    /// The same. With `replace` false an existing file is an error.
    static Result<OutputSink> open(const std::optional<std::filesystem::path>& file, bool replace) {
        return open(file, replace ? ExistingFile::kReplace : ExistingFile::kRefuse);
    }

    /// A terminal is shown '?' for characters that it would act on (formats/io/shown_text.h);
    /// everything else gets the bytes.
    Status write(std::string_view text);
    /// Whether anything was written. If not, and the sink goes without finish(), a file stays as it
    /// was.
    bool has_written() const { return file_.size_bytes() > 0 || !cut_.empty(); }
    /// Makes the file appear; reports what standard output refused.
    Status finish();

   private:
    explicit OutputSink(AtomicFile file) : file_(std::move(file)), to_terminal_(file_.is_terminal()) {}
    Status write_bytes(std::string_view text);

    AtomicFile file_;
    bool to_terminal_;
    std::string cut_;  // to a terminal: the beginning of a character whose rest is in the next text
};

}  // namespace warpseq
