#include "formats/taxonomy/accession_taxids.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "formats/fasta/sequence_names.h"
#include "formats/io/byte_source.h"
#include "formats/io/byte_spans.h"
#include "formats/io/checksum.h"
#include "formats/io/ordered_stages.h"
#include "formats/taxonomy/taxonomy.h"

namespace warpseq {

namespace {

/// The parts of Entry::place, from the highest bits down: the definition line, whether the name is
/// public, and the version plus 1.
constexpr unsigned kVersionBits = 11, kLineShift = kVersionBits + 1;
constexpr std::uint64_t kVersionMask = (std::uint64_t{1} << kVersionBits) - 1, kIsPublic = kVersionMask + 1;
/// The bit in the key of a match that sorts matches with a version behind those without.
constexpr std::uint64_t kHasVersion = std::uint64_t{1} << 63;
/// The size of the text that a thread takes at a time. A piece is larger if it has a longer line.
constexpr std::size_t kPieceBytes = std::size_t{512} << 10, kLongestLineBytes = std::size_t{1} << 20;
constexpr std::size_t kPiecesPerThread = 2;
/// The limit of the number of buckets; the largest table of buckets takes 32 MiB.
constexpr unsigned kMostBucketBits = 22;
/// The limit of the size of the filter, which is 16 MiB.
constexpr unsigned kMostFilterBits = 27;
/// The least limit of the entries in memory, even if less memory is given.
constexpr std::uint64_t kLeastInMemoryBytes = std::uint64_t{4} << 20;
/// The numbers of sorted names that are written and read at a time.
constexpr std::size_t kEntriesWritten = 65536, kEntriesRead = 256;

std::string capitals(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return out;
}

AccessionTaxids::Name hashed(const ListedName& name, bool in_capitals, bool is_public) {
    std::uint32_t version = 0;
    std::from_chars(name.version.data(), name.version.data() + name.version.size(), version);
    AccessionTaxids::Name made{0, name.version.empty() ? 0 : version + 1, is_public};
    if (name.chain.empty() && !in_capitals) {
        made.hash = checksum_of(name.base.data(), name.base.size());
        return made;
    }
    std::string text(name.base);
    if (!name.chain.empty()) (text += '_') += name.chain;
    if (in_capitals) text = capitals(text);
    made.hash = checksum_of(text.data(), text.size());
    return made;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The accession and the taxonomy ID of a line, or the reason why it has none.
struct Line {
    enum class Kind : std::uint8_t { kBlank, kWrong, kPair } kind = Kind::kWrong;
    std::string_view accession = {}, taxid = {};
};

/// Splits a line with two columns, or with NCBI's four.
Line line_of(std::string_view text) {
    constexpr std::size_t kMost = 4;
    std::array<std::string_view, kMost> columns;
    std::size_t count = 0;
    const char* const end = text.data() + text.size();
    for (const char* c = text.data();;) {
        while (c != end && is_blank(*c)) ++c;
        if (c == end) break;
        if (count == kMost) return {};
        const char* const begin = c;
        while (c != end && !is_blank(*c)) ++c;
        columns[count++] = {begin, static_cast<std::size_t>(c - begin)};
    }
    if (count == 0) return {Line::Kind::kBlank};
    if (count == 2) return {Line::Kind::kPair, columns[0], columns[1]};
    if (count != kMost) return {};
    // The first column is right for entries of PDB. Their second column has the chain in place of a
    // version.
    const bool is_whole = columns[1].find('|') == std::string_view::npos;
    return {Line::Kind::kPair, columns[is_whole ? 1 : 0], columns[2]};
}

}  // namespace

/// A part of a list.
struct AccessionTaxids::Piece {
    std::string text;
    bool begins_list = false;
    bool is_one_line = false;  // whether it is one line that continues behind the piece
    Status failure;            // an error of reading behind the piece

