// The pieces of a search without databases, such as an alignment of pairs of sequences. Each piece
// is done by one process, and one process takes the results of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libcore/base/status.h"

namespace warpseq {

/// Bytes that another process or an earlier run has made.
struct DivisionPacket {
    std::string bytes, origin;
    bool is_last = true;  // whether these are the last results of a batch
};

/// A dealer of pieces to the processes of a divided search. Pieces are counted from 0.
class PieceDealer {
   public:
    virtual ~PieceDealer() = default;

    /// Returns the number of processes that the search is cut for.
    virtual std::uint64_t processes() const = 0;
    /// Called once, before the functions below. It takes the place of Division::begin().
    virtual Status begin(std::uint64_t count) = 0;
    /// Returns the piece that this process does next, or nothing if no piece is left. One thread at
    /// a time may call it.
    virtual Result<std::optional<std::uint64_t>> next() = 0;
    /// Takes the results of a piece, in the order in which pieces were given.
    virtual Status add(std::uint64_t piece, std::string results) = 0;
    /// Returns the results of one piece after the other, whichever process has done it. Waits for
    /// them. Called in the process that reports.
    virtual Result<DivisionPacket> results_of(std::uint64_t piece) = 0;
};

}  // namespace warpseq
