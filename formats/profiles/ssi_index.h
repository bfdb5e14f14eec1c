// Writes indexes of profiles by name and accession, in the format SSI, version 3, of Easel's
// programs.
//
// Numbers are big-endian. Texts are padded with NULs to their widths.
//
//   header:
//     u32             magic 0xd3d3c9b3: "SSI3" with the high bit of each byte set.
//     u32, u32        flags, 0; bytes of an offset, 8.
//     u16, u64, u64   number of files, of names and of accessions.
//     u32 [3]         widths of a file's name as it was given, of a name and of an accession.
//                     Each includes a NUL.
//     u32 [3]         bytes of a record of files, of names and of accessions.
//     u64 [3]         offsets at which the records of files, of names and of accessions begin.
//   records of files:
//     text, u32 [4]   the file's name without its folder; 0.
//   records of names, in the order of bytes:
//     text, u16       the name; the file's number.
//     u64, u64 [2]    the profile's offset in the file; 0.
//   records of accessions, in the order of bytes:
//     text, text      the accession; the name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// A profile in the index.
struct SsiEntry {
    std::string name, accession;  // the accession is empty if there is none
    std::uint64_t offset = 0;     // offset at which the profile begins in its file
};

/// Returns the bytes of the index of one file. `file` is its name as it was given. As in HMMER's
/// index, the folder is left out of the record, but the width of the field has room for it. Names
/// and accessions must be unique.
std::string ssi_index(const std::string& file, std::vector<SsiEntry> entries);

}  // namespace warpseq
