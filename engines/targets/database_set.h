// The databases of one search, in the order given: searched as one, with E-values over the sum of their residues.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/fasta_target.h"
#include "formats/wsdb_provenance.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class DatabaseSet {
   public:
    /// Databases alone.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files);
    /// Databases, BLAST databases and FASTA (formats/fasta_target.h); "-" is standard input.
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files, const TargetSettings& settings,
                                    const ThreadPool& pool, Observer& observer);

    /// None.
    DatabaseSet() = default;
    /// One that is open already.
    DatabaseSet(const std::filesystem::path& file, Target target) { add(file, std::move(target)); }

    std::size_t size() const { return readers_.size(); }
    const WsdbReader& reader(std::size_t database) const { return readers_[database]; }
    /// As it was given.
    const std::filesystem::path& file(std::size_t database) const { return files_[database]; }
    /// What is known of one that came from a BLAST database.
    const std::optional<BlastFacts>& blast_facts(std::size_t database) const { return blast_facts_[database]; }
    /// Of a sequence as it is in its file, of which settings may have taken a range only.
    std::uint64_t whole_residues(std::size_t database, std::uint64_t rank) const {
        const auto& whole = whole_residues_[database];
        return whole.empty() ? readers_[database].lengths_residues()[rank]
                             : whole[readers_[database].input_positions()[rank]];
    }
    /// Whether all of them were given as FASTA, or as BLAST databases.
    bool all_fasta() const { return all_fasta_; }
    std::uint64_t sequence_count() const { return sequence_count_; }
    std::uint64_t residue_count() const { return residue_count_; }
    /// Whether there is such a sequence: what comes from elsewhere may name any.
    bool has(std::uint32_t database, std::uint64_t rank, std::uint64_t input_position) const {
        return database < readers_.size() && rank < readers_[database].sequence_count() &&
               readers_[database].input_positions()[rank] == input_position;
    }
    /// File names without folders, separated by "; ".
    std::string names() const;

    /// An error that names the first file that is not what it was when it was opened (WsdbReader::verify_unchanged).
    /// Asked before a report is finished.
    Status verify_unchanged(const ThreadPool& pool) const;

   private:
    void add(const std::filesystem::path& file, Target target);

    std::vector<std::filesystem::path> files_;
    std::vector<WsdbReader> readers_;
    std::vector<std::optional<BlastFacts>> blast_facts_;
    std::vector<std::vector<std::uint64_t>> whole_residues_;  // by position in the input; none: those of the reader
    bool all_fasta_ = true;
    std::uint64_t sequence_count_ = 0;
    std::uint64_t residue_count_ = 0;
};

}  // namespace warpseq