    // Found by the thread that parses the piece:
    std::vector<Match> matches;
    std::uint64_t lines = 0;
    std::string wrong_line;  // the last of `lines`, if it is wrong
};

std::vector<AccessionTaxids::Name> AccessionTaxids::names_of(std::string_view identifier) {
    std::vector<Name> names;
    for (const ListedName& each : listed_names_of(identifier)) {
        const Name name = hashed(each, each.is_public, each.is_public);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

AccessionTaxids::AccessionTaxids(std::uint64_t memory_bytes, std::filesystem::path folder, const ThreadPool& pool)
    : folder_(folder),
      pool_(pool),
      by_hash_(std::in_place, memory_bytes / 2, folder),
      most_in_memory_bytes_(std::max(memory_bytes / 2, kLeastInMemoryBytes)),
      found_(memory_bytes / 2, folder) {}

Status AccessionTaxids::add(std::uint64_t line, std::span<const Name> names) {
    for (const Name& name : names) {
        const std::uint64_t place =
            line << kLineShift | (name.is_public ? kIsPublic : 0) | std::min<std::uint64_t>(name.version, kVersionMask);
        WARPSEQ_TRY(by_hash_->add({name.hash, place}, {}));
    }
    return {};
}

/// Moves the sorted names to where they can be looked up.
Status AccessionTaxids::sort_names() {
    WARPSEQ_TRY(by_hash_->finish());
    const std::uint64_t count = by_hash_->items();
    const bool are_in_memory = count * sizeof(Entry) <= most_in_memory_bytes_;
    if (are_in_memory) {
        entries_.reserve(count);
    } else {
        auto file = TemporaryFile::create(folder_);
        if (!file.ok()) return file.status();
        file_ = *std::move(file);
    }
    const unsigned bits = std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(count / 32)), 1, kMostBucketBits);
    bucket_shift_ = 64 - bits;
    buckets_.assign((std::size_t{1} << bits) + 1, count);
    const auto bits_in_memory = static_cast<unsigned>(std::bit_width(most_in_memory_bytes_ / 4 * 8)) - 1;
    const unsigned filter_bits = std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(count)) + 4, 6,
                                                      std::min(kMostFilterBits, bits_in_memory));
    filter_shift_ = 64 - filter_bits;
    filter_.assign((std::size_t{1} << filter_bits) / 64, 0);
    SortItem item;
    std::size_t next_bucket = 0;
    for (std::uint64_t n = 0;; ++n) {
        const auto more = by_hash_->next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        for (const std::size_t bucket = item.key[0] >> bucket_shift_; next_bucket <= bucket; ++next_bucket)
            buckets_[next_bucket] = n;
        const std::size_t bit = filter_bit_of(item.key[0]);
        filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
        entries_.push_back({item.key[0], item.key[1]});
        by_hash_->release();
        if (are_in_memory || entries_.size() < kEntriesWritten) continue;
        WARPSEQ_TRY(file_.append(column_bytes(entries_)));
        entries_.clear();
    }
    by_hash_.reset();
    if (are_in_memory) return {};
    WARPSEQ_TRY(file_.append(column_bytes(std::exchange(entries_, {}))));
    return {};
}

Status AccessionTaxids::read(const std::vector<std::filesystem::path>& lists) {
    WARPSEQ_TRY(sort_names());
    for (const std::filesystem::path& list : lists) WARPSEQ_TRY(read_list(list));
    entries_ = {};
    file_ = {};
    buckets_ = {};
    filter_ = {};
    return found_.finish();
}

/// Reads one list. One thread at a time cuts it into pieces, all threads parse them, and the
/// results are entered in order.
Status AccessionTaxids::read_list(const std::filesystem::path& list) {
    auto source = ByteSource::open(list, kDefaultBlockBytes, pool_.threads());
    if (!source.ok()) return source.status();
    const std::size_t threads = pool_.threads();
    std::vector<Piece> pieces(threads == 1 ? 1 : threads * kPiecesPerThread);
    std::string carry;  // text behind the last cut
    bool is_first = true, at_end = false;
    const auto cut = [&](Piece& piece) {
        piece.text = std::exchange(carry, {});
        piece.begins_list = std::exchange(is_first, false);
        piece.is_one_line = false;
        for (;;) {
            if (piece.text.size() >= kPieceBytes) {
                const std::size_t last_end = piece.text.rfind('\n');
                if (last_end != piece.text.npos) {
                    carry.assign(piece.text, last_end + 1);
                    piece.text.resize(last_end + 1);
                    return;
                }
                piece.is_one_line = piece.text.size() > kLongestLineBytes;
                if (piece.is_one_line) return;
            }
            const auto block = source->next_block();
            if (!block.ok()) {
                // The line in which the file breaks off is not reported.
                piece.failure = block.status();
                piece.text.resize(piece.text.rfind('\n') + 1);
            }
            at_end = !block.ok() || block->empty();
            if (at_end) return;
            piece.text.append(reinterpret_cast<const char*>(block->data()), block->size());
        }
    };
    std::uint64_t lines_before = 0;
    OrderedStages turns(pieces.size());
    return turns
        .run(pool_, {[&](std::size_t slot) -> Result<OrderedStages::Begun> {
                         if (at_end) return OrderedStages::Begun::kNoMore;
                         cut(pieces[slot]);
                         return OrderedStages::Begun::kYes;
                     },
                     [&](std::size_t slot, unsigned) { return parse(pieces[slot]); },
                     [&](std::size_t slot) -> Result<bool> {
                         WARPSEQ_TRY(enter(pieces[slot], lines_before, source->name()));
                         return true;
                     },
                     [](std::size_t, unsigned) { return Status(); }})
        .status();
}

