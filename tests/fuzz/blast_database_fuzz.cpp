// Fuzz target: hostile databases of NCBI BLAST. The first four bytes say how many of the others are
// the index and the definition lines; the rest are the residues. Whatever the bytes, the reader
// must not crash, and what it reads must hold together.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "formats/blast/blast_database.h"
#include "formats/blast/blast_deflines.h"
#include "tests/fuzz/fuzz_support.h"

namespace {

using namespace warpseq;
using namespace warpseq::fuzz;

void write(const std::string& file, std::string_view bytes) {
    std::ofstream out(file, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    require(out.flush().good(), "the input can be written");
}

/// A database of this process alone, in memory, that goes with it.
struct Database {
    std::string name = std::string(std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp") +
                       "/warpseq-blast-fuzz-" + std::to_string(getpid());
    ~Database() {
        std::error_code ignored;
        for (const char* ending : {".pin", ".phr", ".psq"}) std::filesystem::remove(name + ending, ignored);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Database database;
    constexpr std::size_t kSizes = 4;
    if (size < kSizes) return 0;
    std::string_view rest = text_of(data, size).substr(kSizes);
    const auto take = [&](std::size_t bytes) {
        const std::string_view taken = rest.substr(0, bytes);
        rest.remove_prefix(taken.size());
        return taken;
    };
    const auto size_at = [&](std::size_t at) { return data[at] + std::size_t{256} * data[at + 1]; };
    const std::string_view index = take(size_at(0)), headers = take(size_at(2));
    if (const auto lines =
            read_blast_deflines({reinterpret_cast<const std::uint8_t*>(headers.data()), headers.size()})) {
        require(!lines->empty(), "there is a definition line");
        for (const StoredDefline& line : *lines)
            require(line.title.size() <= headers.size(), "a title is no longer than what it is read from");
    }
    write(database.name + ".pin", index);
    write(database.name + ".phr", headers);
    write(database.name + ".psq", rest);
    auto reader = BlastDatabaseReader::open(database.name);
    if (!reader.ok()) {
        require_message(reader.status());
        return 0;
    }
    FastaRecord record;
    std::uint64_t records = 0, residues = 0;
    for (;;) {
        const auto more = reader->next(record);
        if (!more.ok()) {
            require_message(more.status());
            return 0;
        }
        if (!*more) break;
        ++records;
        residues += record.residues.size();
        require(!identifier_of(record.header).empty(), "a header begins with an identifier");
        require(record.header.find_first_of("\r\n") == std::string::npos, "a header is one line");
        for (const ResidueCode code : record.residues) require(code < kResidueCodes, "residues are codes");
        require(record.residues.size() <= rest.size(), "residues are those of the file");
    }
    require(records == reader->sequence_count(), "all sequences are read");
    require(residues + reader->counts().gaps_removed == reader->residue_count(), "all residues are read");
    require(reader->verify_unchanged().ok(), "nobody changes the files");
    return 0;
}
