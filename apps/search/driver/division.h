// The division of a search between processes. One process does the whole search, or each searches a
// share of the databases and another one merges and reports their partials. In a search without
// databases each process does some pieces.
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

/// The default division: one process does the whole search. Derived classes divide a search between
/// processes.
class Division {
   public:
    virtual ~Division() = default;

    /// Whether other processes work for the same search.
    virtual bool is_divided() const { return false; }
    /// Whether this process searches a share of the databases. If not, it merges the partials of
    /// processes that did.
    virtual bool scans() const { return true; }
    /// Whether this process makes the report.
    virtual bool reports() const { return true; }
    /// Whether this process prints progress and notes.
    virtual bool speaks() const { return true; }
    /// Returns the processes that share this machine's GPUs.
    virtual Sharers sharers() const { return {}; }
    /// Whether processes take turns at finishing batches while the others search for further ones.
    virtual bool takes_turns() const { return false; }
    /// Returns the number of batches in flight for an engine that by itself keeps `of_engine` in
    /// flight. With an `of_engine` of 0 it returns the number for which the engine divides its
    /// memory, or 0 if the engine decides. That number is the same in all processes, and in every
    /// later run of the search. In an MPI job it is known after open().
    virtual std::size_t batches_in_flight(std::size_t of_engine) const { return of_engine; }
    /// Returns the random seed that was drawn, or 0 if the options do not ask for one. It is the
    /// same in all processes of the search, and in later runs with the same work folder. Called
    /// after open().
    std::uint32_t drawn_seed() const { return drawn_seed_; }

    /// Prepares this process's part of the search. Returns false if the part has been searched
    /// already. Called before the functions below. The options are those of the command line.
    virtual Result<bool> open(const DividedOptions& options, const Session& session);
    /// Begins the search. Called when outputs, engine and queries are open, before the first batch.
    virtual Status begin() { return {}; }

    // The functions below are about a batch, by its number from 0. Any thread may call them.

    /// Returns the share that this process searches first, or nothing if an earlier run has done
    /// the batch.
    virtual std::optional<TargetShare> first_share(std::uint64_t) { return share_; }
    /// Returns the share that this process searches next, or nothing if none is left.
    virtual Result<std::optional<TargetShare>> next_share(std::uint64_t) { return std::optional<TargetShare>(); }
    using Packet = DivisionPacket;
    /// Returns the partials that other processes have passed on to this one.
    virtual Result<std::vector<Packet>> partials_of(std::uint64_t) { return std::vector<Packet>(); }
    /// Whether this process finishes the batch: its merged partial covers the whole databases, and
    /// it makes results of it.
    virtual bool finishes(std::uint64_t) const { return reports(); }
    /// Passes this process's merged partial on to the process that finishes the batch. Called if
    /// this one does not finish it.
    virtual Status pass_on(std::uint64_t batch, const std::string& partial);
    // The results of a batch come in pieces, in order.

    /// Passes the next results on to the process that reports. Called if this one finishes the
    /// batch and does not report. Waits while the process that reports holds enough results of the
    /// batch.
    virtual Status deliver(std::uint64_t batch, std::string results, bool is_last);
    /// Waits for the next results and returns them. Called if this process reports and does not
    /// finish the batch.
    virtual Result<Packet> results_of(std::uint64_t batch);
    /// Whether the process that reports keeps the batch's results as bytes, so that a later run
    /// need not do the batch again.
    virtual bool keeps(std::uint64_t) const { return false; }
    /// Keeps the next results of a batch. Called if keeps().
    virtual Status keep(std::uint64_t batch, const std::string& results, bool is_last);
    /// Waits until the batch is in the report. Called when this process has done its work for the
    /// batch.
    virtual Status wait_for_report(std::uint64_t) { return {}; }

    /// Returns the dealer of the pieces of a search without databases, which take the place of
    /// batches and begin(). Returns nullptr if this process does the whole search.
    virtual PieceDealer* pieces() { return nullptr; }

    /// Ends all waiting in the functions above, because a batch or a piece has failed.
    virtual void give_up() {}

    /// Ends the search. Called after the last batch or piece, before a report appears.
    virtual Status finish() { return {}; }

   protected:
    TargetShare share_;
    std::uint32_t drawn_seed_ = 0;
};

/// Returns a digest of everything that decides about the results: the program's version, options,
/// files, databases, and the choice of sequences. Searches with equal digests give equal results.
Result<std::string> digest_of_search(const DividedOptions& options, const DatabaseSet& databases);
/// Returns a digest of the places where the databases can be cut into shares. Processes with equal
/// digests cut the same shares. Databases of equal content can have different digests, for example
/// if their codecs differ.
std::string digest_of_cuts(const DatabaseSet& databases);

/// Returns the division that the options ask for: one part of the search (--part), or all of it.
Result<std::unique_ptr<Division>> make_division(const DividedOptions& options);

/// Opens a folder of complete parts for merging. An error says which parts are missing or damaged,
/// or that the parts belong to several searches.
Result<std::unique_ptr<Division>> merge_of_parts(const std::filesystem::path& folder);
/// Returns the command line that the parts were searched with: the engine's name, then options.
Result<std::vector<std::string>> arguments_of_parts(const std::filesystem::path& folder);

}  // namespace warpseq
