// The ISAM files of BLAST databases: sorted keys with the sequences' numbers, and an index of every
// n-th of them.
//
// Numbers are u32, big-endian. An index begins with nine of them: version 1, kind (0 of numbers, 2
// of texts), bytes of the data file, entries, pages, entries of a page, longest line (texts: 4096),
// 0, 0.
//   of numbers  data: key and sequence for each entry; index: of the first entry of each page the same, then 2^32 - 1, 0
//   of texts    data: lines "KEY 0x02 SEQUENCE LF"; index: where each page begins in the data, and where the data ends; where its
//               first key stands in the index, and where these end; those keys, each with a zero behind it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpseq {

struct IsamFiles {
    std::string index, data;
};

/// Builds the files of an index of (key, sequence) entries, in any order. There is at least one
/// entry.
IsamFiles isam_of_numbers(std::vector<std::pair<std::uint32_t, std::uint32_t>> entries);

/// Collects keys.
class IsamTexts {
   public:
    /// Adds a key of a sequence, which is added once.
    void add(std::string_view key, std::uint32_t sequence);
    bool empty() const { return lines_.empty(); }
    /// Returns the size of the data file.
    std::uint64_t data_bytes() const { return text_.size(); }
    IsamFiles files() const;
    void clear();

   private:
    std::string text_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> lines_;  // where, how long
};

void append_big_endian(std::uint32_t number, std::string& bytes);

}  // namespace warpseq
