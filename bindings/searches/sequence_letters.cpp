#include "bindings/searches/sequence_letters.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include "bindings/searches/query_text.h"
#include "formats/fasta/fasta.h"
#include "libcore/sequence/letters.h"

namespace warpseq {
namespace {

/// Sequences that a thread reads at a time.
constexpr std::size_t kSequencesAtOnce = 256;

/// Reads letters with other signs among them as a file of one record.
Result<SequenceOfLetters> read_as_fasta(std::string_view letters, const std::string& name) {
    std::string text = ">" + name + "\n";
    text.append(letters);
    const auto file = QueryText::of_text(text, name);
    if (!file.ok()) return file.status();
    FastaReader reader({file->file()});
    FastaRecord record, second;
    if (const auto found = reader.next(record); !found.ok()) return file->named(found.status());
    const auto more = reader.next(second);
    if (!more.ok()) return file->named(more.status());
    if (*more) return Status::invalid_input(name + ": more than one sequence in a text that stands for one");
    return SequenceOfLetters{std::move(record.residues), reader.counts().gaps_removed};
}

}  // namespace

Result<SequenceOfLetters> read_letters(std::string_view letters, const std::string& name) {
    SequenceOfLetters sequence;
    sequence.residues.resize(letters.size());
    if (encode_letters(letters, sequence.residues.data())) return sequence;
    return read_as_fasta(letters, name);
}

Result<SequencesOfLetters> read_all_letters(std::span<const std::string_view> letters, const std::string& name,
                                            const ThreadPool& pool) {
    SequencesOfLetters all;
    std::vector<std::size_t> begins;  // in all.codes
    std::size_t size = 0;
    for (const std::string_view each : letters) {
        begins.push_back(size);
        size += each.size();
    }
    all.codes.resize(size);
    all.residues.resize(letters.size());
    std::mutex mutex;
    const auto read = [&](std::uint64_t part, unsigned) -> Status {
        const std::size_t end = std::min<std::size_t>((part + 1) * kSequencesAtOnce, letters.size());
        for (std::size_t i = part * kSequencesAtOnce; i < end; ++i) {
            ResidueCode* const codes = all.codes.data() + begins[i];
            all.residues[i] = {codes, letters[i].size()};
            if (encode_letters(letters[i], codes)) continue;
            auto sequence = read_letters(letters[i], name + "[" + std::to_string(i) + "]");
            if (!sequence.ok()) return sequence.status();
            all.residues[i] = sequence->residues;
            const std::lock_guard lock(mutex);
            all.gaps_removed += sequence->gaps_removed;
            all.others.push_back(std::move(sequence->residues));
        }
        return {};
    };
    WARPSEQ_TRY(pool.parallel_for((letters.size() + kSequencesAtOnce - 1) / kSequencesAtOnce, read));
    for (const auto& residues : all.residues) all.total_residues += residues.size();
    return all;
}

}  // namespace warpseq
