// Tells whether a command's input has nucleotides instead of proteins. The input can be read
// afterwards, by this program or by the one that the command is handed on to (next_program.h).
#pragma once

#include <optional>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns "DNA" or "RNA" if a file of profiles begins with such a profile, and "nucleotides" for a
/// profile of HMMER2. Returns nothing for other profiles, and if the alphabet cannot be told, as
/// for a named pipe. "-" is standard input. No byte is taken out of a stream: pipes are copied by
/// tee(), and sockets are peeked at. Blocks until a stream has enough bytes.
std::optional<std::string> nucleotides_of_profiles(const std::string& file);

/// Whether a command line of BLAST+ has the words -dbtype nucl.
bool asks_for_nucleotides(char* const* argv);
/// Whether `name`, as given to -db, is a BLAST database of nucleotides in one of the folders of
/// database_search_path().
bool is_nucleotide_database(const std::string& name);

/// A stream that is read to tell what it holds, and can be read once more from its beginning. It is
/// standard input, or another stream that an argument names by its descriptor, such as /dev/fd/63.
/// A regular file stays in place. Any other stream is copied, whole, into a temporary file, which
/// takes the stream's descriptor.
class KeptInput {
   public:
    /// Keeps the stream that the argument `file` names. If `file` names no such stream, nothing has
    /// to be kept, and rewind() does nothing.
    static Result<KeptInput> keep(const std::string& file);
    /// Sets the stream back to where keep() found it, for the next reader. Nothing may be reading
    /// the stream meanwhile.
    Status rewind() const;

   private:
    int descriptor_ = -1;  // -1: no stream is kept
    long long offset_ = 0;
};

}  // namespace warpseq
