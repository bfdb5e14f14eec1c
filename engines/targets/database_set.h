// The databases of one search, in the order given: searched as one, with E-values over the sum of their residues.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/wsdb_reader.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class DatabaseSet {
   public:
    static Result<DatabaseSet> open(const std::vector<std::filesystem::path>& files);

    std::size_t size() const { return readers_.size(); }
    const WsdbReader& reader(std::size_t database) const { return readers_[database]; }
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
    std::vector<WsdbReader> readers_;
    std::uint64_t sequence_count_ = 0;
    std::uint64_t residue_count_ = 0;
};

}  // namespace warpseq
