// The databases that `blastdbcmd` reads, NCBI's as they stand in their files and warpseq's, as the
// same: numbered sequences with definition lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/blast_databases.h"
#include "formats/blast/blast_deflines.h"
#include "libcore/base/status.h"

namespace warpseq::blastdbcmd {

struct Sequence {
    std::uint64_t number = 0;          // in its database, from 0
    std::vector<StoredDefline> lines;  // at least one
    std::string letters;               // where they are asked for
};

class Source {
   public:
    /// Opens what was found, NCBI's databases as one, with each of their volumes once. An error
    /// that says what is wrong with one.
    static Result<std::vector<std::unique_ptr<Source>>> open(std::vector<BlastDatabase> found,
                                                             const std::filesystem::path& temporary_folder);
    virtual ~Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    const BlastDatabase& about() const { return about_; }
    virtual std::uint64_t sequence_count() const = 0;
    /// The numbers of sequences and residues that output states. A volume that two databases have
    /// counts twice, as in NCBI's program.
    virtual std::uint64_t told_sequences() const = 0;
    virtual std::uint64_t told_residues() const = 0;
    virtual std::uint64_t longest_residues() const = 0;
    /// The numbers with which volumes begin, and sequence_count().
    virtual std::vector<std::uint64_t> volume_starts() const = 0;
    /// The paths of the volumes, without endings.
    virtual std::vector<std::filesystem::path> volumes() const = 0;

    /// Sequence `number`, with its letters or without.
    virtual Status read(std::uint64_t number, bool with_letters, Sequence& sequence) = 0;
    using Use = std::function<Status(const Sequence&)>;
    /// All sequences in their order.
    virtual Status for_each(bool with_letters, const Use& use) = 0;
    /// Adds the numbers of the sequences that a database without parsed identifiers has under this
    /// name.
    virtual Status find_by_name(std::string_view name, std::vector<std::uint64_t>& numbers) = 0;
    /// An error where a file was changed while it was read.
    virtual Status verify_unchanged() const = 0;

   protected:
    explicit Source(BlastDatabase about) : about_(std::move(about)) {}
    BlastDatabase about_;
};

}  // namespace warpseq::blastdbcmd
