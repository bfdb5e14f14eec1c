// FastaBatchReader. The threads of the pool take turns (ordered_stages.h): a piece is cut off the
// text, parsed, and handed on in order. A piece ends in front of a '>' that begins a line. In a
// plain file, the cutting thread only finds this place, and the parsing thread reads the piece. If
// no such place is found within kLongestPiecePieces times the usual size, the rest of the file is
// read sequentially.
#include "formats/fasta/fasta_batch_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "formats/fasta/fasta_parser.h"
#include "formats/io/ordered_stages.h"
#include "formats/io/plain_file.h"
#include "formats/io/xxh3_state.h"

namespace warpseq {

namespace {

constexpr std::size_t kLongestPiecePieces = 8;

/// Returns where the first record begins that begins a line in `text`, apart from the first byte; 0
/// if there is none.
std::size_t first_record(std::span<const std::uint8_t> text) {
    for (std::size_t place = 1; place < text.size(); ++place) {
        const void* const found = std::memchr(text.data() + place, '>', text.size() - place);
        if (found == nullptr) return 0;
        place = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - text.data());
        if (text[place - 1] == '\n') return place;
    }
    return 0;
}

/// Returns where the last record begins that begins a line in `text`, apart from the first byte; 0
/// if there is none.
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

/// A byte buffer that does not initialise its bytes.
class TextBuffer {
   public:
    std::uint8_t* data() { return bytes_.get(); }
    std::span<const std::uint8_t> all() const { return {bytes_.get(), size_}; }
    std::size_t size() const { return size_; }
    /// Changes the size. Bytes that were there stay.
    void resize(std::size_t size) {
        if (size > room_) {
            const std::size_t room = size + size / 8;
            auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(room);
            if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
            bytes_ = std::move(bytes);
            room_ = room;
        }
        size_ = size;
    }
    void append(std::span<const std::uint8_t> bytes) {
        const std::size_t place = size_;
        resize(size_ + bytes.size());
        if (!bytes.empty()) std::memcpy(bytes_.get() + place, bytes.data(), bytes.size());
    }

   private:
    std::unique_ptr<std::uint8_t[]> bytes_;
    std::size_t size_ = 0, room_ = 0;
};

/// An open file. A plain one can be read at any offset, any other only from its beginning to its
/// end.
struct OpenedFile {
    std::optional<PlainFile> plain;
    std::optional<ByteSource> stream;

    // For a plain file:
    std::uint64_t cut_bytes = 0;                // end of the last piece that was cut
    std::atomic<std::uint64_t> read_bytes = 0;  // bytes that were read in order and hashed
    Xxh3State hash = make_xxh3_state();
    std::vector<std::uint8_t> block;

    OpenedFile() { XXH3_128bits_reset(hash.get()); }
    const std::string& name() const { return plain ? plain->name() : stream->name(); }
    std::uint64_t stored_bytes() const { return plain ? read_bytes.load() : stream->stored_bytes(); }
    void add(std::span<const std::uint8_t> bytes) {
        if (!bytes.empty()) XXH3_128bits_update(hash.get(), bytes.data(), bytes.size());
        read_bytes += bytes.size();
    }
    Status verify_unchanged() const { return plain ? plain->verify_unchanged() : stream->verify_unchanged(); }
    /// Returns the block behind the bytes that were read in order.
    Result<std::span<const std::uint8_t>> next_block(std::size_t block_bytes) {
        if (!plain) return stream->next_block();
        block.resize(block_bytes);
        const auto bytes = plain->read_at(read_bytes, block);
        if (!bytes.ok()) return bytes.status();
        const auto got = std::span<const std::uint8_t>(block).first(*bytes);
        add(got);
        return got;
    }
    FastaSource source_of(const std::filesystem::path& file) const {
        if (!plain) return warpseq::source_of(file, *stream);
        return {file.filename().string(), read_bytes, xxh3_128_text(hash)};
    }
};

/// A part of a file between cutting and handing on.
struct Piece {
    explicit Piece(const FastaOptions& reading) : parser(reading) {}

