// Builds the ISAM files of BLAST databases. A data file has sorted keys with the sequences'
// numbers. An index file has the first entry of each page of the data.
//
// Numbers are u32, big-endian. An index file begins with nine of them:
//
//   version        1.
//   kind           0 if keys are numbers, 2 if they are texts.
//   data           bytes of the data file.
//   entries        number of entries.
//   pages          number of pages.
//   page           entries of a page.
//   longest line   4096 if keys are texts, else 0.
//   zeros          two numbers.
//
// If keys are numbers:
//
//   data file      key and sequence of each entry.
//   index file     key and sequence of the first entry of each page; 2^32 - 1; 0.
//
// If keys are texts:
//
//   data file      a line for each entry: KEY 0x02 SEQUENCE LF.
//   index file     three parts:
//     pages        where each page begins in the data file, and where the data ends.
//     places       where the first line of each page is in the index file, and where they end.
//     lines        the first line of each page, with a zero byte in place of LF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpseq {

/// The contents of an index file and its data file.
struct IsamFiles {
    std::string index, data;
};

/// Returns the files for entries (key, sequence), whose keys are numbers. The entries may have any
/// order. There must be at least one.
IsamFiles isam_of_numbers(std::vector<std::pair<std::uint32_t, std::uint32_t>> entries);

/// A collector of entries whose keys are texts.
class IsamTexts {
   public:
    /// Adds a key of a sequence. The caller must not add the same key of a sequence twice.
    void add(std::string_view key, std::uint32_t sequence);
    bool empty() const { return lines_.empty(); }
    /// Returns the size of the data file.
    std::uint64_t data_bytes() const { return text_.size(); }
    /// Returns the files for all entries that were added.
    IsamFiles files() const;
    void clear();

   private:
    std::string text_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> lines_;  // offset and length in text_
};

/// Appends `number` to `bytes` as four bytes, big-endian.
void append_big_endian(std::uint32_t number, std::string& bytes);

}  // namespace warpseq
