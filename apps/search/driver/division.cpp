#include "apps/search/driver/division.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "engines/targets/tile_cuts.h"
#include "formats/io/byte_source.h"
#include "formats/wsdb/wsdb_layout.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/draw_seed.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;

/// Returns the XXH3-128 hash of a file as it is stored.
Result<std::string> hash_of_file(const fs::path& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return source.status();
    while (true) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) return source->stored_xxh3_128();
    }
}

/// Returns the checksums of all blocks of a section that the database has. They tell two sections
/// apart without reading them.
std::span<const std::uint64_t> checksums_of(const WsdbReader& reader, wsdb::SectionType type) {
    const WsdbReader::Map& map = reader.map();
    return std::span(map.checksums)
        .subspan(map.first_checksum[static_cast<std::size_t>(type)],
                 wsdb::checksum_blocks(map.section(type).size_bytes));
}

class PartOfSearch final : public Division {
   public:
    PartOfSearch(std::uint64_t part, std::uint64_t parts, fs::path folder) : folder_(std::move(folder)) {
        label_.part = part;
        label_.parts = parts;
    }

    bool is_divided() const override { return true; }
    bool reports() const override { return false; }
    Result<bool> open(const DividedOptions& options, const Session& session) override {
        auto digest = digest_of_search(options, session.databases());
        if (!digest.ok()) return digest.status();
        label_.digest = *std::move(digest) + digest_of_cuts(session.databases());
        label_.arguments = options.arguments;
        if (is_whole_part(part_file(folder_, label_), label_)) return false;
        auto writer = PartWriter::create(folder_, label_);
        if (!writer.ok()) return writer.status();
        writer_.emplace(*std::move(writer));
        share_ = dealt_share(session.databases(), label_.part, label_.parts);
        return true;
    }
    Status pass_on(std::uint64_t batch, const std::string& partial) override {
        std::unique_lock lock(mutex_);
        turn_.wait(lock, [&] { return batch == added_ || has_given_up_; });
        if (has_given_up_) return Status::interrupted();
        WARPSEQ_TRY(writer_->add(partial));
        ++added_;
        turn_.notify_all();
        return {};
    }
    PieceDealer* pieces() override { return &pieces_; }
    void give_up() override {
        const std::lock_guard lock(mutex_);
        has_given_up_ = true;
        turn_.notify_all();
    }
    Status finish() override { return writer_->finish(); }

   private:
    /// A dealer that gives each part every N-th piece, where N is the number of parts.
    class Pieces final : public PieceDealer {
       public:
        explicit Pieces(PartOfSearch& search) : search_(search) {}
        std::uint64_t processes() const override { return search_.label_.parts; }
        Status begin(std::uint64_t count) override {
            count_ = count;
            next_ = search_.label_.part;
            return {};
        }
        Result<std::optional<std::uint64_t>> next() override {
            if (next_ >= count_) return std::optional<std::uint64_t>();
            return std::optional(std::exchange(next_, next_ + search_.label_.parts));
        }
        Status add(std::uint64_t, std::string results) override { return search_.writer_->add(results); }
        Result<Packet> results_of(std::uint64_t) override { return Packet(); }  // another process reports

       private:
        PartOfSearch& search_;
        std::uint64_t count_ = 0, next_ = 0;
    };

    fs::path folder_;
    PartLabel label_;
    std::optional<PartWriter> writer_;
    std::mutex mutex_;
    std::condition_variable turn_;
    std::uint64_t added_ = 0;  // batches added so far
    bool has_given_up_ = false;
    Pieces pieces_{*this};
};

class MergedSearch final : public Division {
   public:
    /// `parts` are in the order of their numbers.
    explicit MergedSearch(std::vector<PartReader> parts) : parts_(std::move(parts)) {}