    // Set by cutting:
    TextBuffer text;                 // of a plain file: only its size is set, the bytes are not read yet
    std::uint64_t offset_bytes = 0;  // for a plain file
    bool begins_file = false, ends_file = false;
    bool is_open = false;  // ends anywhere; the rest of the file is read after it
    Status failure;        // an error of reading on behind the piece
    std::filesystem::path file;
    std::shared_ptr<OpenedFile> source;  // the file that the piece is of

    // Set by parsing:
    bool is_plain = false;
    FastaParser parser;
    RecordBatch batch;
    NucleotideDetector nucleotides;

    // Set by handing on, which continues here after a writer without room has interrupted it:
    bool begun = false, parsed_to_end = false;
    PendingCopies copies;  // copies out of the batch
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
        const FastaParser::Limits limits = {options.limits.residues, options.limits.header_bytes};
        parser.set_limits(limits);
        for (Piece& piece : pieces) piece.parser.set_limits(limits);
        turns.emplace(count);
    }

    FastaBatchOptions options;
    const ThreadPool& pool;
    std::vector<std::filesystem::path> files;
    std::optional<ByteSource> opened_before;  // the first file, where the caller has opened it

    std::vector<Piece> pieces;  // one for each slot
    std::optional<OrderedStages> turns;

    // State of the thread that cuts:
    std::size_t next_file = 0;
    std::shared_ptr<OpenedFile> source;  // the file that is being cut
    std::vector<std::uint8_t> carry;     // bytes behind the last cut
    bool cut_failed = false;

    // State of the thread that hands on:
    FastaParser parser;
    FastaRecord record;
    std::span<const std::uint8_t> fed;  // bytes of the current piece that its parser has not got yet
    std::vector<FastaSource> sources;
    NucleotideDetector nucleotides;
    std::atomic<std::uint64_t> finished_bytes{0}, file_bytes{0};

    // ---- cutting ----

    /// Cuts the next piece. Returns kNoMore if everything is cut.
    Result<OrderedStages::Begun> begin(Piece& piece) {
        if (cut_failed || (!source && next_file == files.size())) return OrderedStages::Begun::kNoMore;
        piece.text.resize(0);
        piece.begins_file = piece.ends_file = piece.is_open = false;
        piece.begun = piece.parsed_to_end = piece.is_plain = false;
        piece.failure = {};
        piece.batch.clear();
        piece.nucleotides = {};
        piece.source.reset();
        // An error is reported after the pieces before it.
        Status status = guarded([&] { return cut(piece); });
        if (!status.ok()) {
            piece.failure = std::move(status);
            cut_failed = true;
        }
        return OrderedStages::Begun::kYes;
    }

    Status cut(Piece& piece) {
        if (!source) {
            WARPSEQ_TRY(open_next_file());
            piece.begins_file = true;
        }
        piece.file = files[next_file - 1];
        piece.source = source;
        return source->plain ? cut_plain(piece) : cut_stream(piece);
    }

    Status cut_stream(Piece& piece) {
        piece.text.append(carry);
        carry.clear();
        while (piece.text.size() < options.piece_bytes * kLongestPiecePieces) {
            const auto block = source->stream->next_block();
            if (!block.ok() || block->empty()) {
                if (!block.ok()) piece.failure = block.status();
                piece.ends_file = true;
                source.reset();
                return {};
            }
            piece.text.append(*block);
            if (piece.text.size() < options.piece_bytes) continue;
            if (const std::size_t end = last_record(piece.text.all()); end > 0) {
                const auto behind = piece.text.all().subspan(end);
                carry.assign(behind.begin(), behind.end());
                piece.text.resize(end);
                return {};
            }
        }
        piece.is_open = piece.ends_file = true;
        source.reset();  // the piece keeps it open
        return {};
    }

