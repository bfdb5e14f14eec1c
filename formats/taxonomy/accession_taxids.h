// Which taxa the definition lines of a database are of, from lists of accessions and taxonomy IDs:
// what makeblastdb's -taxid_map takes, "accession taxid" a line, and NCBI's accession2taxid files.
// Those have a thousand million lines, more than memory holds, and a database names a part of them:
// so its names are sorted first, and the lists are read past them.
//
// formats/taxonomy: NCBI's taxonomy and the taxonomy IDs of accessions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/io/external_sort.h"
#include "formats/io/temporary_file.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class AccessionTaxids {
   public:
    /// Under which a definition line is found, as far as a number has room for it.
    struct Name {
        std::uint64_t hash = 0;     // XXH3-64 of the accession without its version
        std::uint32_t version = 0;  // and 1; 0: none
        bool is_public = false;     // capitals and small letters are the same: the hash is that of capitals
        friend bool operator==(const Name&, const Name&) = default;
    };
    /// Of the identifier of a definition line. Thread-safe.
    static std::vector<Name> names_of(std::string_view identifier);

    /// `folder` is where temporary files would go. The pool outlives this.
    AccessionTaxids(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool& pool);

    /// Names of definition line `line`, which count from 0.
    Status add(std::uint64_t line, std::span<const Name> names);
    /// Reads lists: lines of two columns, an accession and a taxonomy ID, with blanks or tabs
    /// between them, or of NCBI's four (accession, accession with version, taxonomy ID, GI); plain,
    /// gzip or zstd. Of lines that name the same definition line one with its version goes before
    /// others, and the last one counts. Once, after the last add().
    Status read(const std::vector<std::filesystem::path>& lists);

    /// After read(), in ascending order of lines: 0 where none of the lists names it.
    Result<std::uint32_t> taxid_of(std::uint64_t line);

   private:
    struct Entry {
        std::uint64_t hash;
        std::uint64_t place;  // line, and what else tells a name
    };
    struct Match {
        std::uint64_t line;
        std::uint32_t taxid;
        bool has_version;  // the same
    };
    struct Piece;

    Status sort_names();
    Status read_list(const std::filesystem::path& list);
    Status parse(Piece& piece) const;
    Status enter(const Piece& piece, std::uint64_t& lines_before, const std::string& file);
    Status look_up(std::string_view accession, std::uint32_t taxid, std::vector<Match>& matches) const;
    Status look_up(const Name& name, bool only_public, std::uint32_t taxid, std::vector<Match>& matches) const;
    std::size_t filter_bit_of(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> filter_shift_); }

    std::filesystem::path folder_;
    const ThreadPool& pool_;
    std::optional<ExternalSort> by_hash_;
    std::uint64_t most_in_memory_bytes_;
    TemporaryFile file_;                  // of what follows, where it does not fit into memory
    std::vector<Entry> entries_;          // ascending
    std::vector<std::uint64_t> buckets_;  // where hashes that begin with these bits do
    unsigned bucket_shift_ = 63;
    std::vector<std::uint64_t> filter_;  // a bit for each hash that begins like that of a name: most lines are of none
    unsigned filter_shift_ = 63;
    ExternalSort found_;  // by line, those that count more behind others
    std::uint64_t matches_ = 0;
    SortItem next_;
    bool has_next_ = false, at_end_ = false;
};

}  // namespace warpseq
