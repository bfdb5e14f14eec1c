// AlignmentReader reads files of multiple alignments, one alignment after the other. The formats
// are Stockholm and Pfam, aligned FASTA, A2M, PSI-BLAST, SELEX, Clustal and PHYLIP. It accepts the
// same files as HMMER 3.3.2 does for protein alignments, and refuses files with the same words. It
// also reads MAFFT's Clustal, as HMMER 3.4 does.
//
// Rows keep the letters of the file in their case ("a" and "A" are the same residue). '-', '.' and
// '_' are gaps and '~' is missing data, even if the format uses other characters for them. A2M and
// PSI-BLAST files give a reference line (alignment_parsers.h). Annotation that MultipleAlignment
// cannot hold is checked and dropped.
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

/// The kind of an alignment's letters, according to their composition.
enum class AlignmentLetterKind { kUnknown, kProtein, kDna, kRna };

/// The reason why a file is not an alignment, for programs that report it in HMMER's words.
struct AlignmentFault {
    enum class Kind {
        kNone,
        kNotOpened,  // the file does not exist, or there is no permission to read it
        kNoFormat,   // the format could not be recognised
        kMalformed,
        kEmpty,   // no alignment in the file
        kDamaged  // reading failed: a damaged compressed file, or an error of the system
    };
    Kind kind = Kind::kNone;
    std::string what;        // HMMER's words
    std::uint64_t line = 0;  // from 1; for kMalformed
};

/// A reader of alignments. It holds one alignment in memory, and the whole file while it examines a
/// PHYLIP file. Not thread-safe.
class AlignmentReader {
   public:
    /// Reads `file`, which may be compressed (formats/io/byte_source.h); "-" is standard input. The
    /// first call of next(), letter_kind() or open() opens the file, and returns errors of opening.
    /// Without `format`, the format is recognised by the first line and the suffix of the name, as
    /// in HMMER.
    explicit AlignmentReader(std::filesystem::path file, std::optional<AlignmentFormat> format = std::nullopt,
                             std::size_t block_bytes = kDefaultBlockBytes);
    /// Reads a file that is open already, from its first byte on.
    AlignmentReader(std::filesystem::path file, ByteSource source,
                    std::optional<AlignmentFormat> format = std::nullopt);
    ~AlignmentReader();
    AlignmentReader(AlignmentReader&&) noexcept;
    AlignmentReader& operator=(AlignmentReader&&) noexcept;

    /// Opens the file and recognises its format.
    Status open();
    /// Reads the next alignment. Returns false after the last one. A file without any alignment is
    /// an error. The error for a malformed alignment names the file, the line, what was found and
    /// what is wrong with it. After an error, `alignment` must not be used, and every further call
    /// returns the same error.
    Result<bool> next(MultipleAlignment& alignment);
    /// Returns the kind of the letters of the alignments that have not been read yet, and leaves
    /// them unread. Looks at 500 letters or more. Returns kUnknown if there are too few or if their
    /// composition is too unusual.
    Result<AlignmentLetterKind> letter_kind();

    /// Returns the format. Valid after open() or next().
    AlignmentFormat format() const;
    /// Returns the fault behind the last error.
    const AlignmentFault& fault() const;
    std::uint64_t alignments_read() const;
    std::uint64_t bytes_read() const;  // in the file as stored

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
