// Files that hold parts of a search. A part is the result for one share of the databases, batch
// after batch of the queries. Parts can be searched on different machines and at different times.
// The process that makes the report merges them.
//
// A file is a sequence of packets (formats/io/packet.h). The first one is a PartLabel. Then follows
// one packet for each batch: the batch's partial result, as returned by an engine's to_bytes(). The
// last packet holds the number of batches and a checksum of their packets. The file appears only
// when it is complete. So it does no harm if a part is searched twice, or by two processes at the
// same time, or if its search is given up halfway.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/io/atomic_file.h"
#include "formats/io/xxh3_state.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The label that says which part of which search a file holds.
struct PartLabel {
    /// The digest of everything that affects the results, in hexadecimal digits. Parts with the
    /// same digest belong together.
    std::string digest;
    /// The search as it was requested, for the merging process: the engine's name, then options
    /// with their values.
    std::vector<std::string> arguments;
    std::uint64_t part = 0, parts = 1;  // part < parts
};

/// Returns XXH3-128 of the texts and their lengths as 32 hexadecimal digits.
std::string digest_of(const std::vector<std::string>& texts);

/// Returns the path of a part's file in a folder of parts.
std::filesystem::path part_file(const std::filesystem::path& folder, const PartLabel& label);

/// A writer of the file of a part. The file appears in finish().
class PartWriter {
   public:
    /// Opens the file of a part, and makes the folder if there is none.
    static Result<PartWriter> create(const std::filesystem::path& folder, const PartLabel& label);

    /// Adds the partial result of the next batch, which is a packet.
    Status add(const std::string& packet);
    /// Ends the file and makes it appear.
    Status finish();

   private:
    explicit PartWriter(AtomicFile file);

    AtomicFile file_;
    Xxh3State hash_;
    std::uint64_t batches_ = 0;
};

/// A reader of a part. The file may come from an untrusted source. Damage of any kind is an error
/// that names the file.
class PartReader {
   public:
    /// Opens a file and reads its label.
    static Result<PartReader> open(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return file_; }
    const PartLabel& label() const { return label_; }
    /// Whether only the last packet is left.
    bool is_at_end() const;
    /// Returns the packet of the next batch, or an error if there is none.
    Result<std::string> next();
    /// Returns an error unless the last batch has been read and the file is complete. Call it after
    /// the last batch.
    Status finish();

   private:
    PartReader(std::filesystem::path file, std::ifstream in, std::uint64_t size_bytes);

    Result<std::string> next_packet();

    std::filesystem::path file_;
    std::ifstream in_;
    std::uint64_t left_bytes_;
    PartLabel label_;
    Xxh3State hash_;
    std::uint64_t batches_ = 0;
};

/// Whether the file is a complete part with this label, with every checksum right.
bool is_whole_part(const std::filesystem::path& file, const PartLabel& label);

/// Returns the files of parts in a folder, sorted by name. Other files are ignored.
Result<std::vector<std::filesystem::path>> find_parts(const std::filesystem::path& folder);

}  // namespace warpseq
