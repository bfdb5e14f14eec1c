// The lines of a text file, plain, gzip or zstd.
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

    /// "-" is standard input.
    static Result<TextLines> open(const std::filesystem::path& file) {
        auto source = ByteSource::open(file);
        if (!source.ok()) return source.status();
        return TextLines(*std::move(source));
    }

    /// The next line without its end, LF or CR LF, valid until the next call: true. False after the
    /// last one. A line above kLongestLineBytes is an error that names the file and the line.
    Result<bool> next(std::string_view& line);
    /// Of the line that next() has given, from 1.
    std::uint64_t number() const { return number_; }
    const std::string& name() const { return source_.name(); }
    /// "FILE: line N: WHAT"
    Status error(const std::string& what) const {
        return Status::invalid_input(name() + ": line " + std::to_string(number_) + ": " + what);
    }

   private:
    explicit TextLines(ByteSource source) : source_(std::move(source)) {}

    ByteSource source_;
    std::string_view block_;  // what is left of it
    std::string kept_;        // a line that goes over the end of a block
    std::uint64_t number_ = 0;
    bool at_end_ = false;
};

}  // namespace warpseq
