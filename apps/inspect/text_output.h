// Text on its way to standard output, or to a file that appears when it is whole; and how wide a terminal is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "formats/atomic_file.h"
#include "libcore/status.h"

namespace warpseq {

class TextOutput {
   public:
    /// No file: standard output. With `replace` false an existing file is an error.
    static Result<TextOutput> open(const std::optional<std::filesystem::path>& file, bool replace);

    Status write(std::string_view text);
    /// Writes what is still in memory, makes the file appear; reports what standard output refused.
    Status finish();

   private:
    Status flush();
    std::optional<AtomicFile> file_;
    std::string waiting_;
};

/// Text for standard output at once.
Status print(std::string_view text);

/// Columns of the terminal on standard output, 80 where it is none; at least 40.
std::size_t terminal_columns();

/// `fraction` (0 to 1) of `columns` as '#', at least one where it is above 0.
std::string bar(double fraction, std::size_t columns);

/// "12.3 %"
std::string percentage(double part, double whole);

}  // namespace warpseq