    bool is_divided() const override { return true; }
    bool scans() const override { return false; }
    Result<bool> open(const DividedOptions& options, const Session& session) override {
        const auto digest = digest_of_search(options, session.databases());
        if (!digest.ok()) return digest.status();
        const PartLabel& label = parts_.front().label();
        // The digest of cuts behind this one is ignored, because merging cuts nothing.
        if (label.digest.starts_with(*digest)) return true;
        if (options.arguments != label.arguments)
            return Status::usage("a merge takes only options about outputs and about the machine");
        return Status::invalid_input(parts_.front().file().parent_path().string() +
                                     ": the queries, the databases or warpseq changed after these parts were "
                                     "searched; search all parts again");
    }
    /// Returns the partials of the next batch; called for one batch after another.
    Result<std::vector<Packet>> partials_of(std::uint64_t) override {
        std::vector<Packet> packets;
        for (PartReader& part : parts_) {
            auto bytes = part.next();
            if (!bytes.ok()) return bytes.status();
            packets.push_back({*std::move(bytes), part.file().string()});
        }
        return packets;
    }
    PieceDealer* pieces() override { return &pieces_; }
    Status finish() override {
        for (PartReader& part : parts_) WARPSEQ_TRY(part.finish());
        return {};
    }

   private:
    /// A dealer without pieces to do, since the parts hold the results of all.
    class Pieces final : public PieceDealer {
       public:
        explicit Pieces(std::vector<PartReader>& parts) : parts_(parts) {}
        std::uint64_t processes() const override { return parts_.size(); }
        Status begin(std::uint64_t) override { return {}; }
        Result<std::optional<std::uint64_t>> next() override { return std::optional<std::uint64_t>(); }
        Status add(std::uint64_t, std::string) override { return {}; }
        Result<Packet> results_of(std::uint64_t piece) override {
            PartReader& part = parts_[piece % parts_.size()];
            auto bytes = part.next();
            if (!bytes.ok()) return bytes.status();
            return Packet{*std::move(bytes), part.file().string()};
        }

       private:
        std::vector<PartReader>& parts_;
    };

    std::vector<PartReader> parts_;
    Pieces pieces_{parts_};
};

/// Returns the numbers as "0, 3 and 5".
std::string listed(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
        text += std::to_string(numbers[i]);
    }
    return text;
}

/// Opens the parts in a folder, at least one, which have to belong to one search. Sets `unreadable`
/// to the error of a file that holds no readable part.
Result<std::vector<PartReader>> open_parts(const fs::path& folder, Status& unreadable) {
    const auto files = find_parts(folder);
    if (!files.ok()) return files.status();
    if (files->empty()) return Status::invalid_input(folder.string() + ": holds no part of a search");
    std::vector<PartReader> parts;
    for (const fs::path& file : *files) {
        auto part = PartReader::open(file);
        if (part.ok()) {
            parts.push_back(*std::move(part));
        } else if (part.status().code() == StatusCode::kIo) {
            return part.status();
        } else {
            unreadable = part.status();
        }
    }
    if (parts.empty()) return unreadable;
    const PartLabel& first = parts.front().label();
    for (const PartReader& part : parts) {
        if (part.label().digest == first.digest && part.label().parts == first.parts) continue;
        const bool is_asked_alike = part.label().arguments == first.arguments && part.label().parts == first.parts;
        return Status::invalid_input(
            part.file().string() + " and " + parts.front().file().filename().string() +
            " are parts of different searches; " +
            (is_asked_alike ? "their options are the same, so the queries, the databases, the choice of "
                              "sequences, the storage of the databases (dbconv --codec), or warpseq changed "
                              "in between: search all parts again"
                            : "give each search a folder of its own"));
    }
    return parts;
}

}  // namespace

