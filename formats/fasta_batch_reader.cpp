// Threads of the pool take turns at what there is to do next: cut a piece off the stream (one thread at a time), parse a
// piece, hand the oldest piece on once it is parsed (one at a time, in order). A piece ends in front of a '>' that begins a
// line. What does not end so within kLongestPiecePieces pieces is read sequentially, up to the end of its file.
#include "formats/fasta_batch_reader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <utility>

#include "formats/fasta_parser.h"

namespace warpseq {

namespace {

constexpr std::size_t kLongestPiecePieces = 8;

/// Where the last record begins that begins a line in `text`, its first byte apart; 0: none does.
std::size_t last_record(std::span<const std::uint8_t> text) {
    std::size_t size = text.size();
    while (size > 1) {
        const void* const found = memrchr(text.data() + 1, '>', size - 1);
        if (found == nullptr) return 0;
        const auto place = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - text.data());
        if (text[place - 1] == '\n') return place;
        size = place;
    }
    return 0;
}

/// A part of a file on its way from the cut to the writer.
struct Piece {
    explicit Piece(const FastaOptions& reading) : parser(reading) {}

    // What cutting it says:
    std::vector<std::uint8_t> text;
    bool begins_file = false, ends_file = false;
    bool is_open = false;  // ends anywhere; the rest of the file is read behind it
    Status failure;        // of reading on behind it
    std::filesystem::path file;
    std::shared_ptr<ByteSource> source;  // of the file

    // What parsing it says:
    bool is_ready = false;  // guarded by the mutex
    bool is_plain = false;
    FastaParser parser;
    WsdbRecordBatch batch;
    NucleotideDetector nucleotides;

    // What handing it on says: where it was interrupted by a writer without room, it goes on.
    bool begun = false, parsed_to_end = false;
};

}  // namespace

struct FastaBatchReader::State {
    State(FastaBatchOptions chosen, const ThreadPool& threads)
        : options(std::move(chosen)), pool(threads), parser(options.reading) {
        FastaOptions strict = options.reading;
        strict.skip_invalid_records = false;
        strict.on_invalid_record = {};
        const std::size_t count = pool.threads() == 1 ? 1 : pool.threads() * 2;
        pieces.reserve(count);
        for (std::size_t i = 0; i < count; ++i) pieces.emplace_back(strict);
    }

    FastaBatchOptions options;
    const ThreadPool& pool;
    std::vector<std::filesystem::path> files;
    std::optional<ByteSource> opened_before;  // the first file, where the caller has opened it

    std::mutex mutex;  // guards what follows, up to the next comment
    std::condition_variable changed;
    std::uint64_t first = 0, behind = 0;  // pieces [first, behind) are on their way: number i is pieces[i % size]
    bool cutting = false, handing = false;
    bool all_cut = false;
    bool needs_room = false;
    Status failure;
    std::vector<Piece> pieces;

    // For the thread that cuts:
    std::size_t next_file = 0;
    std::shared_ptr<ByteSource> source;  // of the file that is cut
    std::vector<std::uint8_t> carry;     // behind the last cut

    // For the thread that hands on:
    FastaParser parser;
    FastaRecord record;
    std::span<const std::uint8_t> fed;  // of the piece at hand, before its parser has it
    std::vector<FastaSource> sources;
    NucleotideDetector nucleotides;
    std::atomic<std::uint64_t> finished_bytes{0}, file_bytes{0};

    Piece& piece(std::uint64_t number) { return pieces[number % pieces.size()]; }

    // ---- cutting ----

