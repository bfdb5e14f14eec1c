// FastaBatchReader reads FASTA with all threads of a pool, into batches of packed records. Records,
// counts and errors are the same as those of FastaReader, and in the same order, with any number of
// threads.
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
    FastaOptions reading = {};  // may_read_in_batches() must hold
    /// Returns whether a sequence is wanted. Several threads call it at the same time. If it is
    /// empty, all sequences are wanted.
    std::function<bool(std::string_view header, std::uint64_t residues)> wanted = {};
    std::size_t piece_bytes = std::size_t{1} << 20;  // parsed at a time, approximately; only tests need another value
    /// The limits on records that are wanted. A larger record is refused with the error that
    /// `refuse` returns, before it is held in memory.
    RecordLimits limits = {};
    /// Memory for gzip data that is decoded ahead, in addition to ByteSource::kDecoderBytes for
    /// each thread.
    std::uint64_t decoding_bytes = 0;
};

class FastaBatchReader {
   public:
    /// Whether records read with these options fit in batches. Batches cannot hold the positions of
    /// lower-case letters, nor those of bytes that were left out. A '>' at the beginning of a line
    /// has to begin a record.
    static bool may_read_in_batches(const FastaOptions& reading);

    /// Reads `files` as FastaReader does. The pool has to outlive the reader.
    FastaBatchReader(std::vector<std::filesystem::path> files, FastaBatchOptions options, const ThreadPool& pool);
    /// Reads a single file that is open already, from its first byte on.
    FastaBatchReader(std::filesystem::path file, ByteSource source, FastaBatchOptions options, const ThreadPool& pool);
    ~FastaBatchReader();
    FastaBatchReader(FastaBatchReader&&) noexcept;
    FastaBatchReader& operator=(FastaBatchReader&&) noexcept;

    /// A callback as described at RecordSource::Take (formats/wsdb/record_source.h).
    using Take = std::function<Result<bool>(const RecordBatch& batch, PendingCopies& copies)>;
    /// Reads all records. Call it once. take() is called by one thread at a time, though not always
    /// the same one, in the order of the records. make_room() is called by the calling thread while
    /// the pool is idle. The first error of a file, take() or make_room() ends the reading and is
    /// returned.
    Status read(const Take& take, const std::function<Status()>& make_room);

    const FastaCounts& counts() const;
    const std::vector<FastaSource>& sources() const;  // complete after read()
    const NucleotideDetector& nucleotides() const;
    std::uint64_t bytes_read() const;  // in the files as stored; thread-safe

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
