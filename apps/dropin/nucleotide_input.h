// Tells whether a command's input is of nucleotides, and leaves that input to be read by whoever
// runs next: this program or the one that the command is handed on to (next_program.h).
#pragma once

#include <optional>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// "DNA" or "RNA" where a file of profiles ("-": standard input) begins with such a profile,
/// "nucleotides" for HMMER2's; nothing where it does not, or where that cannot be told, as of a
/// pipe that has a name. No byte is taken out of a stream: pipes are copied by tee(), sockets are
/// peeked at. Blocks until a stream has enough bytes.
std::optional<std::string> nucleotides_of_profiles(const std::string& file);

/// Whether a command line of BLAST+ has the words -dbtype nucl.
bool asks_for_nucleotides(char* const* argv);
/// Whether `name`, as -db has it, is a BLAST database of nucleotides, in the current folder or in
/// one of BLASTDB.
bool is_nucleotide_database(const std::string& name);

/// A stream that is read to tell what it holds and can be read once more from its beginning:
/// standard input, or another one that an argument names by its descriptor, such as /dev/fd/63. A
/// regular file stays in place; any other stream is copied, whole, into a temporary file, which
/// takes the stream's descriptor.
class KeptInput {
   public:
    /// `file` is an argument. What names no such stream needs no keeping: rewind() does nothing
    /// then.
    static Result<KeptInput> keep(const std::string& file);
    /// Lets the next reader of the stream begin where it was. Nobody may be reading it now.
    Status rewind() const;

   private:
    int descriptor_ = -1;  // none
    long long offset_ = 0;
};

}  // namespace warpseq
