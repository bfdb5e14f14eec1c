// FASTA to database: what `dbconv` does, without its command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/fasta.h"
#include "formats/wsdb_writer.h"
#include "libcore/base/status.h"

namespace warpseq {

struct ConvertOptions {
    std::vector<std::filesystem::path> inputs;  // "-" is standard input
    std::filesystem::path output;
    std::filesystem::path temporary_folder;  // empty: beside the output
    ResidueCodec codec = ResidueCodec::kPacked;
    std::uint64_t memory_bytes = std::uint64_t{4} << 30;
    unsigned threads = 1;
    bool replace = false;         // an existing output
    bool skip_invalid = false;    // leave bad records out instead of refusing the file
    bool expect_protein = false;  // refuse what looks like nucleotides
    bool quiet = false;           // no progress bar
    /// Called for every record that skip_invalid leaves out.
    std::function<void(const std::string&)> on_invalid_record;
};

struct ConvertReport {
    WsdbSummary summary;
    FastaCounts counts;
    std::vector<std::string> warnings;  // in the order of their weight
};

Result<ConvertReport> convert(const ConvertOptions& options);

}  // namespace warpseq
