// Who does what of a search: one process all of it, or each one a share of the databases, whose partials another one merges
// and reports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/search/common_options.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "engines/targets/share.h"
#include "formats/part_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// This one: all of the search in one process.
class Division {
   public:
    virtual ~Division() = default;

    /// Whether others work for the same search.
    virtual bool is_divided() const { return false; }
    /// Whether this process searches a share of the databases, or has the partials of those who did.
    virtual bool scans() const { return true; }
    /// Whether it makes the report, or leaves partials for whoever does.
    virtual bool reports() const { return true; }
    /// Whether a person hears from it of more than errors.
    virtual bool speaks() const { return true; }
    /// Who shares the machine's GPUs.
    virtual Sharers sharers() const { return {}; }

    /// Before all else. False: there is nothing to do. The options are those of the command line.
    virtual Result<bool> open(const CommonOptions& options, const DatabaseSet& databases);
    /// When outputs, engine and queries are open, before the first batch.
    virtual Status begin() { return {}; }
    const TargetShare& share() const { return share_; }

    /// Of a batch, by its number from 0, the partials that others have left to this process, as packets, and whose they are.
    /// Batch after batch.
    struct Packet {
        std::string bytes, origin;
    };
    virtual Result<std::vector<Packet>> packets_of(std::uint64_t batch);
    /// Instead of packets_of(), where a batch has failed.
    virtual void give_up() {}
    /// Whether an earlier run has done a batch: nobody scans for it, and who reports has it in packets_of().
    virtual bool is_done(std::uint64_t) const { return false; }
    /// Where it reports: whether it wants what is merged of a batch, as a packet, so that a later run need not do it again.
    virtual bool keeps() const { return false; }
    virtual Status keep(std::uint64_t batch, const std::string& packet);
    /// Where it does not report: the partial of the next batch.
    virtual Status add(const std::string& packet);
    /// After the last batch, before a report appears.
    virtual Status finish() { return {}; }

   protected:
    TargetShare share_;
};

/// Of everything that decides about the results: searches of one digest find the same.
Result<std::string> digest_of_search(const CommonOptions& options, const DatabaseSet& databases);

/// The division that the options ask for.
Result<std::unique_ptr<Division>> make_division(const CommonOptions& options);

/// Of the parts in a folder, all of them whole, the one who merges. An error that says which parts are missing or
/// damaged, or that there are those of several searches.
Result<std::unique_ptr<Division>> merge_of_parts(const std::filesystem::path& folder);
/// The command line that they were searched with: the engine's name, then options.
Result<std::vector<std::string>> arguments_of_parts(const std::filesystem::path& folder);

/// The hits of a batch, by its number from 0, as far as this process has to do with them: found in its share and merged with
/// what others have left to it. Batch and observer live until then.
template <typename Partial, typename Engine, typename Batch>
std::future<Result<Partial>> start_partial(Division& division, std::uint64_t number, Engine& engine, const Batch& batch,
                                           const SearchControl& control) {
    std::future<Result<Partial>> found;
    if (division.is_done(number) && !division.reports()) {
        found = std::async(std::launch::deferred, [] { return Result<Partial>(Partial()); });
        return found;
    }
    if (division.scans() && !division.is_done(number)) found = engine.start_scan(batch, division.share(), control);
    if (!division.is_divided()) return found;
    return std::async(std::launch::deferred, [&division, number, &engine, &batch, found = std::move(found)]() mutable {
        return guarded([&]() -> Result<Partial> {
            std::optional<Partial> merged;
            const auto add = [&](Result<Partial> partial) -> Status {
                if (!partial.ok()) return partial.status();
                if (merged) {
                    engine.merge(*merged, *std::move(partial));
                } else {
                    merged = *std::move(partial);
                }
                return {};
            };
            if (found.valid()) {
                const Status status = add(found.get());
                if (!status.ok()) division.give_up();
                WARPSEQ_TRY(status);
            }
            const auto packets = division.packets_of(number);
            if (!packets.ok()) return packets.status();
            for (const Division::Packet& packet : *packets)
                WARPSEQ_TRY(add(engine.from_bytes(packet.bytes, batch, packet.origin)));
            if (division.keeps() && !division.is_done(number))
                WARPSEQ_TRY(division.keep(number, engine.to_bytes(*merged)));
            return *std::move(merged);
        });
    });
}

}  // namespace warpseq
