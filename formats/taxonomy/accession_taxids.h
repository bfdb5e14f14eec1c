// AccessionTaxids finds the taxa of a database's definition lines in lists of accessions and
// taxonomy IDs. A list is a file for makeblastdb's -taxid_map ("accession taxid" on each line) or
// one of NCBI's accession2taxid files. The latter have about 10^9 lines, more than memory holds,
// and a database has only some of these accessions. So the names of the database are sorted first,
// and then each line of the lists is looked up among them.
//
// formats/taxonomy holds NCBI's taxonomy and the taxonomy IDs of accessions.
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
    /// A name under which lists may have a definition line, reduced to numbers.
    struct Name {
        std::uint64_t hash = 0;     // XXH3-64 of the accession without its version
        std::uint32_t version = 0;  // plus 1; 0: the name has no version
        bool is_public = false;     // whether case does not matter; the hash is then that of capital letters
        friend bool operator==(const Name&, const Name&) = default;
    };
    /// Returns the names of the identifier of a definition line. Thread-safe.
    static std::vector<Name> names_of(std::string_view identifier);

    /// Temporary files go to `folder`. The pool has to outlive this object.
    AccessionTaxids(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool& pool);

    /// Adds the names of definition line number `line`, counted from 0.
    Status add(std::uint64_t line, std::span<const Name> names);
    /// Reads lists, which are plain, gzip or zstd. A line has two columns, an accession and a
    /// taxonomy ID, with blanks or tabs between them. Or it has NCBI's four columns: accession,
    /// accession with version, taxonomy ID, GI. Several lines of the lists may name the same
    /// definition line. A line that gives its accession with the right version then takes
    /// precedence over lines that do not. Among lines of equal precedence the last one counts. Call
    /// it once, after the last add().
    Status read(const std::vector<std::filesystem::path>& lists);

    /// Returns the taxonomy ID of a definition line, or 0 if no list names it. Call it after
    /// read(), in ascending order of lines.
    Result<std::uint32_t> taxid_of(std::uint64_t line);

   private:
    struct Entry {
        std::uint64_t hash;
        std::uint64_t place;  // the definition line, whether the name is public, and its version
    };
    struct Match {
        std::uint64_t line;
        std::uint32_t taxid;
        bool has_version;  // whether the list names the definition line with its version
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
    TemporaryFile file_;                  // the entries, if they do not fit in memory
    std::vector<Entry> entries_;          // ascending
    std::vector<std::uint64_t> buckets_;  // index of the first entry whose hash begins with these bits
    unsigned bucket_shift_ = 63;
    std::vector<std::uint64_t> filter_;  // whether a name's hash begins with these bits; most listed names do not
    unsigned filter_shift_ = 63;
    ExternalSort found_;  // matches by definition line; later ones take precedence
    std::uint64_t matches_ = 0;
    SortItem next_;
    bool has_next_ = false, at_end_ = false;
};

}  // namespace warpseq
