// The files of a BLAST database of version 5 that belong to all its volumes: accessions and
// taxonomy IDs. Two of them are LMDB's.
//
//   NAME.pdb  LMDB: acc2oid, keys to numbers of sequences (u32); volinfo and volname, of each volume how many sequences it
//             has and what it is called
//   NAME.pos  u64 n sequences; n u64, where the accessions of each end behind these; the accessions, sorted, each a length (a byte,
//             or 255 and a u32) and text
//   NAME.pot  u64 n sequences; n u64, how many taxonomy IDs there are up to each; the IDs, i32
//   NAME.pto  of each taxonomy ID the u32 number of its sequences, and these, u32
//   NAME.ptf  LMDB: taxid2offset, IDs to their places in .pto (u64)
// All little-endian. What LMDB writes is the same in every run.
//
// formats/blast: NCBI BLAST's protein databases, read and written.
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

/// Collects what these files say. Sequences come in ascending order.
class BlastAccessions {
   public:
    /// A key; `is_shown`: an accession of the sequence, too.
    void add_key(std::string_view key, std::uint32_t sequence, bool is_shown);
    /// The taxonomy IDs of the next sequence, ascending, each once; at least one, 0: not known.
    void add_taxids(const std::vector<std::uint32_t>& taxids);

    struct Volume {
        std::string name;
        std::uint32_t sequences = 0;
    };
    /// Writes NAME.pdb into `file`, which is empty. Sorts the keys: after shown_accessions().
    Status write_keys(const std::vector<Volume>& volumes, const TemporaryFile& file);
    bool has_keys() const { return !keys_.empty(); }
    /// NAME.pos. Before write_keys().
    std::string shown_accessions() const;
    struct TaxidFiles {
        std::string pot, pto;
    };
    /// NAME.pot and NAME.pto as bytes; writes NAME.ptf into `file`, which is empty.
    Result<TaxidFiles> write_taxids(const TemporaryFile& file) const;

   private:
    struct Key {
        std::uint64_t begins_with;  // its first bytes, to compare
        std::uint64_t place;        // in text_
        std::uint32_t bytes, sequence;
        bool is_shown;
    };
    std::string_view text_of(const Key& key) const { return {text_.data() + key.place, key.bytes}; }

    std::string text_;
    std::vector<Key> keys_;
    std::vector<std::uint32_t> taxids_;
    std::vector<std::uint64_t> taxid_ends_;  // of each sequence, in taxids_
};

}  // namespace warpseq
