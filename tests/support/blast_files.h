// A writer of small NCBI BLAST databases for tests. It writes what makeblastdb writes, and lets a
// test change any byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace warpseq::testing {

/// Returns an element of ASN.1's basic encoding. If `is_open`, it has an end mark instead of a
/// length, as NCBI's elements do.
inline std::string element(int tag, const std::string& content, bool is_open = true) {
    std::string out(1, static_cast<char>(tag));
    if (is_open) return out + '\x80' + content + std::string(2, '\0');
    if (content.size() < 128) return out + static_cast<char>(content.size()) + content;
    out += '\x82';
    out += static_cast<char>(content.size() >> 8);
    return out + static_cast<char>(content.size() & 255) + content;
}
inline std::string part(int number, const std::string& content) { return element(0xa0 + number, content); }
inline std::string text_element(const std::string& text) { return element(0x1a, text, false); }
inline std::string number_element(std::int64_t number) {
    std::string bytes;
    do {
        bytes.insert(bytes.begin(), static_cast<char>(number & 255));
        number >>= 8;
    } while (number != 0 && number != -1);
    if (number == 0 && (bytes[0] & 0x80) != 0) bytes.insert(bytes.begin(), '\0');
    return element(0x02, bytes, false);
}
/// Returns a SEQUENCE with this content.
inline std::string sequence(const std::string& content) { return element(0x30, content); }

inline std::string local_id(const std::string& name) { return part(0, part(1, text_element(name))); }
inline std::string gi(std::int64_t number) { return part(11, number_element(number)); }
/// Returns a textual identifier. The kinds are 4 genbank, 5 embl, 6 pir, 7 swissprot, 9 refseq, 12
/// ddbj, 13 prf, and 15 to 17 third parties.
inline std::string textual_id(int kind, const std::string& accession, int version, const std::string& name,
                              const std::string& release = "") {
    std::string parts;
    if (!name.empty()) parts += part(0, text_element(name));
    if (!accession.empty()) parts += part(1, text_element(accession));
    if (!release.empty()) parts += part(2, text_element(release));
    if (version > 0) parts += part(3, number_element(version));
    return part(kind, sequence(parts));
}
inline std::string numbered_id(std::int64_t number) {
    return part(10, sequence(part(0, text_element("BL_ORD_ID")) + part(1, part(0, number_element(number)))));
}
inline std::string defline(const std::string& title, const std::string& ids, std::int64_t taxid = 0) {
    return sequence(part(0, text_element(title)) + part(1, sequence(ids)) + part(2, number_element(taxid)));
}

struct StoredSequence {
    std::string deflines;  // one or more, one after another
    std::string residues;  // codes from 0 to 27
};

inline std::string big_endian_bytes(std::uint64_t number) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 255);
    return out;
}

/// The bytes of a volume's three files.
struct BlastFiles {
    std::string index, headers, residues;

    BlastFiles(const std::vector<StoredSequence>& sequences, int version, const std::string& title = "A title",
               const std::string& date = "Nov 23, 2026  1:53 PM") {
        std::string header_offsets, sequence_offsets;
        residues.assign(1, '\0');
        std::uint64_t total = 0, longest = 0;
        for (const StoredSequence& each : sequences) {
            header_offsets += big_endian_bytes(headers.size());
            sequence_offsets += big_endian_bytes(residues.size());
            headers += sequence(each.deflines);
            residues += each.residues + '\0';
            total += each.residues.size();
            longest = std::max<std::uint64_t>(longest, each.residues.size());
        }
        const auto text = [](const std::string& bytes) { return big_endian_bytes(bytes.size()) + bytes; };
        index = big_endian_bytes(static_cast<std::uint64_t>(version)) + big_endian_bytes(1);
        if (version == 5) index += big_endian_bytes(0);
        index += text(title);
        if (version == 5) index += text("x.pdb");
        std::string padded = date;
        while ((index.size() + 4 + padded.size()) % 8 != 4) padded += '\0';
        index += text(padded) + big_endian_bytes(sequences.size());
        for (int byte = 0; byte < 8; ++byte) index += static_cast<char>(total >> (8 * byte) & 255);
        index += big_endian_bytes(longest) + header_offsets + big_endian_bytes(headers.size()) + sequence_offsets +
                 big_endian_bytes(residues.size());
    }

    void write(const ScratchFolder& folder, const std::string& name) const {
        for (const auto& [ending, bytes] :
             {std::pair(".pin", &index), std::pair(".phr", &headers), std::pair(".psq", &residues)}) {
            std::filesystem::remove(folder.path(name + ending));  // some file systems flush what is written over
            folder.write(name + ending, *bytes);
        }
    }
};

}  // namespace warpseq::testing
