#include "formats/fasta/fasta.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/fasta/fasta_parser.h"

namespace warpseq {

namespace {

constexpr std::string_view kBlanks = " \t\v\f";

}  // namespace

// This runs for every record. find_first_of() would search the set of bytes again for each byte.
std::string_view identifier_of(std::string_view header) {
    const auto ends = [](char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r') || byte == '\x01'; };
    return header.substr(0,
                         static_cast<std::size_t>(std::find_if(header.begin(), header.end(), ends) - header.begin()));
}

constexpr std::string_view kMadeUp = "unnamed_";

std::string made_up_name(std::uint64_t record) { return std::string(kMadeUp) + std::to_string(record); }

bool is_made_up_name(std::string_view identifier) {
    return identifier.size() > kMadeUp.size() && identifier.starts_with(kMadeUp) &&
           identifier.find_first_not_of("0123456789", kMadeUp.size()) == std::string_view::npos;
}

std::string_view description_of(std::string_view header) {
    header.remove_prefix(identifier_of(header).size());
    const std::size_t start = header.find_first_not_of(" \t\v\f\r\n");
    return start == std::string_view::npos ? std::string_view() : header.substr(start);
}

std::string_view header_without_trailing_blanks(std::string_view header) {
    return header.substr(0, header.find_last_not_of(kBlanks) + 1);
}

FastaSource source_of(const std::filesystem::path& file, const ByteSource& read) {
    return {file == "-" ? "-" : file.filename().string(), read.stored_bytes(), read.stored_xxh3_128()};
}

struct FastaReader::State {
    explicit State(FastaOptions reading) : block_bytes(reading.block_bytes), parser(std::move(reading)) {}

    std::vector<std::filesystem::path> files;
    std::vector<FastaSource> sources;
    Status failure;  // the error that every further call returns
    std::uint64_t finished_bytes = 0;
    std::size_t block_bytes;
    std::size_t next_file = 0;
    std::optional<ByteSource> opened_before;  // the first file, where the caller has opened it
    std::optional<ByteSource> source;         // the current file
    FastaParser parser;

    Status open_next_file() {
        if (opened_before) {
            source = std::exchange(opened_before, std::nullopt);
        } else {
            Result<ByteSource> opened = ByteSource::open(files[next_file], block_bytes);
            if (!opened.ok()) return opened.status();
            source.emplace(std::move(*opened));
        }
        ++next_file;
        parser.begin_file(source->name(), [this] { return source->next_block(); });
        return parser.skip_to_first_record();
    }

    Status finish_file() {
        WARPSEQ_TRY(parser.finish_file(source->stored_bytes()));
        finished_bytes += source->stored_bytes();
        sources.push_back(source_of(files[next_file - 1], *source));
        source.reset();
        return {};
    }

    Result<bool> next(FastaRecord& record) {
        for (;;) {
            if (!source) {
                if (next_file == files.size()) return false;
                WARPSEQ_TRY(open_next_file());
            }
            const Result<bool> got = parser.next(record);
            if (!got.ok() || *got) return got;
            WARPSEQ_TRY(finish_file());
        }
    }
};

FastaReader::FastaReader(std::vector<std::filesystem::path> files, FastaOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
    state_->files = std::move(files);
}

FastaReader::FastaReader(std::filesystem::path file, ByteSource source, FastaOptions options)
    : FastaReader(std::vector{std::move(file)}, std::move(options)) {
    state_->opened_before = std::move(source);
}

FastaReader::~FastaReader() = default;
FastaReader::FastaReader(FastaReader&&) noexcept = default;
FastaReader& FastaReader::operator=(FastaReader&&) noexcept = default;

Result<bool> FastaReader::next(FastaRecord& record) {
    if (!state_->failure.ok()) return state_->failure;
    Result<bool> result = state_->next(record);
    if (result.ok()) return result;
    // Text that cannot be read may mix two states of the file. The system may even return zeros
    // where the file is being cut.
    if (state_->source) {
        if (Status unchanged = state_->source->verify_unchanged(); !unchanged.ok()) result = std::move(unchanged);
    }
    state_->failure = result.status();
    return result;
}

const FastaCounts& FastaReader::counts() const { return state_->parser.counts(); }
const std::vector<FastaSource>& FastaReader::sources() const { return state_->sources; }

std::uint64_t FastaReader::bytes_read() const {
    return state_->finished_bytes + (state_->source ? state_->source->stored_bytes() : 0);
}

}  // namespace warpseq
