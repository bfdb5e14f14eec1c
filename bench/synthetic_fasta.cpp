// Makes the text in pieces of a fixed number of random residues. Each piece has a random stream of
// its own, so threads can make pieces in any order. A thread that has finished a piece waits for
// its turn to hand it on.
#include "bench/synthetic_fasta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <utility>

#include "libcore/base/random.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kPieceResidues = std::uint64_t{4} << 20;
constexpr std::uint64_t kLineResidues = 60;
constexpr std::uint64_t kShortestResidues = 2;  // Swiss-Prot's shortest

/// The frequency of each amino acid in Swiss-Prot of 2014, per million, in the order of residue
/// codes (A C D E F ... Y).
constexpr std::array<std::uint32_t, kAminoAcids> kPerMillion{82866, 13678, 54545, 67348, 38690, 71133, 22707,
                                                             59636, 58309, 96664, 24202, 40456, 47109, 39252,
                                                             55321, 65602, 53477, 68953, 10881, 29171};

/// The number of random bits for a letter. With twelve, a random number gives five letters, and
/// frequencies are multiples of 1/4096.
constexpr unsigned kLetterBits = 12;
using LetterTable = std::array<char, std::size_t{1} << kLetterBits>;

LetterTable make_letter_table() {
    LetterTable table{};
    std::uint64_t per_million = 0;
    std::size_t filled = 0;
    for (std::size_t code = 0; code < kAminoAcids; ++code) {
        per_million += kPerMillion[code];
        const auto stop = code + 1 == kAminoAcids
                              ? table.size()
                              : static_cast<std::size_t>((per_million * table.size() + 500'000) / 1'000'000);
        for (; filled < stop; ++filled) table[filled] = kResidueLetters[code];
    }
    return table;
}

/// Returns the random stream of a piece and purpose. Neighbouring numbers give unrelated streams.
Random stream(std::uint64_t seed, std::uint64_t number) {
    const std::uint64_t base = Random(seed).next();
    return Random(Random(base + number * 0xd1342543de82ef95u).next());
}

/// The maker of all pieces.
class Maker {
   public:
    explicit Maker(const SyntheticOptions& options)
        : options_(options),
          letters_(make_letter_table()),
          location_(std::log(kMedianResidues)),
          scale_(std::sqrt(2 * std::log(kMeanResidues / kMedianResidues))) {
        for (const SyntheticQuery& query : options.queries) {
            homolog_count_ += options.identities.size() * options.homologs;
            homolog_residues_ += query.residues.size() * options.identities.size() * options.homologs;
        }
    }

    std::uint64_t homolog_count() const { return homolog_count_; }
    std::uint64_t homolog_residues() const { return homolog_residues_; }
    std::uint64_t random_residues() const { return options_.residues - homolog_residues_; }
    std::uint64_t piece_count() const {
        return std::max<std::uint64_t>(1, (random_residues() + kPieceResidues - 1) / kPieceResidues);
    }

    /// Replaces `text` by piece `piece`. Returns the number of its sequences.
    std::uint64_t make_piece(std::uint64_t piece, std::string& text) const {
        text.clear();
        Random random = stream(options_.seed, 2 * piece);
        std::uint64_t left = std::min(kPieceResidues, random_residues() - piece * kPieceResidues);
        std::uint64_t sequences = 0;
        while (left > 0) {
            std::uint64_t length = draw_length(random);
            // The last sequence has all residues that are left, so that the total is right.
            if (length > left || left - length < kShortestResidues) length = left;
            text += ">S" + std::to_string(piece) + '_' + std::to_string(++sequences) + '\n';
            append_random(random, length, text);
            left -= length;
        }
        const std::uint64_t stop = homolog_count_ * (piece + 1) / piece_count();
        for (std::uint64_t homolog = homolog_count_ * piece / piece_count(); homolog < stop; ++homolog, ++sequences) {
            append_homolog(homolog, text);
        }
        return sequences;
    }

   private:
    std::uint64_t draw_length(Random& random) const {
        for (;;) {
            const double length = std::round(std::exp(location_ + scale_ * random.normal()));
            if (length >= static_cast<double>(kShortestResidues) &&
                length <= static_cast<double>(options_.longest_residues)) {
                return static_cast<std::uint64_t>(length);
            }
        }
    }

    void append_random(Random& random, std::uint64_t length, std::string& text) const {
        constexpr std::uint64_t kLettersPerNumber = 64 / kLetterBits;
        static_assert(kLineResidues % kLettersPerNumber == 0, "a line is filled with whole random numbers");
        std::size_t at = text.size();
        text.resize(at + length + (length + kLineResidues - 1) / kLineResidues + kLettersPerNumber);
        char* out = text.data();
        while (length > 0) {
            const std::uint64_t line = std::min(length, kLineResidues);
            for (std::uint64_t i = 0; i < line; i += kLettersPerNumber) {
                std::uint64_t bits = random.next();
                for (std::uint64_t j = 0; j < kLettersPerNumber; ++j, bits >>= kLetterBits) {
                    out[at + i + j] = letters_[bits % letters_.size()];
                }
            }
            at += line;
            out[at++] = '\n';
            length -= line;
        }
        text.resize(at);
    }

    void append_homolog(std::uint64_t number, std::string& text) const {
        const std::uint64_t per_query = options_.identities.size() * options_.homologs;
        const SyntheticQuery& query = options_.queries[number / per_query];
        const double identity = options_.identities[number % per_query / options_.homologs];
        const std::size_t length = query.residues.size();
        const auto matches = static_cast<std::size_t>(std::lround(identity * static_cast<double>(length)));

        // Substitute the first length - matches places of a random order.
        Random random = stream(options_.seed, 2 * number + 1);
        std::string letters = decode_residues(query.residues);
        std::vector<std::size_t> places(length);
        std::iota(places.begin(), places.end(), std::size_t{0});
        for (std::size_t i = 0; i < length - matches; ++i) {
            std::swap(places[i], places[i + static_cast<std::size_t>(random.below(length - i))]);
            char& letter = letters[places[i]];
            const char before = letter;
            while (letter == before) letter = letters_[random.next() % letters_.size()];
        }
        std::array<char, 96> figures{};
        std::snprintf(figures.data(), figures.size(), " identity=%.2f matches=%zu/%zu\n", identity, matches, length);
        text += ">H" + std::to_string(number + 1) + " homolog_of=" + query.name + figures.data();
        for (std::size_t at = 0; at < length; at += kLineResidues) {
            text += letters.substr(at, kLineResidues);
            text += '\n';
        }
    }

    const SyntheticOptions& options_;
    const LetterTable letters_;
    const double location_, scale_;  // location and scale of the logarithm of the lengths
    std::uint64_t homolog_count_ = 0, homolog_residues_ = 0;
};

}  // namespace

Result<SyntheticCounts> write_synthetic_fasta(const SyntheticOptions& options, const ThreadPool& pool,
                                              const std::function<Status(std::string_view)>& sink) {
    if (options.longest_residues < kShortestResidues) {
        return Status::usage("the longest sequence cannot be shorter than " + std::to_string(kShortestResidues) +
                             " residues");
    }
    for (const double identity : options.identities) {
        if (!(identity >= 0 && identity <= 1)) return Status::usage("an identity has to lie between 0 and 1");
    }
    const Maker maker(options);
    if (options.residues == 0 || options.residues < maker.homolog_residues()) {
        return Status::usage("at least " + std::to_string(std::max<std::uint64_t>(1, maker.homolog_residues())) +
                             " residues are needed, " + std::to_string(options.residues) + " were asked for");
    }

    std::vector<std::string> texts(pool.threads());
    std::mutex mutex;
    std::condition_variable turn_changed;
    std::uint64_t turn = 0;
    SyntheticCounts counts{0, options.residues, maker.homolog_count()};
    Status status;
    WARPSEQ_TRY(pool.parallel_for(maker.piece_count(), [&](std::uint64_t piece, unsigned thread) -> Status {
        std::uint64_t sequences = 0;
        const Status made = guarded([&] { sequences = maker.make_piece(piece, texts[thread]); });
        // Pieces are handed out in ascending order, so the thread whose turn it is never waits.
        std::unique_lock lock(mutex);
        if (made.ok()) turn_changed.wait(lock, [&] { return turn == piece || !status.ok(); });
        if (status.ok()) status = made.ok() ? guarded([&] { return sink(texts[thread]); }) : made;
        counts.sequences += sequences;
        ++turn;
        turn_changed.notify_all();
        return status;
    }));
    return counts;
}

}  // namespace warpseq