    Status cut(Piece& piece) {
        piece.text.clear();
        piece.begins_file = piece.ends_file = piece.is_open = false;
        piece.begun = piece.parsed_to_end = piece.is_plain = false;
        piece.failure = {};
        piece.batch.clear();
        piece.nucleotides = {};
        piece.source.reset();
        if (!source) {
            WARPSEQ_TRY(open_next_file());
            piece.begins_file = true;
        }
        piece.file = files[next_file - 1];
        piece.source = source;
        const std::size_t room = options.piece_bytes + options.reading.block_bytes + carry.size();
        if (piece.text.capacity() < room) piece.text.reserve(room + room / 8);
        piece.text.assign(carry.begin(), carry.end());
        carry.clear();
        while (piece.text.size() < options.piece_bytes * kLongestPiecePieces) {
            const auto block = source->next_block();
            if (!block.ok() || block->empty()) {
                if (!block.ok()) piece.failure = block.status();
                piece.ends_file = true;
                source.reset();
                return {};
            }
            piece.text.insert(piece.text.end(), block->begin(), block->end());
            if (piece.text.size() < options.piece_bytes) continue;
            if (const std::size_t end = last_record(piece.text); end > 0) {
                carry.assign(piece.text.begin() + static_cast<std::ptrdiff_t>(end), piece.text.end());
                piece.text.resize(end);
                return {};
            }
        }
        piece.is_open = piece.ends_file = true;
        source.reset();  // the piece has it
        return {};
    }

    Status open_next_file() {
        const std::size_t number = next_file++;
        Result<ByteSource> opened = opened_before ? Result<ByteSource>(*std::exchange(opened_before, std::nullopt))
                                                  : ByteSource::open(files[number], options.reading.block_bytes);
        if (!opened.ok()) return opened.status();
        source = std::make_shared<ByteSource>(*std::move(opened));
        return {};
    }

    // ---- parsing ----

    /// As if it were plain; where it is not, what was found is thrown away.
    Status parse(Piece& piece) {
        if (piece.begins_file || piece.is_open || !piece.failure.ok()) return {};
        bool given = false;
        piece.parser.begin_piece([&]() -> Result<std::span<const std::uint8_t>> {
            if (std::exchange(given, true)) return std::span<const std::uint8_t>();
            return std::span<const std::uint8_t>(piece.text);
        });
        FastaRecord found;
        for (;;) {
            const auto more = piece.parser.next(found);
            if (!more.ok()) break;
            if (!*more) {
                piece.is_plain = piece.parser.is_plain_piece();
                break;
            }
            add(found, piece);
        }
        if (!piece.is_plain) forget(piece);
        return {};
    }

    void add(const FastaRecord& found, Piece& piece) const {
        piece.nucleotides.add(found.residues);
        if (options.wanted && !options.wanted(found.header, found.residues.size())) return;
        piece.batch.add(found.header, found.residues);
    }

    static void forget(Piece& piece) {
        piece.batch.clear();
        piece.nucleotides = {};
    }

    // ---- handing on ----

    /// False where there is no room; what is left is handed on when it is called again.
    Result<bool> hand_on(Piece& piece, const Take& take) {
        if (!piece.begun) {
            WARPSEQ_TRY(begin(piece));
            piece.begun = true;
        }
        for (;;) {
            if (!piece.batch.empty()) {
                const Result<bool> taken = take(piece.batch);
                if (!taken.ok() || !*taken) return taken;
            }
            nucleotides.add(piece.nucleotides);
            forget(piece);
            if (piece.parsed_to_end) break;
            WARPSEQ_TRY(parse_some(piece));
        }
        file_bytes = piece.source->stored_bytes();
        if (piece.ends_file) WARPSEQ_TRY(finish_file(piece));
        return true;
    }

    Status begin(Piece& piece) {
        if (piece.begins_file) parser.begin_file(piece.source->name(), {});
        if (piece.is_plain && !piece.begins_file && parser.takes_plain_pieces()) {
            parser.take_over(piece.parser, piece.text.size());
            piece.parsed_to_end = true;
            return {};
        }
        forget(piece);
        parser.read_on([&piece, text = std::optional(std::span<const std::uint8_t>(
                                    piece.text))]() mutable -> Result<std::span<const std::uint8_t>> {
            if (text) return *std::exchange(text, std::nullopt);
            if (piece.is_open) return piece.source->next_block();
            if (!piece.failure.ok()) return piece.failure;
            return std::span<const std::uint8_t>();
        });
        return piece.begins_file ? parser.skip_to_first_record() : Status();
    }

    Status parse_some(Piece& piece) {
        while (piece.batch.bytes().size() < options.piece_bytes) {
            const Result<bool> more = parser.next(record);
            if (!more.ok()) return more.status();
            if (!*more) {
                piece.parsed_to_end = true;
                break;
            }
            add(record, piece);
        }
        return {};
    }

