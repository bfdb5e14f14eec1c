// RecordBatch: sequences that a reader hands over to a writer. The thread that reads a sequence
// also packs and hashes it.
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

/// The parts of a record, which sorting treats as a row of bytes. In this order they are its words
/// (not aligned), the hash of its residues, its header line and, if any is known, the taxonomy IDs
/// of its definition lines. A line feed, which no header contains, stands before the taxonomy IDs.
/// The number of residues and the size of the record are not part of it.
struct RecordView {
    std::span<const std::uint8_t> words;  // words_for(residues) words; the last one is filled up with padding
    std::uint64_t residues_hash = 0;      // XXH3-64 of the residue codes
    std::string_view header;
    std::span<const std::uint8_t> taxids;  // u32 without alignment, one for each definition line; or empty

    /// Returns the taxonomy ID of a definition line, counted from 0. It is 0 if it is not known.
    std::uint32_t taxid(std::size_t line) const;
    bool has_taxids() const { return !taxids.empty(); }
};
/// Returns the number of definition lines in a header, at least one. Ctrl-A separates them.
std::size_t count_deflines(std::string_view header);
/// Returns the size in bytes of a record without taxonomy IDs.
constexpr std::uint64_t size_of_record(std::uint64_t residues, std::uint64_t header_bytes) {
    return words_for(residues) * sizeof(std::uint32_t) + sizeof(std::uint64_t) + header_bytes;
}
/// Returns the parts of a record that has this number of residues.
RecordView view_of_record(std::span<const std::uint8_t> record, std::uint64_t residues);

class RecordBatch {
   public:
    /// The position of a record that comes in the order of the input.
    static constexpr std::uint64_t kInOrder = ~std::uint64_t{0};

    struct Record {
        std::uint64_t residues = 0;
        std::uint64_t position = kInOrder;  // in its input, from 0
        std::size_t begin = 0, end = 0;     // in bytes()
    };

    /// Adds a record. `taxids` has one ID for each definition line (0 if it is not known), or is
    /// empty. Throws std::bad_alloc.
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
    /// Returns an upper limit of the number of names in all headers
    /// (formats/fasta/sequence_names.h).
    std::uint64_t most_names() const { return most_names_; }
    /// Whether any taxonomy ID is known.
    bool has_taxids() const { return has_taxids_; }
    /// Returns how many residues have each code.
    std::array<std::uint64_t, kResidueTableSize> composition() const;

   private:
    void count(std::span<const ResidueCode> residues);

    std::vector<Record> records_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint32_t> words_;  // buffer for the words of one record
    std::uint64_t residues_ = 0, header_bytes_ = 0, most_names_ = 0;
    bool has_taxids_ = false;
    /// Four tables of counts, which are used in turn. So the counts of equal neighbours do not
    /// wait for each other.
    std::array<std::array<std::uint64_t, kResidueTableSize>, 4> composition_{};
};

}  // namespace warpseq
