// Parses identifiers of sequences (formats/blast/blast_seqid.h) in texts such as "sp|P12345|NAME"
// and "gi|12|ref|NP_1.1|".
//
// A name without a kind is an accession if it is spelled like one of a protein: of UniProt
// ("P12345", "A0A023GPI8"), RefSeq ("NP_000001.1"), GenBank, EMBL or DDBJ ("AAA12345.1"), or PDB
// ("1ABC_A"). Every other name is a local one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/blast/blast_seqid.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The rules for parsing identifiers, most of them for names without a kind.
struct SeqIdReading {
    bool finds_accessions = true;  // whether a name may be an accession, such as P12345
    bool numbers_are_gis = false;
    bool takes_local = true;      // whether any other name is local instead of an error
    bool takes_any_local = true;  // whether a local name may have ' ', '>', '[', ']', '|', '"' or over 50 letters
    bool takes_parts = true;      // whether text behind an identifier with a kind is ignored instead of an error
};

/// Parses a single identifier. An error has the message of NCBI's programs.
Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading);

/// Appends the identifiers in `text`, such as "gi|12|ref|NP_1.1|", to `ids`. A text of blanks has
/// none. An error has the message of NCBI's programs; `ids` keeps the identifiers that were read
/// before it. If `takes_parts` is true, an identifier that cannot be read is skipped, unless it is
/// the last one.
Status parse_seqids(std::string_view text, const SeqIdReading& reading, std::vector<BlastSeqId>& ids);

/// Parses the identifiers at the front of a definition line as NCBI's readers of FASTA do. There is
/// at least one. `text` is the first word of the definition line. Accessions of nucleotides without
/// a kind become local names in capitals. An error has the message of NCBI's programs, here and
/// below.
Result<std::vector<BlastSeqId>> parse_given_seqids(std::string_view text);

/// Returns an error if an identifier is longer than NCBI's readers of FASTA allow. `line` is the
/// number of the definition line in its file.
Status check_seqid_lengths(const std::vector<BlastSeqId>& ids, std::uint64_t line);

/// Whether `text`, the first word of a definition line, has commas that become underscores in its
/// identifier.
bool has_replaced_comma(std::string_view text);

/// Returns what parse_given_seqids() returns. Identifiers that are too long are errors, and so are
/// names that makeblastdb -parse_seqids refuses besides.
Result<std::vector<BlastSeqId>> parse_defline_seqids(std::string_view text, std::uint64_t line);

/// Whether `text` is an accession without a kind and a range of residues, such as "P12345:2-30" or
/// "NP_000001.1:c30-2". makeblastdb -parse_seqids names such a sequence by a number.
bool is_accession_with_range(std::string_view text);

}  // namespace warpseq
