// The work of a process for each batch of queries: it scans its share of the databases, merges the
// partials of other processes, and finishes the batch. The division of the search says which of
// these steps the process takes.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apps/search/driver/division.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The work for an engine's batches, with the engine's partials and the results made of them.
template <typename Engine, typename Batch, typename Partial, typename Results>
class BatchWork {
   public:
    /// A batch after its scan.
    struct Found {
        std::uint64_t number = 0;  // the batch's number, from 0
        /// The partial of the whole databases if report() has to finish it. Nothing if another
        /// process finishes or reports the batch.
        std::optional<Partial> partial;
    };
    /// A function that takes the next results of a batch.
    using Take = std::function<Status(Results results, bool is_last)>;
    /// The functions that make results of partials and convert results to bytes and back. `number`
    /// is the batch's number.
    struct Ending {
        /// Makes the results of a batch and passes them to `take`, in one call or in several. The
        /// results of one call are so few that memory stays bounded.
        std::function<Status(std::uint64_t number, const Batch& batch, Partial partial, const Take& take)> finish;
        std::function<std::string(const Results& results)> to_bytes;
        std::function<Result<Results>(std::string_view bytes, const Batch& batch, std::string_view origin)> from_bytes;
    };
    /// Returns the ending of an engine that has functions for the bytes of its results.
    static Ending ending_of(Engine& engine,
                            std::function<Status(const Batch& batch, Partial partial, const Take& take)> finish) {
        return {[finish = std::move(finish)](std::uint64_t, const Batch& batch, Partial partial, const Take& take) {
                    return finish(batch, std::move(partial), take);
                },
                [&engine](const Results& results) { return engine.to_bytes(results); },
                [&engine](std::string_view bytes, const Batch& batch, std::string_view origin) {
                    return engine.results_from_bytes(bytes, batch, origin);
                }};
    }

    /// All arguments outlive this object.
    BatchWork(Division& division, const Session& session, Engine& engine, const SearchControl& control, Ending ending)
        : division_(division), session_(session), engine_(engine), control_(control), ending_(std::move(ending)) {}

    /// Returns the launch policy for start(). If processes take turns, each batch has a thread,
    /// which mostly waits. Otherwise, and if the system refuses the thread, the thread that waits
    /// for the result does the work.
    std::launch policy() const {
        return division_.takes_turns() ? std::launch::async | std::launch::deferred : std::launch::deferred;
    }

    /// Starts the work for the next batch. This object and `batch` must live until the result is
    /// there.
    std::future<Result<Found>> start(const Batch& batch, std::launch policy) {
        const std::uint64_t number = started_++;
        Scan scan;
        if (division_.scans()) {
            if (const auto share = division_.first_share(number)) scan = engine_.start_scan(batch, *share, control_);
        }
        auto turn = std::make_unique<Turn>(turn_of_last_);
        turn_of_last_ = turn->ended();
        return std::async(policy, [this, number, &batch, scan = std::move(scan), turn = std::move(turn)]() mutable {
            auto found = guarded([&] { return work(number, batch, std::move(scan), std::move(turn)); });
            if (!found.ok()) division_.give_up();
            return found;
        });
    }

    /// Passes all results of a batch to `take`, also those that other processes have made. Called
    /// in the process that reports.
    Status report(const Batch& batch, Found found, const std::function<Status(Results results)>& take) {
        const std::uint64_t number = found.number;
        if (found.partial) {
            return ending_.finish(number, batch, *std::move(found.partial), [&](Results results, bool is_last) {
                if (division_.keeps(number)) WARPSEQ_TRY(division_.keep(number, ending_.to_bytes(results), is_last));
                return take(std::move(results));
            });
        }
        for (bool is_last = false; !is_last;) {
            const auto packet = division_.results_of(number);
            if (!packet.ok()) return packet.status();
            is_last = packet->is_last;
            if (division_.keeps(number)) WARPSEQ_TRY(division_.keep(number, packet->bytes, is_last));
            auto results = ending_.from_bytes(packet->bytes, batch, packet->origin);
            if (!results.ok()) return results.status();
            WARPSEQ_TRY(take(*std::move(results)));
        }
        return {};
    }

   private:
    using Scan = std::future<Result<Partial>>;

    /// A batch's turn to scan. wait() blocks until the turn of the batch before has ended. The turn
    /// ends when the object is destroyed.
    class Turn {
       public:
        explicit Turn(std::shared_future<void> before) : before_(std::move(before)) {}
        ~Turn() { end_.set_value(); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        std::shared_future<void> ended() const { return ended_; }
        void wait() const {
            if (before_.valid()) before_.wait();
        }

       private:
        std::promise<void> end_;
        std::shared_future<void> ended_ = end_.get_future().share(), before_;
    };

    Result<Found> work(std::uint64_t number, const Batch& batch, Scan scan, std::unique_ptr<Turn> turn) {
        if (division_.scans() && !scan.valid()) return Found{number, {}};
        std::optional<Partial> merged;
        const auto add = [&](Result<Partial> partial) -> Status {
            if (!partial.ok()) return partial.status();
            if (merged) return engine_.merge(*merged, *std::move(partial));
            merged = *std::move(partial);
            return {};
        };
        // On CPUs one batch is scanned after another. Side by side they would only compete for the
        // caches.
        if (division_.takes_turns() && session_.gpus().empty()) turn->wait();
        while (scan.valid()) {
            WARPSEQ_TRY(add(scan.get()));
            const auto share = division_.next_share(number);
            if (!share.ok()) return share.status();
            if (*share) scan = engine_.start_scan(batch, **share, control_);
        }
        turn.reset();
        const auto packets = division_.partials_of(number);
        if (!packets.ok()) return packets.status();
        for (const Division::Packet& packet : *packets)
            WARPSEQ_TRY(add(engine_.from_bytes(packet.bytes, batch, packet.origin)));
        if (!division_.finishes(number)) {
            WARPSEQ_TRY(division_.pass_on(number, engine_.to_bytes(*merged)));
            return Found{number, {}};
        }
        if (division_.reports()) return Found{number, std::move(merged)};
        WARPSEQ_TRY(ending_.finish(number, batch, *std::move(merged), [&](const Results& results, bool is_last) {
            return division_.deliver(number, ending_.to_bytes(results), is_last);
        }));
        return Found{number, {}};
    }

    Division& division_;
    const Session& session_;
    Engine& engine_;
    const SearchControl& control_;
    Ending ending_;
    std::uint64_t started_ = 0;
    std::shared_future<void> turn_of_last_;
};

}  // namespace warpseq
