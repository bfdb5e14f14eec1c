// Sequences on their way into a writer, packed and hashed by whichever thread has read them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

/// Where the parts of a record are that sorting takes for bytes: its words, which have no
/// alignment, the hash of its residues, its header line, and where any is known, behind a line
/// feed, which no header holds, the taxonomy IDs of its definition lines. The number of residues
/// stands elsewhere, and so does the size of the whole.
struct RecordView {
    std::span<const std::uint8_t> words;  // as words_for() has them, the last one filled up with padding
    std::uint64_t residues_hash = 0;      // XXH3-64 of the residue codes
    std::string_view header;
    std::span<const std::uint8_t> taxids;  // u32 without alignment, one for each definition line; or none

    std::uint32_t taxid(std::size_t line) const;
    bool has_taxids() const { return !taxids.empty(); }
};
/// How many definition lines a header has, which Ctrl-A separates: at least one.
std::size_t count_deflines(std::string_view header);
constexpr std::uint64_t size_of_record(std::uint64_t residues, std::uint64_t header_bytes) {
    return words_for(residues) * sizeof(std::uint32_t) + sizeof(std::uint64_t) + header_bytes;
}
RecordView view_of_record(std::span<const std::uint8_t> record, std::uint64_t residues);

class RecordBatch {
   public:
    /// Of a record that comes in its place in the input.
    static constexpr std::uint64_t kInOrder = ~std::uint64_t{0};

    struct Record {
        std::uint64_t residues = 0;
        std::uint64_t position = kInOrder;  // in its input, from 0
        std::size_t begin = 0, end = 0;     // in bytes()
    };

    /// `taxids`: one for each definition line, 0 where it is not known; or none. Throws
    /// std::bad_alloc.
    void add(std::string_view header, std::span<const ResidueCode> residues, std::uint64_t position = kInOrder,
             std::span<const std::uint32_t> taxids = {});
    void clear();

    bool empty() const { return records_.empty(); }
    const std::vector<Record>& records() const { return records_; }
    std::span<const std::uint8_t> bytes() const { return bytes_; }
    std::span<const std::uint8_t> bytes_of(const Record& record) const {
        return bytes().subspan(record.begin, record.end - record.begin);
    }
    std::uint64_t residues() const { return residues_; }
    std::uint64_t header_bytes() const { return header_bytes_; }
    /// At least as many as the names in all headers (formats/fasta/sequence_names.h).
    std::uint64_t most_names() const { return most_names_; }
    /// Whether any is known.
    bool has_taxids() const { return has_taxids_; }
    /// How many residues have each code.
    std::array<std::uint64_t, kResidueTableSize> composition() const;

   private:
    void count(std::span<const ResidueCode> residues);

    std::vector<Record> records_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint32_t> words_;  // of the record at hand
    std::uint64_t residues_ = 0, header_bytes_ = 0, most_names_ = 0;
    bool has_taxids_ = false;
    /// Four tables, so that equal neighbours do not wait for each other.
    std::array<std::array<std::uint64_t, kResidueTableSize>, 4> composition_{};
};

}  // namespace warpseq