Result<std::string> digest_of_search(const DividedOptions& options, const DatabaseSet& databases) {
    std::vector<std::string> texts = {std::string(program_version())};
    texts.insert(texts.end(), options.arguments.begin(), options.arguments.end());
    for (const fs::path& file : options.decisive_files) {
        auto hash = hash_of_file(file);
        if (!hash.ok()) return hash.status();
        texts.push_back(*std::move(hash));
    }
    const auto add_numbers = [&](std::span<const std::uint64_t> numbers) {
        texts.emplace_back(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
    };
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        texts.push_back(reader.content_digest());
        // Equal scores are reported in the order of the input, which the content's digest leaves
        // open.
        add_numbers(checksums_of(reader, wsdb::SectionType::kInputPositions));
        // Some sequences of a set may have been removed, and a search may be restricted to some,
        // for example by taxa. The content's digest covers neither.
        for (const TargetMembers* const members : {databases.present(d), databases.searched(d)}) {
            texts.emplace_back(members == nullptr ? "all" : "some");
            if (members != nullptr) add_numbers(members->words());
        }
    }
    return digest_of(texts);
}

std::string digest_of_cuts(const DatabaseSet& databases) {
    std::vector<std::string> texts;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        std::vector<std::uint64_t> cuts = {reader.tile_count(), reader.linear_tile_count()};
        // With the packed codec every tile begins a block.
        if (reader.codec() != ResidueCodec::kPacked) {
            const auto count = [](std::uint64_t, std::uint64_t tiles) { return tiles; };
            for (std::uint64_t tile = 0; tile < reader.tile_count(); tile = next_cut(reader, tile, 1, 1, count))
                cuts.push_back(tile);
        }
        texts.emplace_back(reinterpret_cast<const char*>(cuts.data()), cuts.size() * sizeof(std::uint64_t));
    }
    return digest_of(texts);
}

Result<bool> Division::open(const DividedOptions& options, const Session& session) {
    share_ = whole_share(session.databases());
    if (options.draws_seed) drawn_seed_ = draw_seed();
    return true;
}

// The functions below are called only for divisions that say so about themselves.

Status Division::pass_on(std::uint64_t, const std::string&) { return {}; }

Status Division::deliver(std::uint64_t, std::string, bool) { return {}; }

Result<Division::Packet> Division::results_of(std::uint64_t) { return Packet(); }

Status Division::keep(std::uint64_t, const std::string&, bool) { return {}; }

Result<std::unique_ptr<Division>> make_division(const DividedOptions& options) {
    if (options.part)
        return std::unique_ptr<Division>(
            std::make_unique<PartOfSearch>(options.part->part, options.part->parts, *options.work_dir));
    if (options.work_dir) return Status::usage("--part K/N and --work-dir FOLDER have to be given together");
    return std::make_unique<Division>();
}

Result<std::unique_ptr<Division>> merge_of_parts(const fs::path& folder) {
    Status unreadable;
    auto parts = open_parts(folder, unreadable);
    if (!parts.ok()) return parts.status();
    const std::uint64_t count = parts->front().label().parts;
    std::vector<std::uint64_t> again;
    std::vector<bool> are_there(count);
    for (const PartReader& part : *parts)
        if (is_whole_part(part.file(), part.label())) are_there[part.label().part] = true;
    for (std::uint64_t k = 0; k < count; ++k)
        if (!are_there[k]) again.push_back(k);
    if (!again.empty()) {
        return Status::invalid_input(folder.string() + (again.size() == 1 ? ": part " : ": parts ") + listed(again) +
                                     " of " + std::to_string(count) + (again.size() == 1 ? " is" : " are") +
                                     " missing or damaged");
    }
    if (!unreadable.ok()) return unreadable;
    if (parts->size() != count) return Status::invalid_input(folder.string() + ": holds a part twice; remove the copy");
    std::ranges::sort(*parts, {}, [](const PartReader& part) { return part.label().part; });
    return std::unique_ptr<Division>(std::make_unique<MergedSearch>(*std::move(parts)));
}

Result<std::vector<std::string>> arguments_of_parts(const fs::path& folder) {
    Status unreadable;
    const auto parts = open_parts(folder, unreadable);
    if (!parts.ok()) return parts.status();
    return parts->front().label().arguments;
}

}  // namespace warpseq
