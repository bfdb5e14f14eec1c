// Where a report goes: standard output, or a file that appears when it is whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/atomic_file.h"
#include "libcore/status.h"

namespace warpseq {

class OutputSink {
   public:
    /// Nothing: standard output. An existing file is replaced by the finished report.
    static Result<OutputSink> open(const std::optional<std::filesystem::path>& file);

    Status write(std::string_view text);
    /// Makes the file appear; reports what standard output refused.
    Status finish();

   private:
    std::optional<AtomicFile> file_;
};

}  // namespace warpseq
