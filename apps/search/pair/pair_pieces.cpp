#include "apps/search/pair/pair_pieces.h"

#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engines/pair/pair_packet.h"

namespace warpseq {
namespace {

/// A collector of results that belong to one piece. The next piece may be asked for while results
/// of the pieces before it still arrive.
class Collector {
   public:
    explicit Collector(const PairPieces& pieces) : pieces_(pieces) {}

    Result<std::optional<PairRange>> next() {
        const auto piece = pieces_.dealer.next();
        if (!piece.ok()) return piece.status();
        if (!*piece) return std::optional<PairRange>();
        const std::lock_guard lock(mutex_);
        begun_.push_back(**piece);
        return std::optional(pieces_.ranges[**piece]);
    }
    Status add(const PairResult& result) {
        PairResult& kept = results_.emplace_back();
        kept.minus = result.minus;
        kept.alignment = result.alignment;
        kept.number = result.number;
        kept.of = result.of;
        if (result.number < result.of) return {};
        const std::uint64_t piece = first_begun();
        if (++pairs_ < pieces_.ranges[piece].count) return {};
        WARPSEQ_TRY(pieces_.dealer.add(piece, to_bytes(results_)));
        results_.clear();
        pairs_ = 0;
        const std::lock_guard lock(mutex_);
        begun_.pop_front();
        return {};
    }

   private:
    std::uint64_t first_begun() {
        const std::lock_guard lock(mutex_);
        return begun_.front();
    }

    const PairPieces& pieces_;
    std::mutex mutex_;
    std::deque<std::uint64_t> begun_;  // guarded by the mutex; results belong to the first one
    std::vector<PairResult> results_;
    std::uint64_t pairs_ = 0;  // pairs with all their results in results_
};

/// Reports the results of all pieces, in order.
Status report_all(const PairPieces& pieces, Observer& observer,
                  const std::function<Status(const PairResult&)>& report) {
    const auto progress =
        observer.begin(pieces.division.scans() ? "Aligning pairs" : "Merging pairs", pieces.input.pair_count());
    std::uint64_t pairs = 0;  // pairs reported so far
    for (std::uint64_t piece = 0; piece < pieces.ranges.size(); ++piece) {
        const auto results = pieces.dealer.results_of(piece);
        if (!results.ok()) return results.status();
        WARPSEQ_TRY(read_pair_results(results->bytes, pieces.input, pieces.scheme, pieces.settings,
                                      pieces.ranges[piece], results->origin, report));
        progress->update(pairs += pieces.ranges[piece].count);
    }
    return {};
}

}  // namespace

Status align_pieces(const PairPieces& pieces, PairSearch& search) {
    Collector collector(pieces);
    return search.run([&] { return collector.next(); },
                      [&](const PairResult& result) { return collector.add(result); });
}

Status report_pieces(const PairPieces& pieces, PairSearch& search, std::stop_source& stop, Observer& observer,
                     const std::function<Status(const PairResult&)>& report) {
    if (!pieces.division.scans()) return report_all(pieces, observer, report);
    // If aligning or reporting fails, it ends the other one, which then returns the status
    // "interrupted".
    auto aligned = std::async(std::launch::async, [&] {
        const Status status = guarded([&] { return align_pieces(pieces, search); });
        if (!status.ok()) pieces.division.give_up();
        return status;
    });
    const Status reported = guarded([&] { return report_all(pieces, observer, report); });
    if (!reported.ok()) {
        stop.request_stop();
        pieces.division.give_up();
    }
    const Status status = aligned.get();
    return reported.code() == StatusCode::kInterrupted && !status.ok() ? status : reported;
}

}  // namespace warpseq
