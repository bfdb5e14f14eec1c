#include "engines/hmm/mapped_alignment.h"

#include <string>

#include "libcore/profile/aligned_rows.h"

namespace warpseq {

namespace {

/// Maker of a row's trace. Inserts and deletes may follow each other. Missing data has to be at the
/// ends.
class RowMapper {
   public:
    explicit RowMapper(AlignedSequence& sequence) : sequence_(sequence) {}

    /// Maps a row. Returns false if missing data is in the middle.
    bool map(const std::string& residues, const std::vector<bool>& consensus) {
        std::int32_t node = 0;
        for (std::size_t column = 0; column < residues.size(); ++column) {
            const char letter = residues[column];
            if (consensus[column]) ++node;
            if (letter == '~') {
                if (sequence_.trace.empty())
                    sequence_.cut_before = true;
                else
                    sequence_.cut_behind = true;
                continue;
            }
            if (is_gap_letter(letter) && !consensus[column]) continue;
            if (sequence_.cut_behind) return false;
            if (is_gap_letter(letter)) {
                sequence_.trace.push_back({TraceState::kDelete, node, 0, 0});
                continue;
            }
            sequence_.trace.push_back(
                {consensus[column] ? TraceState::kMatch : TraceState::kInsert, node, next_residue_, 0});
            sequence_.residues.push_back(encode_residues({&letter, 1}).front());
            // HMMER does not count a stop.
            if (letter != '*') ++next_residue_;
        }
        return true;
    }

   private:
    AlignedSequence& sequence_;
    std::int64_t next_residue_ = 1;
};

}  // namespace

Result<std::vector<AlignedSequence>> map_alignment(const ProfileHmm& hmm, const MultipleAlignment& alignment,
                                                   const std::string& file, const std::string& option) {
    if (!hmm.checksum) return Status::invalid_input("HMM has no checksum. " + option + " unreliable without it.");
    if (hmm.map.empty()) return Status::invalid_input("HMM has no map. " + option + " can't work without it.");
    const Status other =
        Status::invalid_input(option + " MSA " + file + " isn't same as the one HMM came from (checksum mismatch)");
    const Result<AlignedRows> rows = AlignedRows::from(alignment);
    if (!rows.ok()) return rows.status();
    if (rows->checksum() != *hmm.checksum) return other;
    std::vector<bool> consensus(alignment.columns(), false);
    for (const int column : hmm.map) {
        if (column < 1 || static_cast<std::size_t>(column) > consensus.size()) return other;
        consensus[static_cast<std::size_t>(column - 1)] = true;
    }
    std::vector<AlignedSequence> sequences;
    for (const MultipleAlignment::Row& row : alignment.rows) {
        AlignedSequence& sequence = sequences.emplace_back();
        sequence.name = row.name;
        sequence.accession = row.accession;
        sequence.description = row.description;
        if (!RowMapper(sequence).map(row.residues, consensus)) {
            return Status::invalid_input("row " + row.name + " of " + file + " has missing data (~) between residues");
        }
    }
    return sequences;
}

}  // namespace warpseq
