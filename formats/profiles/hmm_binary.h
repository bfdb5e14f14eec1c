// Profiles in HMMER 3's binary form, as hmmpress (.h3m) and hmmconvert -b write it: written in
// format 3/f, read in 3/a to 3/f.
//
// Little-endian, nothing aligned. i32, u32 and f32 are 4 bytes; M is the number of nodes; a text is
// an i32 of its bytes with the NUL that ends it, and these bytes, or 0 for none.
//
//   u32              magic: bytes F ed ed e8; F is b6 b7 b8 b9 b0 ba for 3/a to 3/f
//   i32              flags: what there is of the following
//   i32, i32         M; the alphabet, 3: amino acids
//   f32              matches [M][20], inserts [M + 1][20], transitions [M + 1][7], all probabilities
//   text             name; accession; description, the last two where flags say so
//   M + 2 bytes      each of RF, MM, CONS, CS, CA that is there: a blank, a letter a node, NUL
//   text             commands that made it, a line each
//   i32, f32, i32    sequences, effective number of them, longest instance (from 3/c on); -1: not known
//   text             date
//   i32 [M + 1]      alignment columns of nodes 1 to M behind a 0, where they are there
//   u32              checksum of the alignment
//   f32 [6]          MSV mu and lambda, Viterbi mu and lambda, Forward tau and lambda; in 3/a lambda, mu and tau
//   f32 [6]          GA, TC, NC: of the sequence and of a domain
//   f32 [20]         composition, where it is there
//
// Probabilities are those that the text form is read as, to the bit. What is no profile is an error
// that says which profile of the file it is, what was found, and what was expected; so is a profile
// that ends early.
//
// formats/profiles: what a query may be beside a sequence: profile HMMs, pressed libraries,
// substitution matrices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Whether a file that begins with these bytes is to be read as profiles in binary form: text does
/// not begin with such a byte.
bool begins_binary_profiles(std::span<const std::uint8_t> first_bytes);

void append_binary_profile(const ProfileHmm& hmm, std::string& out);

/// Memory in use is that of one profile. Not thread-safe.
class BinaryHmmReader {
   public:
    /// From the source's next byte on. It outlives the reader.
    explicit BinaryHmmReader(ByteSource& source) : source_(&source), shown_(source.name()) {}
    /// Bytes in memory, which outlive the reader; messages call them so.
    BinaryHmmReader(std::span<const std::uint8_t> bytes, std::string shown) : block_(bytes), shown_(std::move(shown)) {}

    /// The next profile: true, or false after the last one.
    Result<bool> next(ProfileHmm& hmm);
    /// Bytes of all profiles so far.
    std::uint64_t bytes_read() const { return bytes_read_; }
    /// Of bytes in memory: whether all of them have been taken.
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
    std::string name_;  // of the profile at hand, once it is known
};

}  // namespace warpseq
