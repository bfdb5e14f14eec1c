// Writes those files of a version 5 BLAST database that are shared by all of its volumes. They hold
// accessions and taxonomy IDs. Numbers are little-endian.
//
//   NAME.pdb, an LMDB file:
//     acc2oid        from a key to the numbers of its sequences, u32.
//     volinfo        from a volume's number to its number of sequences, u32.
//     volname        from a volume's number to its name.
//   NAME.pos, the accessions of each sequence:
//     u64            n, the number of sequences up to the last one that has a key.
//     u64 [n]        where the accessions of each sequence end, counted from the end of this table.
//     accessions     those of each sequence, sorted. Each is its length and its text.
//                    The length is a byte, or 255 and a u32.
//   NAME.pot, the taxonomy IDs of each sequence:
//     u64            n, the number of sequences.
//     u64 [n]        the number of IDs of each sequence and those before it.
//     i32 ...        the IDs.
//   NAME.pto, the sequences of each taxonomy ID:
//     u32            the number of its sequences.
//     u32 ...        the numbers of these sequences.
//   NAME.ptf, an LMDB file:
//     taxid2offset   from a taxonomy ID to its place in NAME.pto, u64.
//
// LMDB writes the same bytes in every run.
//
// formats/blast: protein databases of NCBI BLAST, read and written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/io/temporary_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A collector of the content of these files. Sequences are added in ascending order.
class BlastAccessions {
   public:
    /// Adds a key by which the sequence is found. `is_shown` says whether the key is also an
    /// accession of the sequence in NAME.pos.
    void add_key(std::string_view key, std::uint32_t sequence, bool is_shown);
    /// Adds the taxonomy IDs of the next sequence. There is at least one; 0 is an unknown one. They
    /// are in ascending order, each once.
    void add_taxids(const std::vector<std::uint32_t>& taxids);

    /// A volume of the database.
    struct Volume {
        std::string name;
        std::uint32_t sequences = 0;
    };
    /// Writes NAME.pdb into `file`, which must be empty. Called after shown_accessions(), because
    /// it sorts the keys.
    Status write_keys(const std::vector<Volume>& volumes, const TemporaryFile& file);
    bool has_keys() const { return !keys_.empty(); }
    /// Returns the content of NAME.pos. Called before write_keys().
    std::string shown_accessions() const;
    /// The contents of NAME.pot and NAME.pto.
    struct TaxidFiles {
        std::string pot, pto;
    };
    /// Returns the contents of NAME.pot and NAME.pto, and writes NAME.ptf into `file`, which must
    /// be empty.
    Result<TaxidFiles> write_taxids(const TemporaryFile& file) const;

   private:
    struct Key {
        std::uint64_t begins_with;  // its first bytes, as a number to compare
        std::uint64_t place;        // offset in text_
        std::uint32_t bytes, sequence;
        bool is_shown;
    };
    std::string_view text_of(const Key& key) const { return {text_.data() + key.place, key.bytes}; }

    std::string text_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> taxids_;
    std::vector<std::uint64_t> taxid_ends_;  // where the IDs of each sequence end in taxids_
};

}  // namespace warpseq
