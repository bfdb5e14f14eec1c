// Reads and writes profile HMMs in HMMER 3's binary format, which hmmpress (.h3m) and
// hmmconvert -b write, in its versions 3/a to 3/f.
//
// Numbers are little-endian, and nothing is aligned. i32, u32 and f32 have 4 bytes. M is the number
// of nodes. A text is an i32 with its number of bytes, followed by these bytes; the last one is
// NUL and counts. An i32 of 0 is an empty text.
//
//   u32            magic: bytes F ed ed e8. F is b6 b7 b8 b9 b0 ba for 3/a to 3/f.
//   i32            flags: the optional fields that are present.
//   i32, i32       M; the alphabet, which is 3 (amino acids).
//   f32            matches [M][20], inserts [M + 1][20], transitions [M + 1][7].
//                  All of them are probabilities.
//   text           name; accession; description. Accession and description are optional.
//   M + 2 bytes    RF, MM, CONS, CS, CA. Each of them is optional.
//                  Each is a blank, one letter per node, and NUL. CONS of 3/a to 3/d is not
//                  used; the consensus is made anew.
//   text           commands that made the profile, one per line.
//   i32, f32       number of sequences; effective number of sequences. Unknown: -1.
//   i32            length of the longest instance, from 3/c on. Unknown: -1.
//   text           date.
//   i32 [M + 1]    0, then the alignment columns of nodes 1 to M. Optional.
//   u32            checksum of the alignment.
//   f32 [6]        MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda.
//                  In 3/a it is f32 [3]: lambda, mu and tau.
//   f32 [6]        GA, TC, NC. Each is a cutoff for the sequence and one for a domain.
//   f32 [20]       composition. Optional.
//
// The probabilities have exactly the bits of those that are read from the text format. Malformed
// data is an error, and so is a profile that is cut off. The message says which profile of the file
// it is, by its number, what was found, and what was expected.
//
// formats/profiles: profile HMMs, pressed profiles, substitution matrices, and query files that
// hold either profiles or sequences.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "formats/io/byte_source.h"
#include "formats/profiles/hmm_format.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Whether a file that begins with these bytes holds profiles in the binary format. The first byte
/// decides; no text begins with it.
bool begins_binary_profiles(std::span<const std::uint8_t> first_bytes);

/// Appends a profile to `out`. The bytes are those of HMMER's hmmconvert.
void append_binary_profile(const ProfileHmm& hmm, std::string& out, HmmFormat format = HmmFormat::k3f);

/// A reader of binary profiles, one after the other. It holds one profile in memory. Not
/// thread-safe.
class BinaryHmmReader {
   public:
    /// Reads from the next byte of `source` on. `source` must outlive the reader.
    explicit BinaryHmmReader(ByteSource& source) : source_(&source), shown_(source.name()) {}
    /// Reads `bytes`, which must outlive the reader. `shown` is their name in messages.
    BinaryHmmReader(std::span<const std::uint8_t> bytes, std::string shown) : block_(bytes), shown_(std::move(shown)) {}

    /// Reads the next profile into `hmm` and returns true. Returns false after the last profile.
    Result<bool> next(ProfileHmm& hmm);
    /// Returns the number of bytes of all profiles that have been read so far.
    std::uint64_t bytes_read() const { return bytes_read_; }
    /// Whether all bytes have been read. Only for a reader of bytes in memory.
    bool at_end() const { return block_.empty(); }

   private:
    Status need_block();
    Status take(void* bytes, std::size_t count, const char* what);
    template <typename Value>
    Status take_value(Value& value, const char* what) {
        return take(&value, sizeof value, what);
    }
    template <typename Rows>
    Status take_probabilities(Rows& rows, int count, const char* what);
    Status take_text(std::string& text, const char* what);
    Status take_letters(std::string& letters, int nodes, const char* what);
    Status take_rest(ProfileHmm& hmm, char format, std::uint32_t flags);
    Status wrong(const std::string& message) const;

    ByteSource* source_ = nullptr;
    std::span<const std::uint8_t> block_;
    std::string shown_;
    std::uint64_t profiles_ = 0, bytes_read_ = 0;
    std::string name_;  // name of the current profile, empty before it is read
};

}  // namespace warpseq
