// Reads files of profile HMMs in HMMER 3's text format, HMMER3/a to HMMER3/f, one profile at a
// time. A file in the binary format (formats/profiles/hmm_binary.h) is recognised by its first
// bytes and read, too. So is a file in HMMER2's text format, HMMER2.0, whose model and own tags
// hmmer2_reader.h describes. A file may have profiles of several formats of HMMER 3, but not of
// HMMER2 and HMMER 3.
//
// Lines end with LF, CRLF or CR. Blank lines, lines that begin with '#' and a UTF-8 byte order mark
// at the start are skipped. A profile has these lines, in this order:
//
//   format line         HMMER3/a to HMMER3/f.
//   header lines        a tag and a value each.
//   residue line        `HMM A C D ...`.
//   transition line     `m->m m->i ...`.
//   composition         COMPO and 20 numbers. Optional.
//   node 0              two lines: inserts, and transitions.
//   each node 1..M      three lines: matches with annotation, inserts, and transitions.
//   end                 `//`.
//
// The table has the tags that are read. Other tags are skipped, as in HMMER.
//
//   tag             value                             formats   if missing
//   NAME, LENG      a word; number of nodes           all       an error.
//   ALPH            amino; others are an error        all       an error.
//   ACC, DESC       a word; the rest of the line      all       empty.
//   MAXL            residues                          3/c on    none.
//   RF, CS, MAP     yes or no                         all       no.
//   CONS            yes or no                         3/e on    consensus_of().
//   MM              yes or no                         3/f on    no.
//   NSEQ, EFFN      sequences; effective number       all       none. HMMER2 has no EFFN.
//   CKSUM           checksum of the alignment         all       none. Skipped in HMMER2.
//   DATE            the rest of the line              all       empty.
//   COM             [number] and a command, which     all       none. The tag may be repeated.
//                   is the rest of the line                     HMMER2 has no number.
//   GA, TC, NC      bits of sequence and of domain,   all       none.
//                   each may be followed by ';'
//   STATS LOCAL     MSV mu lambda                     3/b on    none. If only some of the three
//                   VITERBI mu lambda                           lines are there: an error.
//                   FORWARD tau lambda
//   STATS LOCAL     VMU mu                            3/a       as above. mu is for MSV and
//                   VLAMBDA lambda                              Viterbi, lambda is for all three
//                   FTAU tau                                    stages.
//   COMPO           20 numbers, behind the            all       kUnknownComposition for each.
//                   transition line
//
// A match line ends with annotation columns: MAP RF CS in 3/a to 3/d, MAP CONS RF CS in 3/e, and
// MAP CONS RF MM CS in 3/f. A missing annotation is `-`.
//
// A probability p is written as -ln p, or as `*` if p is 0. The number is read as a double, rounded
// to float and exponentiated in float. Cutoffs, statistics and EFFN are read as doubles and rounded
// to float. The results have the same bits as HMMER's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The largest number of nodes of a profile. A longer profile is an error. The longest known
/// protein has 35,000 residues.
inline constexpr int kLongestProfileNodes = 1'000'000;
/// The largest number of bytes of a line. A longer line is an error, because no profile has one and
/// it would have to be held in memory.
inline constexpr std::size_t kLongestHmmLineBytes = std::size_t{1} << 20;

/// The end of the error about a profile of another alphabet.
inline constexpr std::string_view kOnlyProteinProfiles = "only protein profiles are supported";

/// Whether a file that begins with these (decompressed) bytes is for an HmmFileReader rather than a
/// FastaReader. This is text that begins with "HMMER" or '#', or the binary format. No FASTA file
/// begins with '#'.
bool begins_like_profiles(std::span<const std::uint8_t> first_bytes);

/// A reader of a file of profiles. It holds one profile in memory at a time. Not thread-safe.
class HmmFileReader {
   public:
    /// Reads `file`, which may be compressed (formats/io/byte_source.h). "-" is standard input. The
    /// first call of next() opens the file, and a missing file is an error of that call.
    /// `block_bytes` is passed to ByteSource::open().
    explicit HmmFileReader(std::filesystem::path file, std::size_t block_bytes = kDefaultBlockBytes);
    /// Reads `source`, a file that is already open and from which nothing has been taken.
    explicit HmmFileReader(ByteSource source);
    ~HmmFileReader();
    HmmFileReader(HmmFileReader&&) noexcept;
    HmmFileReader& operator=(HmmFileReader&&) noexcept;

    /// Reads the next profile into `hmm` and returns true. Returns false after the last profile.
    /// Malformed text is an error that names the file, the line, what was found and what was
    /// expected. A file without a profile is an error, too. An error leaves `hmm` in no useful
    /// state, and every further call returns the same error.
    Result<bool> next(ProfileHmm& hmm);

    std::uint64_t profiles_read() const;
    /// Returns the offset, in the decompressed file, at which the last profile begins.
    std::uint64_t profile_offset() const;
    std::uint64_t bytes_read() const;  // stored (compressed) bytes read so far, for a progress bar

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
