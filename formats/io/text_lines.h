// TextLines reads the lines of a text file, which is plain, gzip or zstd.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"

namespace warpseq {

class TextLines {
   public:
    static constexpr std::size_t kLongestLineBytes = std::size_t{1} << 20;

    /// Opens `file`. "-" is standard input.
    static Result<TextLines> open(const std::filesystem::path& file) {
        auto source = ByteSource::open(file);
        if (!source.ok()) return source.status();
        return TextLines(*std::move(source));
    }

    /// Gets the next line without its end (LF or CR LF), valid until the next call. Returns false
    /// after the last line. A line above kLongestLineBytes is an error that names the file and the
    /// line.
    Result<bool> next(std::string_view& line);
    /// Returns the number, from 1, of the line that next() returned last.
    std::uint64_t number() const { return number_; }
    const std::string& name() const { return source_.name(); }
    /// Returns the error "FILE: line N: WHAT" for the line that next() returned last.
    Status error(const std::string& what) const {
        return Status::invalid_input(name() + ": line " + std::to_string(number_) + ": " + what);
    }

   private:
    explicit TextLines(ByteSource source) : source_(std::move(source)) {}

    ByteSource source_;
    std::string_view block_;  // the part of the block that has not been returned
    std::string kept_;        // a line that continues in the next block
    std::uint64_t number_ = 0;
    bool at_end_ = false;
};

}  // namespace warpseq