    /// Cuts a piece of a plain file. Looks for a record only near the place where the piece has its
    /// usual size.
    Status cut_plain(Piece& piece) {
        constexpr std::size_t kLookBytes = std::size_t{16} << 10;
        std::array<std::uint8_t, kLookBytes> seen;
        const PlainFile& file = *source->plain;
        piece.offset_bytes = source->cut_bytes;
        std::uint64_t place = piece.offset_bytes + options.piece_bytes;
        while (place < piece.offset_bytes + options.piece_bytes * kLongestPiecePieces) {
            // The look begins one byte before, because that byte may end a line.
            const auto bytes = file.read_at(place - 1, seen);
            if (!bytes.ok()) return bytes.status();
            if (const std::size_t found = first_record(std::span(seen).first(*bytes)); found > 0) {
                source->cut_bytes = place - 1 + found;
                piece.text.resize(static_cast<std::size_t>(source->cut_bytes - piece.offset_bytes));
                return {};
            }
            place += *bytes - std::min<std::size_t>(*bytes, 1);
            if (*bytes < seen.size()) {
                piece.text.resize(static_cast<std::size_t>(place - piece.offset_bytes));
                piece.ends_file = true;
                source.reset();
                return {};
            }
        }
        piece.text.resize(static_cast<std::size_t>(place - piece.offset_bytes));
        piece.is_open = piece.ends_file = true;
        source.reset();
        return {};
    }

    Status open_next_file() {
        const std::size_t number = next_file++;
        auto opened = std::make_shared<OpenedFile>();
        if (opened_before) {
            opened->stream = std::exchange(opened_before, std::nullopt);
        } else if (auto plain = PlainFile::open(files[number])) {
            opened->plain.emplace(*std::move(plain));
        } else {
            auto stream = ByteSource::open(files[number], options.reading.block_bytes, pool.threads(),
                                           options.decoding_bytes + pool.threads() * ByteSource::kDecoderBytes);
            if (!stream.ok()) return stream.status();
            opened->stream = *std::move(stream);
        }
        source = std::move(opened);
        return {};
    }

    // ---- parsing ----

    void work(Piece& piece) {
        if (piece.source == nullptr || !piece.failure.ok()) return;
        Status status = guarded([&]() -> Status {
            if (piece.source->plain) WARPSEQ_TRY(read_text(piece));
            return parse(piece);
        });
        // An error is reported when the turn of its piece comes.
        if (!status.ok()) piece.failure = std::move(status);
    }

    static Status read_text(Piece& piece) {
        const std::size_t wanted = piece.text.size();
        const auto bytes = piece.source->plain->read_at(piece.offset_bytes, std::span(piece.text.data(), wanted));
        piece.text.resize(bytes.ok() ? *bytes : 0);
        if (!bytes.ok()) return bytes.status();
        if (*bytes < wanted && !piece.ends_file) return Status::io(piece.source->name() + ": " + kChangedWhileRead);
        return {};
    }

    /// Parses a piece as if it were plain. If it is not, the result is discarded.
    Status parse(Piece& piece) {
        if (piece.begins_file || piece.is_open) return {};
        bool given = false;
        piece.parser.begin_piece([&]() -> Result<std::span<const std::uint8_t>> {
            if (std::exchange(given, true)) return std::span<const std::uint8_t>();
            return piece.text.all();
        });
        FastaRecord found;
        for (;;) {
            const auto more = piece.parser.next(found);
            if (!more.ok()) break;
            if (!*more) {
                piece.is_plain = piece.parser.is_plain_piece();
                break;
            }
            // The error is found again when the turn of the piece comes.
            if (!add(found, piece.parser.beyond_limits(), piece).ok()) break;
        }
        if (!piece.is_plain) forget(piece);
        return {};
    }

    Status add(const FastaRecord& found, const FastaParser::Limits& beyond, Piece& piece) const {
        const std::uint64_t residues = found.residues.size() + beyond.residues;
        piece.nucleotides.add(found.residues);
        if (options.wanted && !options.wanted(found.header, residues)) return {};
        if (beyond.residues > 0 || beyond.header_bytes > 0)
            return options.limits.refuse(found.header, residues, found.header.size() + beyond.header_bytes);
        piece.batch.add(found.header, found.residues);
        return {};
    }

    static void forget(Piece& piece) {
        piece.batch.clear();
        piece.nucleotides = {};
    }

    // ---- handing on ----

