// Measures how fast FASTA is read, in bytes of text per second. The text is plain, gzip or zstd, of
// synthetic proteins, in the page cache.
#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/synthetic_fasta.h"
#include "formats/fasta/fasta.h"

namespace {

using namespace warpseq;

constexpr std::uint64_t kResidues = 50'000'000;

enum Storage : int { kPlain, kGzip, kZstd };

std::string synthetic_text() {
    SyntheticOptions options;
    options.residues = kResidues;
    ThreadPool pool(ThreadPool::hardware_threads());
    std::string text;
    const auto append = [&](std::string_view piece) {
        text += piece;
        return Status();
    };
    if (!write_synthetic_fasta(options, pool, append).ok()) std::abort();
    return text;
}

std::string compressed(const std::string& text, Storage storage) {
    if (storage == kPlain) return text;
    std::string stored;
    if (storage == kZstd) {
        stored.resize(ZSTD_compressBound(text.size()));
        stored.resize(ZSTD_compress(stored.data(), stored.size(), text.data(), text.size(), 3));
        return stored;
    }
    z_stream stream{};
    if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
    stored.resize(deflateBound(&stream, text.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_out = static_cast<uInt>(stored.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
    stored.resize(stream.total_out);
    deflateEnd(&stream);
    return stored;
}

void read_fasta(benchmark::State& state) {
    const std::string text = synthetic_text();
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("warpseq-bench-" + std::to_string(::getpid()) + ".fa");
    {
        const std::string stored = compressed(text, static_cast<Storage>(state.range(0)));
        std::ofstream(file, std::ios::binary).write(stored.data(), static_cast<std::streamsize>(stored.size()));
    }
    for (auto _ : state) {
        FastaReader reader({file});
        FastaRecord record;
        for (;;) {
            const Result<bool> got = reader.next(record);
            if (!got.ok()) state.SkipWithError(got.status().message().c_str());
            if (!got.ok() || !*got) break;
            benchmark::DoNotOptimize(record.residues.data());
        }
        if (reader.counts().residues != kResidues) state.SkipWithError("residues are missing");
    }
    std::filesystem::remove(file);
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(read_fasta)
    ->ArgName("plain0_gzip1_zstd2")
    ->Arg(kPlain)
    ->Arg(kGzip)
    ->Arg(kZstd)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
