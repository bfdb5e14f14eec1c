// Identifiers of sequences (formats/blast/blast_seqid.h) in texts: "sp|P12345|NAME", "gi|12|ref|NP_1.1|".
//
// A name without a kind is an accession where it is spelled as one of a protein: of UniProt
// ("P12345", "A0A023GPI8"), RefSeq ("NP_000001.1"), GenBank, EMBL or DDBJ ("AAA12345.1"), or PDB
// ("1ABC_A"). Every other one is local.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/blast/blast_seqid.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The rules for identifiers without a kind.
struct SeqIdReading {
    bool finds_accessions = true;  // P12345 is Swiss-Prot's; false: only a kind says so
    bool numbers_are_gis = false;
    bool takes_local = true;      // any other name is a local one; false: it is an error
    bool takes_any_local = true;  // also with blanks, '>', '[', ']', '|', '"' or over 50 letters
    bool takes_parts = true;      // text that follows an id with its kind is ignored; false: error
};

/// Reads a single identifier. An error has the words of NCBI's programs.
Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading);

/// Appends the identifiers in `text`, such as "gi|12|ref|NP_1.1|", to `ids`; none from blanks alone.
/// An error is as above and leaves those that were read before it. With takes_parts an identifier
/// that cannot be read is skipped, unless it is the last.
Status parse_seqids(std::string_view text, const SeqIdReading& reading, std::vector<BlastSeqId>& ids);

/// Reads the identifiers at the front of a definition line as makeblastdb -parse_seqids does, at
/// least one. `text` is the line's first word, `line` its number in the file. Accessions of
/// nucleotides without a kind become local names in capitals. An error is makeblastdb's.
Result<std::vector<BlastSeqId>> parse_defline_seqids(std::string_view text, std::uint64_t line);

/// Whether `text` is an accession without a kind and a range of residues: "P12345:2-30",
/// "NP_000001.1:c30-2". makeblastdb -parse_seqids gives such a sequence a number for its name.
bool is_accession_with_range(std::string_view text);

}  // namespace warpseq
