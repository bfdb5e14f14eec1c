#include "apps/search/driver/mpi/mpi_pieces.h"

#include <string_view>
#include <utility>

#include "formats/io/packet.h"

namespace warpseq {
namespace {

/// The kinds of messages: the request for a piece, rank 0's answer, and the results of a piece.
/// MpiDivision has the kinds from 0 on.
enum Kind : int { kAsking = 16, kPiece, kResults };

/// Bytes of results that rank 0 holds while it waits for those of an earlier piece. From this many
/// on it deals no further pieces, but some results may still come from each rank.
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{256} << 20;

constexpr std::string_view kPieceKind = "piece";

}  // namespace

MpiPieces::MpiPieces(MessageExchange& exchange, int rank, std::uint64_t count, std::uint64_t done)
    : exchange_(exchange), rank_(rank), count_(count), dealt_(done) {
    exchange_.handle(kAsking, [this](int asker, std::uint64_t question, const std::string&) {
        const std::lock_guard lock(mutex_);
        askers_.push_back({asker, question});
        answer_all();
    });
    exchange_.handle(kResults,
                     [this](int, std::uint64_t piece, std::string results) { take(piece, std::move(results)); });
}

bool MpiPieces::can_answer() const { return dealt_ == count_ || held_bytes_ < kMostHeldBytes; }

std::optional<std::uint64_t> MpiPieces::deal() {
    if (dealt_ == count_) return {};
    return dealt_++;
}

void MpiPieces::answer_all() {
    while (!askers_.empty() && can_answer()) {
        const Asker asker = askers_.front();
        askers_.pop_front();
        PacketWriter packet;
        packet(deal());
        exchange_.send(asker.rank, {kPiece, asker.question}, packet.finish(kPieceKind));
    }
}

void MpiPieces::take(std::uint64_t piece, std::string results) {
    const std::lock_guard lock(mutex_);
    held_bytes_ += results.size();
    results_.insert_or_assign(piece, std::move(results));
    changed_.notify_all();
}

void MpiPieces::ask() { exchange_.send(0, {kAsking, questions_++}, {}); }

Result<std::optional<std::uint64_t>> MpiPieces::next() {
    if (rank_ == 0) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return can_answer() || has_given_up_; });
        if (has_given_up_) return exchange_.status_of_end();
        return deal();
    }
    if (questions_ == 0) ask();
    const auto bytes = exchange_.receive(0, {kPiece, questions_ - 1});
    if (!bytes.ok()) return bytes.status();
    auto packet = PacketReader::open(*bytes, kPieceKind, "rank 0");
    if (!packet.ok()) return packet.status();
    std::optional<std::uint64_t> piece;
    (*packet)(piece);
    packet->require(!piece || *piece < count_);
    WARPSEQ_TRY(packet->finish());
    // The next piece is requested now, so that it arrives while this one is done.
    if (piece) ask();
    return piece;
}

void MpiPieces::add(std::uint64_t piece, std::string results) {
    if (rank_ == 0) {
        take(piece, std::move(results));
    } else {
        exchange_.send(0, {kResults, piece}, std::move(results));
    }
}

Result<std::string> MpiPieces::results_of(std::uint64_t piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return results_.contains(piece) || has_given_up_; });
    if (has_given_up_) return exchange_.status_of_end();
    std::string results = std::move(results_.extract(piece).mapped());
    held_bytes_ -= results.size();
    answer_all();
    changed_.notify_all();
    return results;
}

void MpiPieces::give_up() {
    const std::lock_guard lock(mutex_);
    has_given_up_ = true;
    changed_.notify_all();
}

}  // namespace warpseq
