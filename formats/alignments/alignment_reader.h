// Files of multiple alignments, read one alignment after the other: Stockholm and Pfam, aligned
// FASTA, A2M, PSI-BLAST, SELEX, Clustal, PHYLIP. What is accepted, and the words in which a file is
// refused, are those of HMMER 3.3.2 for protein alignments.
//
// Rows keep the letters of the file in their case ("a" and "A" are the same residue); '-', '.' and
// '_' are gaps and '~' is missing data, whatever the format writes for it. A2M and PSI-BLAST give a
// reference line (alignment_parsers.h). Annotation that MultipleAlignment has no place for is
// checked and dropped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "formats/alignments/alignment_format.h"
#include "formats/io/byte_source.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// What an alignment's letters are, by their composition.
enum class AlignmentLetterKind { kUnknown, kProtein, kDna, kRna };

/// Why a file is no alignment, for programs that say it in HMMER's way.
struct AlignmentFault {
    enum class Kind {
        kNone,
        kNotOpened,  // no such file, no permission
        kNoFormat,   // the format could not be told
        kMalformed,
        kEmpty,   // nothing in it
        kDamaged  // reading failed: a damaged compressed file, the system
    };
    Kind kind = Kind::kNone;
    std::string what;        // HMMER's words
    std::uint64_t line = 0;  // from 1; kMalformed
};

/// Memory in use is that of one alignment (and of the whole file while a PHYLIP file is looked at).
/// Not thread-safe.
class AlignmentReader {
   public:
    /// "-" is standard input. The file may be compressed (formats/io/byte_source.h); it is opened
    /// by the first call of next(), letter_kind() or open(), and errors come then. `format`: where
    /// none is given, it is told by the first line and the suffix of the name, as HMMER does.
    explicit AlignmentReader(std::filesystem::path file, std::optional<AlignmentFormat> format = std::nullopt,
                             std::size_t block_bytes = kDefaultBlockBytes);
    /// A file that is open already, from its first byte on.
    AlignmentReader(std::filesystem::path file, ByteSource source,
                    std::optional<AlignmentFormat> format = std::nullopt);
    ~AlignmentReader();
    AlignmentReader(AlignmentReader&&) noexcept;
    AlignmentReader& operator=(AlignmentReader&&) noexcept;

    /// Opens the file and finds out its format.
    Status open();
    /// The next alignment: true, or false after the last one. A file without one is an error; a
    /// malformed one names file, line, what was found and what is wrong with it. After an error,
    /// which leaves `alignment` in no useful state, every further call returns it again.
    Result<bool> next(MultipleAlignment& alignment);
    /// Looks at the letters of what has not been read, at least 500 of them: unknown where they are
    /// too few or too odd.
    Result<AlignmentLetterKind> letter_kind();

    /// After open() or next().
    AlignmentFormat format() const;
    /// What the last error was.
    const AlignmentFault& fault() const;
    std::uint64_t alignments_read() const;
    std::uint64_t bytes_read() const;  // of the file as stored

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
