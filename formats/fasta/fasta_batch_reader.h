// FASTA read by all threads of a pool, into batches of packed records. What is read, counted and
// said is what FastaReader reads, counts and says, in the same order, whatever the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/nucleotide_detector.h"
#include "formats/fasta/record_batch.h"
#include "formats/fasta/record_limits.h"
#include "formats/io/byte_source.h"
#include "formats/io/pending_copies.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct FastaBatchOptions {
    FastaOptions reading = {};  // may_read_in_batches()
    /// Whether a sequence is wanted; called by all threads. Empty: all are.
    std::function<bool(std::string_view header, std::uint64_t residues)> wanted = {};
    std::size_t piece_bytes = std::size_t{1} << 20;  // about as much is parsed at a time; only tests need another value
    /// The limits on records that are wanted. A larger record is refused with the error that
    /// `refuse` returns, and is not held in memory before.
    RecordLimits limits = {};
    /// Memory for gzip that is decoded before its turn, beside ByteSource::kDecoderBytes for each
    /// thread.
    std::uint64_t decoding_bytes = 0;
};

class FastaBatchReader {
   public:
    /// What batches have no room for: where residues are lower-case ones, and which were left out.
    static bool may_read_in_batches(const FastaOptions& reading);

    /// Files as FastaReader has them; the pool has to outlive the reader.
    FastaBatchReader(std::vector<std::filesystem::path> files, FastaBatchOptions options, const ThreadPool& pool);
    /// A single file that is open already, from its first byte on.
    FastaBatchReader(std::filesystem::path file, ByteSource source, FastaBatchOptions options, const ThreadPool& pool);
    ~FastaBatchReader();
    FastaBatchReader(FastaBatchReader&&) noexcept;
    FastaBatchReader& operator=(FastaBatchReader&&) noexcept;

    /// As RecordSource has it.
    using Take = std::function<Result<bool>(const RecordBatch& batch, PendingCopies& copies)>;
    /// Reads all, once. take() is called by one thread at a time, though not always the same one,
    /// in the order of the records; make_room() by the calling thread while the pool is at rest.
    /// The first error, of the file or of either, ends the reading.
    Status read(const Take& take, const std::function<Status()>& make_room);

    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;  // after read()
    const NucleotideDetector& nucleotides() const;
    std::uint64_t bytes_read() const;  // of the files as stored; thread-safe

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