    /// Hands a piece on. Returns false if there is no room; the next call then continues with the
    /// rest. If the file was changed meanwhile, returns an error that says so instead of any other
    /// error, because text that cannot be read may mix two states of the file. The system may even
    /// return zeros where the file is being cut.
    Result<bool> hand_on(Piece& piece, const Take& take) {
        if (piece.source == nullptr) return piece.failure;  // it could not be opened
        const Result<bool> done = hand_on_records(piece, take);
        if (!done.ok()) WARPSEQ_TRY(piece.source->verify_unchanged());
        return done;
    }

    Result<bool> hand_on_records(Piece& piece, const Take& take) {
        if (!piece.begun) {
            WARPSEQ_TRY(begin_handing_on(piece));
            piece.begun = true;
        }
        for (;;) {
            if (!piece.batch.empty()) {
                const Result<bool> taken = take(piece.batch, piece.copies);
                if (!taken.ok() || !*taken) return taken;
            }
            nucleotides.add(piece.nucleotides);
            if (piece.parsed_to_end) break;  // leave() makes the copies while other pieces have their turn
            make_copies(piece.copies);
            forget(piece);
            WARPSEQ_TRY(parse_some(piece));
        }
        file_bytes = piece.source->stored_bytes();
        if (piece.ends_file) WARPSEQ_TRY(finish_file(piece));
        return true;
    }

    Status begin_handing_on(Piece& piece) {
        if (piece.source->plain) piece.source->add(piece.text.all());
        if (piece.begins_file) parser.begin_file(piece.source->name(), {});
        if (piece.is_plain && !piece.begins_file && parser.takes_plain_pieces()) {
            parser.take_over(piece.parser, piece.text.size());
            piece.parsed_to_end = true;
            return {};
        }
        forget(piece);
        parser.read_on([&piece, block_bytes = options.reading.block_bytes,
                        text = std::optional(piece.text.all())]() mutable -> Result<std::span<const std::uint8_t>> {
            if (text) return *std::exchange(text, std::nullopt);
            if (!piece.failure.ok()) return piece.failure;
            if (piece.is_open) return piece.source->next_block(block_bytes);
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
            WARPSEQ_TRY(add(record, parser.beyond_limits(), piece));
        }
        return {};
    }

    Status finish_file(const Piece& piece) {
        // A file that became shorter seems to end earlier. A stream checks this itself.
        if (piece.source->plain) WARPSEQ_TRY(piece.source->plain->verify_unchanged());
        WARPSEQ_TRY(parser.finish_file(piece.source->stored_bytes()));
        sources.push_back(piece.source->source_of(piece.file));
        finished_bytes += piece.source->stored_bytes();
        file_bytes = 0;
        return {};
    }
};

bool FastaBatchReader::may_read_in_batches(const FastaOptions& reading) {
    return !reading.leaves_out_others && !reading.takes_bare_residues && !reading.empty_header && !reading.on_header &&
           !reading.find_lower_case && reading.dialect != FastaDialect::kDaemon;
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
    const OrderedStages::Stages stages = {[&](std::size_t slot) { return state.begin(state.pieces[slot]); },
                                          [&](std::size_t slot, unsigned) {
                                              state.work(state.pieces[slot]);
                                              return Status();
                                          },
                                          [&](std::size_t slot) { return state.hand_on(state.pieces[slot], take); },
                                          [&](std::size_t slot, unsigned) {
                                              make_copies(state.pieces[slot].copies);
                                              return Status();
                                          }};
    for (;;) {
        const Result<bool> done = state.turns->run(state.pool, stages);
        if (!done.ok()) return done.status();
        if (*done) return {};
        WARPSEQ_TRY(make_room());
    }
}

const FastaCounts& FastaBatchReader::counts() const { return state_->parser.counts(); }
const std::vector<FastaSource>& FastaBatchReader::sources() const { return state_->sources; }
const NucleotideDetector& FastaBatchReader::nucleotides() const { return state_->nucleotides; }
std::uint64_t FastaBatchReader::bytes_read() const { return state_->finished_bytes + state_->file_bytes; }

}  // namespace warpseq
