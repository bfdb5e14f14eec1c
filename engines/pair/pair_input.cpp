#include "engines/pair/pair_input.h"

#include <array>
#include <sstream>
#include <unordered_map>

#include "formats/fasta/fasta.h"
#include "formats/io/byte_source.h"
#include "formats/io/shown_text.h"

namespace warpseq {

namespace {

using LetterCounts = std::array<std::uint64_t, kResidueCodes>;

struct SequenceFile {
    std::string name;  // as in messages
    std::vector<PairSequence> records;
    LetterCounts letters{};
};

/// Adds a record to a file's records. A record without residues is an error.
Status add_record(PairSequence record, SequenceFile& file) {
    if (record.residues.empty()) {
        return Status::invalid_input(file.name + ": record " + std::to_string(file.records.size() + 1) + ", " +
                                     shown_text(identifier_of(record.header)) +
                                     ", has no residues; there is nothing to align");
    }
    for (const ResidueCode code : record.residues) ++file.letters[code];
    file.records.push_back(std::move(record));
    return {};
}

std::string shown_name(const std::filesystem::path& file) { return file == "-" ? "standard input" : file.string(); }

/// Reads only the first record unless all are wanted. Then it looks for one more and notes that
/// there is one.
Result<SequenceFile> read_file(const std::filesystem::path& file, bool all, std::vector<PairNote>& notes) {
    SequenceFile result;
    result.name = shown_name(file);
    FastaReader reader({file});
    FastaRecord record;
    for (std::uint64_t number = 1;; ++number) {
        const auto more = reader.next(record);
        if (!more.ok()) return more.status();
        if (!*more) break;
        if (number == 2 && !all) {
            notes.push_back({result.name + " holds more than one sequence; the first, " +
                                 std::string(identifier_of(result.records[0].header)) + ", is aligned",
                             Advice::kAlignMore});
            break;
        }
        WARPSEQ_TRY(add_record({std::string(header_without_trailing_blanks(record.header)), std::move(record.residues)},
                               result));
        record = {};
    }
    if (const std::uint64_t gaps = reader.counts().gaps_removed; gaps > 0) {
        notes.push_back({result.name + ": " + std::to_string(gaps) + " gap characters ('-' or '.') removed"});
    }
    return result;
}

bool looks_like_nucleotides(const LetterCounts& letters) {
    std::uint64_t all = 0, usual = 0;
    for (std::size_t code = 0; code < kResidueCodes; ++code) {
        if (letters[code] == 0) continue;
        if (kNucleotideOfResidue[code] == kNotNucleotide) return false;
        all += letters[code];
        if (std::string_view("ACGTUN").find(kResidueLetters[code]) != std::string_view::npos) usual += letters[code];
    }
    return 10 * usual >= 9 * all;
}

Result<Alphabet> guess_alphabet(const SequenceFile& query, const SequenceFile& target) {
    const bool query_dna = looks_like_nucleotides(query.letters), target_dna = looks_like_nucleotides(target.letters);
    if (query_dna == target_dna) return query_dna ? Alphabet::kNucleotide : Alphabet::kProtein;
    const auto kind = [](bool dna) { return dna ? "nucleotides" : "proteins"; };
    return Status::invalid_input(query.name + " looks like " + kind(query_dna) + ", " + target.name + " like " +
                                 kind(target_dna) +
                                 ": they cannot be aligned with each other; if the guess is wrong, say which they are")
        .with(Advice::kAlphabet);
}

Status to_nucleotides(SequenceFile& file) {
    for (std::size_t r = 0; r < file.records.size(); ++r) {
        PairSequence& record = file.records[r];
        for (std::size_t i = 0; i < record.residues.size(); ++i) {
            const ResidueCode code = kNucleotideOfResidue[record.residues[i]];
            if (code == kNotNucleotide) {
                return Status::invalid_input(
                    file.name + ": record " + std::to_string(r + 1) + ", " + shown_text(identifier_of(record.header)) +
                    ", position " + std::to_string(i + 1) + ": found '" + residue_letter(record.residues[i]) +
                    "', which is not a nucleotide; expected A, C, G, T, U or R, Y, S, W, K, M, B, D, H, V, N");
            }
            record.residues[i] = code;
        }
    }
    return {};
}

/// Decides for an alphabet, unless it is given, and changes all residues to its codes.
Status set_alphabet(std::optional<Alphabet> given, SequenceFile& queries, SequenceFile& targets, PairInput& input) {
    if (given) {
        input.alphabet = *given;
    } else {
        const auto guess = guess_alphabet(queries, targets);
        if (!guess.ok()) return guess.status();
        input.alphabet = *guess;
        input.notes.push_back(input.alphabet == Alphabet::kNucleotide
                                  ? PairNote{"the sequences are taken for nucleotides", Advice::kProteins}
                                  : PairNote{"the sequences are taken for proteins", Advice::kNucleotides});
    }
    if (input.alphabet != Alphabet::kNucleotide) return {};
    WARPSEQ_TRY(to_nucleotides(queries));
    return to_nucleotides(targets);
}

/// Records by identifier. An identifier that occurs twice names no record.
class Identifiers {
   public:
    explicit Identifiers(const SequenceFile& file) : file_(file) {
        for (std::size_t r = 0; r < file.records.size(); ++r) {
            const auto [at, is_new] = records_.try_emplace(identifier_of(file.records[r].header), r);
            if (!is_new) at->second = kAmbiguous;
        }
    }
    Result<std::size_t> find(std::string_view identifier) const {
        const auto at = records_.find(identifier);
        if (at == records_.end())
            return Status::invalid_input("there is no " + shown_text(identifier) + " in " + file_.name);
        if (at->second == kAmbiguous) {
            return Status::invalid_input("there are several records " + shown_text(identifier) + " in " + file_.name);
        }
        return at->second;
    }