Status AccessionTaxids::parse(Piece& piece) const {
    piece.matches.clear();
    piece.lines = 0;
    piece.wrong_line.clear();
    for (std::string_view rest = piece.text; !rest.empty() && !piece.is_one_line;) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        ++piece.lines;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const Line found = line_of(line);
        if (found.kind == Line::Kind::kBlank) continue;
        std::uint32_t taxid = 0;
        if (found.kind == Line::Kind::kPair) {
            const std::string_view digits = found.taxid;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), taxid);
            if (error == std::errc() && end == digits.data() + digits.size() && taxid <= kMostTaxid) {
                WARPSEQ_TRY(look_up(found.accession, taxid, piece.matches));
                continue;
            }
        }
        // NCBI's files begin with the names of their columns.
        if (piece.begins_list && piece.lines == 1 && line.starts_with("accession")) continue;
        piece.wrong_line = line.substr(0, 80);
        break;
    }
    return {};
}

Status AccessionTaxids::enter(const Piece& piece, std::uint64_t& lines_before, const std::string& file) {
    lines_before += piece.lines;
    if (!piece.wrong_line.empty()) {
        return Status::invalid_input(file + ": line " + std::to_string(lines_before) +
                                     ": expected an accession and a taxonomy ID, or NCBI's four columns, found '" +
                                     piece.wrong_line + "'");
    }
    if (piece.is_one_line) {
        return Status::invalid_input(file + ": line " + std::to_string(lines_before + 1) +
                                     ": expected an accession and a taxonomy ID, found a line longer than a megabyte");
    }
    for (const Match& match : piece.matches) {
        const std::uint64_t order = (match.has_version ? kHasVersion : 0) | matches_++;
        WARPSEQ_TRY(found_.add({match.line, order}, {object_bytes(match.taxid)}));
    }
    return piece.failure;
}

Status AccessionTaxids::look_up(std::string_view accession, std::uint32_t taxid, std::vector<Match>& matches) const {
    const ListedName name = first_listed_name_of(accession);
    WARPSEQ_TRY(look_up(hashed(name, false, false), false, taxid, matches));
    if (std::ranges::none_of(accession, [](char c) { return c >= 'a' && c <= 'z'; })) return {};
    // The tags of an identifier are in small letters, so an identifier with tags is split before it
    // is put in capitals.
    const std::string in_capitals = capitals(accession);
    const bool has_tag = accession.find('|') != accession.npos;
    const ListedName other = has_tag ? name : first_listed_name_of(in_capitals);
    return look_up(hashed(other, true, true), true, taxid, matches);
}

Status AccessionTaxids::look_up(const Name& name, bool only_public, std::uint32_t taxid,
                                std::vector<Match>& matches) const {
    const std::size_t bit = filter_bit_of(name.hash);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return {};
    const std::size_t bucket = name.hash >> bucket_shift_;
    const std::uint64_t end = buckets_[bucket + 1];
    const auto take = [&](std::span<const Entry> some) {
        auto at = std::ranges::lower_bound(some, name.hash, {}, &Entry::hash);
        for (; at != some.end() && at->hash == name.hash; ++at) {
            const Entry& entry = *at;
            if (only_public && (entry.place & kIsPublic) == 0) continue;
            const std::uint64_t version = entry.place & kVersionMask;
            matches.push_back({entry.place >> kLineShift, taxid, version != 0 && version == name.version});
        }
    };
    if (!file_.is_open()) {
        take(std::span(entries_).subspan(buckets_[bucket], end - buckets_[bucket]));
        return {};
    }
    std::array<Entry, kEntriesRead> read;
    for (std::uint64_t first = buckets_[bucket]; first < end; first += read.size()) {
        const std::span<Entry> some = std::span(read).first(std::min<std::uint64_t>(read.size(), end - first));
        WARPSEQ_TRY(
            file_.read_at(first * sizeof(Entry), {reinterpret_cast<std::uint8_t*>(some.data()), some.size_bytes()}));
        take(some);
        if (some.back().hash > name.hash) break;
    }
    return {};
}

Result<std::uint32_t> AccessionTaxids::taxid_of(std::uint64_t line) {
    std::uint32_t taxid = 0;
    for (;;) {
        if (!has_next_ && !at_end_) {
            const auto more = found_.next(next_);
            if (!more.ok()) return more.status();
            has_next_ = *more;
            at_end_ = !*more;
        }
        if (!has_next_ || next_.key[0] > line) return taxid;
        std::memcpy(&taxid, next_.payload.data(), sizeof taxid);
        if (next_.key[0] < line) taxid = 0;
        found_.release();
        has_next_ = false;
    }
}

}  // namespace warpseq
