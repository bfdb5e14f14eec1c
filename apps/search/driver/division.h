// Who does what of a search: one process all of it, or each one a share of the databases, whose
// partials another one merges and reports; or, of a search that has no databases, each one some
// pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/driver/piece_dealer.h"
#include "engines/devices/devices.h"
#include "engines/session.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "formats/io/part_file.h"
#include "libcore/base/status.h"
#include "options/search/common_options.h"

namespace warpseq {

/// The default division: one process does the whole search.
class Division {
   public:
    virtual ~Division() = default;

    /// Whether others work for the same search.
    virtual bool is_divided() const { return false; }
    /// Whether this process searches a share of the databases, or has the partials of those who
    /// did.
    virtual bool scans() const { return true; }
    /// Whether it makes the report, or leaves what it has to whoever does.
    virtual bool reports() const { return true; }
    /// Whether this process prints progress and notes.
    virtual bool speaks() const { return true; }
    /// Returns the processes that share this machine's GPUs.
    virtual Sharers sharers() const { return {}; }
    /// Whether each batch is finished by another process, while they search for others.
    virtual bool takes_turns() const { return false; }
    /// Returns how many batches are searched for side by side, where the engine by itself takes
    /// `of_engine`. For an `of_engine` of 0 it is how many batches share the engine's memory, the
    /// same in all processes and whenever a search is begun again. Ranks call it after open().
    virtual std::size_t batches_in_flight(std::size_t of_engine) const { return of_engine; }
    /// Returns the seed that was drawn, if the options ask for that. It is the same in all
    /// processes of the search, and in later runs with the same work folder. Called after open().
    std::uint32_t drawn_seed() const { return drawn_seed_; }

    /// Called before any other function. Returns false if there is nothing to do. The options are
    /// those of the command line.
    virtual Result<bool> open(const DividedOptions& options, const Session& session);
    /// Called when outputs, engine and queries are open, before the first batch.
    virtual Status begin() { return {}; }

    // Of a batch, by its number from 0. Any thread may ask.

    /// What this process searches first; nothing: an earlier run has done the batch.
    virtual std::optional<TargetShare> first_share(std::uint64_t) { return share_; }
    /// What it searches after what it has been given; nothing: no more.
    virtual Result<std::optional<TargetShare>> next_share(std::uint64_t) { return std::optional<TargetShare>(); }
    using Packet = DivisionPacket;
    /// The partials that others have left to this process.
    virtual Result<std::vector<Packet>> partials_of(std::uint64_t) { return std::vector<Packet>(); }
    /// Whether the partial that this process has then is the whole one, and it makes results of it.
    virtual bool finishes(std::uint64_t) const { return reports(); }
    /// Takes the partial if this process does not finish the batch.
    virtual Status pass_on(std::uint64_t batch, const std::string& partial);
    // Results come in pieces, one behind the other.

    /// Takes the next results if this process finishes the batch and does not report. Waits as long
    /// as the process that reports has enough of them.
    virtual Status deliver(std::uint64_t batch, std::string results, bool is_last);
    /// Returns the next results if this process reports and does not finish the batch. Waits for
    /// them.
    virtual Result<Packet> results_of(std::uint64_t batch);
    /// Whether the process that reports wants results as bytes, so that a later run need not do the
    /// batch again.
    virtual bool keeps(std::uint64_t) const { return false; }
    virtual Status keep(std::uint64_t batch, const std::string& results, bool is_last);
    /// Waits until the batch is in the report. Called when this process has done its work for the
    /// batch.
    virtual Status wait_for_report(std::uint64_t) { return {}; }

    /// Returns what deals the pieces of a search that has no databases. They take the place of batches
    /// and begin(). Returns nullptr if this process does all of the search.
    virtual PieceDealer* pieces() { return nullptr; }

    /// A batch or a piece has failed: who waits for something above waits no longer.
    virtual void give_up() {}

    /// After the last batch or piece, before a report appears.
    virtual Status finish() { return {}; }

   protected:
    TargetShare share_;
    std::uint32_t drawn_seed_ = 0;
};

/// Another number in each call, but not 0.
std::uint32_t draw_seed();

/// Digest of everything that decides about the results, which sequences are searched included:
/// searches of one digest find the same.
Result<std::string> digest_of_search(const DividedOptions& options, const DatabaseSet& databases);
/// Digest of where the databases can be cut: processes of one digest cut the same shares. Databases
/// of equal content can differ in it, as by their codec.
std::string digest_of_cuts(const DatabaseSet& databases);

/// The division that the options ask for.
Result<std::unique_ptr<Division>> make_division(const DividedOptions& options);

/// Opens a folder of complete parts for merging. An error says which parts are missing or damaged,
/// or that the parts belong to several searches.
Result<std::unique_ptr<Division>> merge_of_parts(const std::filesystem::path& folder);
/// Returns the command line that they were searched with: the engine's name, then options.
Result<std::vector<std::string>> arguments_of_parts(const std::filesystem::path& folder);

}  // namespace warpseq