   private:
    static constexpr std::size_t kAmbiguous = ~std::size_t{0};
    const SequenceFile& file_;
    std::unordered_map<std::string_view, std::size_t> records_;
};

Result<std::vector<std::pair<std::size_t, std::size_t>>> read_pairs(const std::filesystem::path& file,
                                                                    const SequenceFile& queries,
                                                                    const SequenceFile& targets) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    const auto text = source->read_rest();
    if (!text.ok()) return text.status();
    const Identifiers query_names(queries), target_names(targets);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::istringstream lines(*text);
    lines.exceptions(std::ios::badbit);  // running out of memory must not look like the end of the list
    std::string line;
    for (std::uint64_t number = 1; std::getline(lines, line); ++number) {
        const auto wrong = [&](const std::string& what) {
            return Status::invalid_input(shown_name(file) + ": line " + std::to_string(number) + ": " + what);
        };
        std::istringstream words(line);
        words.exceptions(std::ios::badbit);
        std::string query, target, more;
        if (!(words >> query) || query.front() == '#') continue;
        if (!(words >> target) || (words >> more)) {
            return wrong("expected two identifiers, one of " + queries.name + " and one of " + targets.name);
        }
        const auto q = query_names.find(query), t = target_names.find(target);
        if (!q.ok()) return wrong(q.status().message());
        if (!t.ok()) return wrong(t.status().message());
        pairs.emplace_back(*q, *t);
    }
    if (pairs.empty())
        return Status::invalid_input(shown_name(file) + ": lists no pairs; a line has an identifier of each file");
    return pairs;
}

}  // namespace

std::uint64_t PairInput::pair_count() const {
    return all_pairs ? std::uint64_t{queries.size()} * targets.size() : listed.size();
}

std::pair<std::size_t, std::size_t> PairInput::pair(std::uint64_t index) const {
    if (!all_pairs) return listed[index];
    return {index / targets.size(), index % targets.size()};
}

Result<PairInput> read_pair_input(const PairInputSettings& settings) {
    PairInput input;
    const bool all = settings.all_pairs || settings.pairs_file.has_value();
    auto queries = read_file(settings.query_file, all, input.notes);
    if (!queries.ok()) return queries.status();
    auto targets = read_file(settings.target_file, all, input.notes);
    if (!targets.ok()) return targets.status();
    WARPSEQ_TRY(set_alphabet(settings.alphabet, *queries, *targets, input));
    input.all_pairs = settings.all_pairs;
    if (settings.pairs_file) {
        auto pairs = read_pairs(*settings.pairs_file, *queries, *targets);
        if (!pairs.ok()) return pairs.status();
        input.listed = *std::move(pairs);
    } else if (!all) {
        input.listed.emplace_back(0, 0);
    }
    input.queries = std::move(queries->records);
    input.targets = std::move(targets->records);
    return input;
}

Result<PairInput> make_pair_input(PairSequence query, PairSequence target, std::optional<Alphabet> alphabet,
                                  const std::pair<std::string, std::string>& names) {
    SequenceFile queries, targets;
    queries.name = names.first;
    targets.name = names.second;
    WARPSEQ_TRY(add_record(std::move(query), queries));
    WARPSEQ_TRY(add_record(std::move(target), targets));
    PairInput input;
    WARPSEQ_TRY(set_alphabet(alphabet, queries, targets, input));
    input.queries = std::move(queries.records);
    input.targets = std::move(targets.records);
    input.listed.emplace_back(0, 0);
    return input;
}

}  // namespace warpseq
