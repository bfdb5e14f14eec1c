// OutputSink: the destination of a report, which is standard output or a file. A file appears only
// when the report is complete. The content of an existing file that is written into (ExistingFile)
// also changes only then.
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
    /// Opens the file, or standard output if no file is given.
    static Result<OutputSink> open(const std::optional<std::filesystem::path>& file,
                                   ExistingFile existing = ExistingFile::kReplace);
    /// Does the same with a choice of two treatments: kReplace if `replace` is true, else kRefuse.
    static Result<OutputSink> open(const std::optional<std::filesystem::path>& file, bool replace) {
        return open(file, replace ? ExistingFile::kReplace : ExistingFile::kRefuse);
    }

    /// Writes text. On a terminal, characters that it would act on are written as '?'
    /// (formats/io/shown_text.h). Any other output gets the bytes unchanged.
    Status write(std::string_view text);
    /// Whether anything was written. If nothing was, and the sink is destroyed without finish(), a
    /// file stays as it was.
    bool has_written() const { return file_.size_bytes() > 0 || !cut_.empty(); }
    /// Ends the report, which makes the file appear. Returns an error if standard output refused
    /// text.
    Status finish();

   private:
    explicit OutputSink(AtomicFile file) : file_(std::move(file)), to_terminal_(file_.is_terminal()) {}
    Status write_bytes(std::string_view text);

    AtomicFile file_;
    bool to_terminal_;
    std::string cut_;  // for a terminal: the beginning of a character whose rest comes with the next text
};

}  // namespace warpseq
