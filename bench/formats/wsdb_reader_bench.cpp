// Measures how fast a database is opened and its tiles are read, with both codecs. The file is in
// the page cache (warm) or not (cold). The database is made from WARPSEQ_BENCH_FASTA, or from
// synthetic proteins. Bytes per second are of packed tiles.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "bench/synthetic_fasta.h"
#include "formats/fasta/fasta.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_writer.h"
#include "libcore/base/thread_pool.h"

namespace {

using namespace warpseq;

constexpr std::uint64_t kSyntheticResidues = 100'000'000;
constexpr std::uint64_t kChunkBytes = std::uint64_t{8} << 20;

/// A database that is removed when the process ends.
class Database {
   public:
    explicit Database(ResidueCodec codec)
        : file_(std::filesystem::temp_directory_path() / ("warpseq-bench-" + std::to_string(::getpid()) +
                                                          (codec == ResidueCodec::kPacked ? "-packed" : "-zstd"))) {
        ThreadPool pool(ThreadPool::hardware_threads());
        std::filesystem::path fasta;
        const char* given = std::getenv("WARPSEQ_BENCH_FASTA");
        if (given != nullptr) {
            fasta = given;
        } else {
            fasta = file_.string() + ".fasta";
            make_synthetic(fasta, pool);
        }
        WsdbWriterOptions options;
        options.codec = codec;
        options.replace = true;
        auto writer = WsdbWriter::create(file_, options, pool);
        if (!writer.ok()) std::abort();
        FastaReader reader({fasta});
        FastaRecord record;
        for (;;) {
            const auto more = reader.next(record);
            if (!more.ok()) std::abort();
            if (!*more) break;
            if (!writer->add(record.header, record.residues).ok()) std::abort();
        }
        WsdbInputFacts facts;
        facts.provenance_json = "{}";
        if (!writer->finish(facts).ok()) std::abort();
        if (given == nullptr) std::filesystem::remove(fasta);
    }
    ~Database() { std::filesystem::remove(file_); }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    const std::filesystem::path& file() const { return file_; }

    /// Drops the file from the page cache. Its pages are clean, because the writer has synced it.
    void cool() const {
        const int descriptor = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) std::abort();
        ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
        ::close(descriptor);
    }

   private:
    static void make_synthetic(const std::filesystem::path& fasta, const ThreadPool& pool) {
        std::FILE* out = std::fopen(fasta.c_str(), "wb");
        if (out == nullptr) std::abort();
        SyntheticOptions options;
        options.residues = kSyntheticResidues;
        const auto append = [&](std::string_view piece) {
            if (std::fwrite(piece.data(), 1, piece.size(), out) != piece.size()) std::abort();
            return Status();
        };
        if (!write_synthetic_fasta(options, pool, append).ok()) std::abort();
        std::fclose(out);
    }
    std::filesystem::path file_;
};

const Database& database(ResidueCodec codec) {
    static const Database packed(ResidueCodec::kPacked);
    static const Database zstd(ResidueCodec::kZstd);
    return codec == ResidueCodec::kPacked ? packed : zstd;
}

void open_database(benchmark::State& state, ResidueCodec codec) {
    const Database& made = database(codec);
    for (auto _ : state) {
        auto reader = WsdbReader::open(made.file());
        if (!reader.ok()) std::abort();
        benchmark::DoNotOptimize(reader->tile_count());
    }
}

void read_all_tiles(benchmark::State& state, ResidueCodec codec, bool cold) {
    const Database& made = database(codec);
    const auto threads = static_cast<unsigned>(state.range(0));
    ThreadPool pool(threads);
    std::uint64_t bytes = 0, residues = 0;
    for (auto _ : state) {
        if (cold) {
            state.PauseTiming();
            made.cool();
            state.ResumeTiming();
        }
        const auto reader = WsdbReader::open(made.file());
        if (!reader.ok()) std::abort();
        std::vector<std::uint64_t> starts;
        std::uint64_t chunk = kChunkBytes;
        for (std::uint64_t tile = 0; tile < reader->tile_count(); ++tile) {
            if (chunk >= kChunkBytes && reader->block_start(tile) == tile) {
                starts.push_back(tile);
                chunk = 0;
            }
            chunk += reader->tile_bytes(tile);
            bytes += reader->tile_bytes(tile);
        }
        residues += reader->residue_count();
        starts.push_back(reader->tile_count());
        std::vector<TileBuffer> buffers(threads);
        const Status read = pool.parallel_for(starts.size() - 1, [&](std::uint64_t index, unsigned thread) {
            return reader->read_tiles(starts[index], starts[index + 1] - starts[index], buffers[thread]);
        });
        if (!read.ok()) std::abort();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
    state.counters["residues/s"] = benchmark::Counter(static_cast<double>(residues), benchmark::Counter::kIsRate);
    state.counters["file bytes"] = static_cast<double>(std::filesystem::file_size(made.file()));
}

BENCHMARK_CAPTURE(open_database, packed, ResidueCodec::kPacked)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open_database, zstd, ResidueCodec::kZstd)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_all_tiles, packed_warm, ResidueCodec::kPacked, false)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_all_tiles, zstd_warm, ResidueCodec::kZstd, false)
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_all_tiles, packed_cold, ResidueCodec::kPacked, true)
    ->Arg(2)
    ->UseRealTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_all_tiles, zstd_cold, ResidueCodec::kZstd, true)
    ->Arg(2)
    ->UseRealTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
