// Profiles of HMMER 3's text format (HMMER3/a to HMMER3/f), any number in a file, read one by one.
// The binary form (formats/profiles/hmm_binary.h) is told by its first bytes and read, too.
//
// Line ends are LF, CRLF or CR. Blank lines and lines that begin with '#' are skipped, as is a
// UTF-8 byte order mark at the start. A profile is its format line, header lines of a tag and a
// value each, the residue line `HMM A C D ...`, the transition line `m->m m->i ...`, optionally
// COMPO, then two lines of node 0 (inserts, transitions), three of every node 1..M (matches with
// annotation, inserts, transitions) and `//`. Tags that are not in this table are skipped, as HMMER
// does:
//
//   tag             value                             formats   where it is missing
//   NAME, LENG      a word; nodes                     all       an error
//   ALPH            amino; anything else is an error  all       an error
//   ACC, DESC       a word; the rest of the line      all       empty
//   MAXL            residues                          3/c on    none
//   RF, CS, MAP     yes or no                         all       no
//   CONS            yes or no                         3/e on    consensus_of()
//   MM              yes or no                         3/f on    no
//   NSEQ, EFFN      sequences, effective number       all       none
//   CKSUM           of the alignment                  all       none
//   DATE            the rest of the line              all       empty
//   COM             [number] and the rest of the      all       none; any number of these lines
//                   line, a command
//   GA, TC, NC      bits of sequence and of domain    all       none; behind the second number may stand ';'
//   STATS LOCAL     MSV, VITERBI mu lambda,           3/b on    none; part of them is an error
//                   FORWARD tau lambda
//   STATS LOCAL     VLAMBDA, VMU, FTAU                3/a       as above; MSV takes Viterbi's mu, all take the one lambda
//   COMPO           20 numbers                        all       kUnknownComposition for each
//
// Match lines end in the columns MAP RF CS (3/a to 3/d), MAP CONS RF CS (3/e) or MAP CONS RF MM CS
// (3/f), `-` where there is none. A probability p is written as -ln p, and 0 as `*`. It is read as
// a double, rounded to float and exponentiated in float; cutoffs, statistics and EFFN are doubles
// rounded to float: the bits are HMMER's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// A longer profile is refused. The longest protein known has 35,000 residues.
inline constexpr int kLongestProfileNodes = 1'000'000;
/// A longer line is refused: it is no profile's, and it would have to be held in memory.
inline constexpr std::size_t kLongestHmmLineBytes = std::size_t{1} << 20;

/// Whether a file that begins with these (decompressed) bytes is for an HmmFileReader rather than a
/// FastaReader: text that begins with "HMMER" or, as no FASTA does, with '#', or the binary form.
bool begins_like_profiles(std::span<const std::uint8_t> first_bytes);

/// Memory in use is that of one profile, however many the file holds. Not thread-safe.
class HmmFileReader {
   public:
    /// "-" is standard input. The file may be compressed (formats/io/byte_source.h); it is opened
    /// by the first next(), and a missing one is an error then. `block_bytes` as for
    /// ByteSource::open().
    explicit HmmFileReader(std::filesystem::path file, std::size_t block_bytes = kDefaultBlockBytes);
    /// A file that is open already, from its first byte on.
    explicit HmmFileReader(ByteSource source);
    ~HmmFileReader();
    HmmFileReader(HmmFileReader&&) noexcept;
    HmmFileReader& operator=(HmmFileReader&&) noexcept;

    /// The next profile: true, or false after the last one. What is malformed is an error that
    /// names the file, the line, what was found and what was expected; so is a file without a
    /// profile. After an error, which leaves `hmm` in no useful state, every further call returns
    /// the same error.
    Result<bool> next(ProfileHmm& hmm);

    std::uint64_t profiles_read() const;
    /// Where the last profile begins in the decompressed file.
    std::uint64_t profile_offset() const;
    std::uint64_t bytes_read() const;  // of the file as stored, so far; for a progress bar

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
