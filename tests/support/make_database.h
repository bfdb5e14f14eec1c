// Makes databases for tests from sequences in memory, without a FASTA file, and changes their
// bytes.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <xxhash.h>

#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_writer.h"
#include "libcore/base/random.h"
#include "libcore/base/thread_pool.h"
#include "tests/support/wsdb_checksums.h"

namespace warpseq::testing {

struct TestSequence {
    std::string header;
    std::vector<ResidueCode> residues;
    bool operator==(const TestSequence&) const = default;
};

inline std::vector<ResidueCode> random_residues(Random& random, std::uint64_t length, int codes = kResidueCodes) {
    std::vector<ResidueCode> residues(length);
    for (auto& code : residues) code = static_cast<ResidueCode>(random.below(static_cast<std::uint64_t>(codes)));
    return residues;
}

struct DatabaseSettings {
    ResidueCodec codec = ResidueCodec::kPacked;
    unsigned threads = 1;
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;
};

inline WsdbSummary make_database(const std::filesystem::path& file, const std::vector<TestSequence>& sequences,
                                 const DatabaseSettings& settings = {}) {
    ThreadPool pool(settings.threads);
    WsdbWriterOptions options;
    options.codec = settings.codec;
    options.memory_bytes = settings.memory_bytes;
    options.replace = true;
    auto writer = WsdbWriter::create(file, options, pool);
    REQUIRE_MESSAGE(writer.ok(), writer.status().message());
    for (const TestSequence& sequence : sequences) {
        const Status added = writer->add(sequence.header, sequence.residues);
        REQUIRE_MESSAGE(added.ok(), added.message());
    }
    WsdbInputFacts facts;
    facts.provenance_json = R"({"program":"test"})";
    auto summary = writer->finish(facts);
    REQUIRE_MESSAGE(summary.ok(), summary.status().message());
    return *summary;
}

inline std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    REQUIRE(in.good());
    return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(in), {});
}

inline void write_bytes(const std::filesystem::path& file, const std::vector<std::uint8_t>& bytes) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(out.flush().good());
}

inline wsdb::FileHeader header_of(const std::vector<std::uint8_t>& bytes) {
    wsdb::FileHeader header;
    REQUIRE(bytes.size() >= sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

inline wsdb::SectionEntry section_of(const std::vector<std::uint8_t>& bytes, wsdb::SectionType type) {
    const wsdb::FileHeader header = header_of(bytes);
    for (std::uint32_t i = 0; i < header.section_count; ++i) {
        if (header.sections[i].type == static_cast<std::uint32_t>(type)) return header.sections[i];
    }
    FAIL("no section " << wsdb::section_name(type));
    return {};
}

/// Overwrites a number in the file's bytes.
template <typename T>
void put(std::vector<std::uint8_t>& bytes, std::uint64_t offset, T value) {
    REQUIRE(offset + sizeof value <= bytes.size());
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}
template <typename T>
T get(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
    T value;
    REQUIRE(offset + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

}  // namespace warpseq::testing