    Status finish_file(const Piece& piece) {
        WARPSEQ_TRY(parser.finish_file(piece.source->stored_bytes()));
        sources.push_back(source_of(piece.file, *piece.source));
        finished_bytes += piece.source->stored_bytes();
        file_bytes = 0;
        return {};
    }

    // ---- turns ----

    /// Until all is done, or something is in the way of it.
    void work(const Take& take) {
        std::unique_lock lock(mutex);
        while (failure.ok() && !needs_room) {
            if (first < behind && piece(first).is_ready && !handing) {
                handing = true;
                lock.unlock();
                Result<bool> handed = guarded_hand_on(piece(first), take);
                lock.lock();
                handing = false;
                if (!handed.ok()) {
                    failure = handed.status();
                } else if (!*handed) {
                    needs_room = true;
                } else {
                    piece(first).is_ready = false;
                    ++first;
                }
            } else if (!cutting && !all_cut && behind - first < pieces.size()) {
                if (!source && next_file == files.size()) {
                    all_cut = true;
                } else {
                    cutting = true;
                    Piece& next = piece(behind++);
                    lock.unlock();
                    const Status cut_status = guarded([&] { return cut(next); });
                    lock.lock();
                    cutting = false;
                    if (!cut_status.ok()) {
                        next.failure = cut_status;
                        all_cut = true;
                    }
                    changed.notify_all();
                    lock.unlock();
                    const Status parse_status = cut_status.ok() ? guarded([&] { return parse(next); }) : Status();
                    lock.lock();
                    if (!parse_status.ok()) next.failure = parse_status;
                    next.is_ready = true;
                }
            } else if (all_cut && first == behind) {
                break;
            } else {
                changed.wait(lock);
                continue;
            }
            changed.notify_all();
        }
    }

    Result<bool> guarded_hand_on(Piece& piece, const Take& take) {
        // Where cutting has failed there is no source.
        if (piece.source == nullptr) return piece.failure;
        bool done = false;
        const Status status = guarded([&]() -> Status {
            auto handed = hand_on(piece, take);
            if (!handed.ok()) return handed.status();
            done = *handed;
            return {};
        });
        if (!status.ok()) return status;
        return done;
    }
};

bool FastaBatchReader::may_read_in_batches(const FastaOptions& reading) {
    return !reading.leaves_out_others && !reading.takes_bare_residues && !reading.empty_header &&
           !reading.find_lower_case;
}

FastaBatchReader::FastaBatchReader(std::vector<std::filesystem::path> files, FastaBatchOptions options,
                                   const ThreadPool& pool)
    : state_(std::make_unique<State>(std::move(options), pool)) {
    state_->files = std::move(files);
}

FastaBatchReader::FastaBatchReader(std::filesystem::path file, ByteSource source, FastaBatchOptions options,
                                   const ThreadPool& pool)
    : FastaBatchReader(std::vector{std::move(file)}, std::move(options), pool) {
    state_->opened_before = std::move(source);
}

FastaBatchReader::~FastaBatchReader() = default;
FastaBatchReader::FastaBatchReader(FastaBatchReader&&) noexcept = default;
FastaBatchReader& FastaBatchReader::operator=(FastaBatchReader&&) noexcept = default;

Status FastaBatchReader::read(const Take& take, const std::function<Status()>& make_room) {
    State& state = *state_;
    for (;;) {
        WARPSEQ_TRY(state.pool.parallel_for(state.pool.threads(), [&](std::uint64_t, unsigned) { state.work(take); }));
        if (!state.failure.ok()) return state.failure;
        if (!state.needs_room) return {};
        WARPSEQ_TRY(make_room());
        state.needs_room = false;
    }
}

const FastaCounts& FastaBatchReader::counts() const { return state_->parser.counts(); }
const std::vector<FastaSource>& FastaBatchReader::sources() const { return state_->sources; }
const NucleotideDetector& FastaBatchReader::nucleotides() const { return state_->nucleotides; }
std::uint64_t FastaBatchReader::bytes_read() const { return state_->finished_bytes + state_->file_bytes; }

}  // namespace warpseq
