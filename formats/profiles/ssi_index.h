// Indices of profiles by name and accession, as Easel's programs read and write them (SSI, version
// 3).
//
// Big-endian. Header: u32 "ssi3" with the high bit of each byte set, u32 flags 0, u32 8 (bytes of
// an offset), u16 files, u64 names, u64 accessions, u32 [3] widths of a file's name as it was
// given, of a name and of an accession, each with a NUL, u32 [3] bytes of a record of each, u64 [3]
// where each kind begins. Records of files: name without its folder, u32 [4] 0. Of names, in the
// order of bytes: name, u16 file, u64 offset, u64 [2] 0. Of accessions, likewise: accession, name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

struct SsiEntry {
    std::string name, accession;  // empty: none
    std::uint64_t offset = 0;     // where the profile begins in its file
};

/// The index of one file, whose name is as it was given: its folder is not in the index, but counts
/// for the width, as in HMMER's. Names and accessions are unique.
std::string ssi_index(const std::string& file, std::vector<SsiEntry> entries);

}  // namespace warpseq
