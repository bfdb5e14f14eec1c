// Parses identifiers of sequences (formats/blast/blast_seqid.h) in texts such as "sp|P12345|NAME"
// and "gi|12|ref|NP_1.1|".
//
// A name without a kind is an accession if it is spelled like one of a protein: of UniProt
// ("P12345", "A0A023GPI8"), RefSeq ("NP_000001.1"), GenBank, EMBL or DDBJ ("AAA12345.1"), or PDB
// ("1ABC_A"). Every other name is a local one.
#pragma once

#include <cstdint>
#include <span>
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
    bool takes_any_local = true;  // whether a local name may be one that is_valid_local_name() refuses, or have '|'
    bool takes_parts = true;      // whether text behind an identifier with a kind is ignored instead of an error
};

/// Parses a single identifier. An error has the message of NCBI's programs.
Result<BlastSeqId> parse_seqid(std::string_view text, const SeqIdReading& reading);

/// Appends the identifiers in `text`, such as "gi|12|ref|NP_1.1|", to `ids`. A text of blanks has
/// none. An error has the message of NCBI's programs; `ids` keeps the identifiers that were read
/// before it. If `takes_parts` is true, an identifier that cannot be read is skipped, unless it is
/// the last one.
Status parse_seqids(std::string_view text, const SeqIdReading& reading, std::vector<BlastSeqId>& ids);

/// Parses the first word of a definition line as NCBI's readers of FASTA do. They ignore a range of
/// residues at the word's end. There is at least one identifier. Accessions of nucleotides without
/// a kind become local names in capitals. An error has the message of NCBI's programs.
Result<std::vector<BlastSeqId>> parse_fasta_seqids(std::string_view word);
/// Returns an error with the message of NCBI's programs if an identifier is too long for those
/// readers. `line` is the number of the definition line in its file.
Status check_seqid_lengths(std::span<const BlastSeqId> ids, std::uint64_t line);
/// Whether `word`, the first one of a definition line, has commas that those readers replace by
/// underscores.
bool has_replaced_comma(std::string_view word);

/// Parses identifiers as makeblastdb -parse_seqids stores them. Its reader has read the first of
/// merged definition lines before, and the others not at all. There is at least one identifier.
/// Accessions of nucleotides without a kind become local names in capitals. An error has
/// makeblastdb's message.
Result<std::vector<BlastSeqId>> parse_stored_seqids(std::string_view text);

/// Whether `text` is an accession of nucleotides without a kind, such as "NM_000001.2".
bool is_nucleotide_accession(std::string_view text);
/// Whether `text` is an accession without a kind and a range of residues, such as "P12345:2-30" or
/// "NP_000001.1:c30-2". makeblastdb -parse_seqids names such a sequence by a number.
bool is_accession_with_range(std::string_view text);

}  // namespace warpseq
