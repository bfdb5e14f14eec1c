// Parts of a search in files: what one share of the databases holds, batch after batch of the
// queries. Parts are searched anywhere, at any time, and merged where the report is made.
//
// A file is one packet behind another (formats/io/packet.h): first a PartLabel, then a partial of
// each batch, as an engine's to_bytes() gives it, at last how many those were and a checksum of
// them. It appears when it is whole, so a part that is searched twice, or by two processes at once,
// or given up in the middle, does no harm.
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

/// Which part of which search.
struct PartLabel {
    /// Of all that decides about the results: parts of one digest belong together. Hexadecimal
    /// digits.
    std::string digest;
    /// The search as it was asked for, for whoever merges: the engine's name, then options with
    /// their values.
    std::vector<std::string> arguments;
    std::uint64_t part = 0, parts = 1;  // part < parts
};

/// XXH3-128 of texts and their lengths, 32 hexadecimal digits.
std::string digest_of(const std::vector<std::string>& texts);

/// The file of a part in a folder of parts.
std::filesystem::path part_file(const std::filesystem::path& folder, const PartLabel& label);

class PartWriter {
   public:
    /// Makes the folder where there is none.
    static Result<PartWriter> create(const std::filesystem::path& folder, const PartLabel& label);

    /// The partial of the next batch, as a packet.
    Status add(const std::string& packet);
    /// Ends the file, which appears.
    Status finish();

   private:
    explicit PartWriter(AtomicFile file);

    AtomicFile file_;
    Xxh3State hash_;
    std::uint64_t batches_ = 0;
};

/// Bytes may come from anybody: damage is an error that names the file, whatever it is.
class PartReader {
   public:
    static Result<PartReader> open(const std::filesystem::path& file);

    const std::filesystem::path& file() const { return file_; }
    const PartLabel& label() const { return label_; }
    /// Whether nothing but the end is left.
    bool is_at_end() const;
    /// The packet of the next batch; an error behind the last one.
    Result<std::string> next();
    /// After the last batch: that it was the last one, and the file whole.
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

/// Whether the file is a whole part of this label, with every checksum right.
bool is_whole_part(const std::filesystem::path& file, const PartLabel& label);

/// The files of parts in a folder, by their names; others are none of ours.
Result<std::vector<std::filesystem::path>> find_parts(const std::filesystem::path& folder);

}  // namespace warpseq
