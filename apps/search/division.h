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

    /// Before all else. False: there is nothing to do. The options are those of the command line.
    virtual Result<bool> open(const CommonOptions& options, const DatabaseSet& databases);
    const TargetShare& share() const { return share_; }

    /// Where it does not scan: of the next batch all partials, as packets, and whose they are.
    struct Packet {
        std::string bytes, origin;
    };
    virtual Result<std::vector<Packet>> next_packets() { return std::vector<Packet>(); }
    /// Where it does not report: the partial of the next batch.
    virtual Status add(const std::string& packet);
    /// After the last batch, before a report appears.
    virtual Status finish() { return {}; }

   protected:
    TargetShare share_;
};

/// The division that the options ask for.
std::unique_ptr<Division> make_division(const CommonOptions& options);

/// Of the parts in a folder, all of them whole, the one who merges. An error that says which parts are missing or
/// damaged, or that there are those of several searches.
Result<std::unique_ptr<Division>> merge_of_parts(const std::filesystem::path& folder);
/// The command line that they were searched with: the engine's name, then options.
Result<std::vector<std::string>> arguments_of_parts(const std::filesystem::path& folder);

/// The hits of a batch, as far as this process has to do with them: found in its share, or merged of the others'. Batch and
/// observer live until then.
template <typename Partial, typename Engine, typename Batch>
std::future<Result<Partial>> start_partial(Division& division, Engine& engine, const Batch& batch,
                                           const SearchControl& control) {
    if (division.scans()) return engine.start_scan(batch, division.share(), control);
    auto packets = division.next_packets();
    return std::async(std::launch::deferred, [&engine, &batch, packets = std::move(packets)] {
        return guarded([&]() -> Result<Partial> {
            if (!packets.ok()) return packets.status();
            std::optional<Partial> merged;
            for (const Division::Packet& packet : *packets) {
                auto partial = engine.from_bytes(packet.bytes, batch, packet.origin);
                if (!partial.ok()) return partial.status();
                if (merged) {
                    engine.merge(*merged, *std::move(partial));
                } else {
                    merged = *std::move(partial);
                }
            }
            return *std::move(merged);
        });
    });
}

}  // namespace warpseq
