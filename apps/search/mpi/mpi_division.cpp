#include "apps/search/mpi/mpi_division.h"

#include <algorithm>
#include <utility>

#include "apps/common/command_line.h"

namespace warpseq {
namespace {

/// Counts of MPI are ints.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

/// Batches come in order, so a tag need not say which one it is for long.
int tag_of(std::uint64_t batch) { return static_cast<int>(batch % 32768); }

/// What a rank says of itself to the others before the search begins.
constexpr int kReady = -1;

}  // namespace

MpiDivision::MpiDivision(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &ranks_);
    MPI_Comm of_machine = MPI_COMM_NULL;
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &of_machine);
    int number = 0, count = 1;
    MPI_Comm_rank(of_machine, &number);
    MPI_Comm_size(of_machine, &count);
    MPI_Comm_free(&of_machine);
    sharers_ = {static_cast<unsigned>(number), static_cast<unsigned>(count)};
    // A binomial tree: the parent of a rank is the rank without its lowest bit.
    parent_ = rank_ & (rank_ - 1);
    for (int bit = 1; (rank_ & bit) == 0 && rank_ + bit < ranks_; bit *= 2) children_.push_back(rank_ + bit);
}

std::vector<int> MpiDivision::gather(int number) const {
    std::vector<int> numbers(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, communicator_);
    return numbers;
}

Result<bool> MpiDivision::open(const CommonOptions& options, const DatabaseSet& databases) {
    auto digest = digest_of_search(options, databases);
    if (!digest.ok()) return digest.status();
    label_.digest = *std::move(digest);
    label_.arguments = options.arguments;
    if (options.part) return Status::usage("--part is what ranks are for; search-mpi takes none");
    if (options.work_dir && rank_ == 0) {
        folder_ = *options.work_dir / (label_.digest.substr(0, 16) + ".ranks");
        while (is_whole_part(part_file(*folder_, of_batch(done_)), of_batch(done_))) ++done_;
    }
    share_ = dealt_share(databases, static_cast<std::uint64_t>(rank_), static_cast<std::uint64_t>(ranks_));
    return true;
}

Status MpiDivision::begin() {
    const std::vector<int> states = gather(kReady);
    has_met_ = true;
    if (std::ranges::any_of(states, [](int state) { return state != kReady; })) {
        another_failed_ = true;
        return Status::interrupted();
    }
    MPI_Bcast(&done_, 1, MPI_UINT64_T, 0, communicator_);
    added_ = done_;
    std::string first = label_.digest;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, communicator_);
    if (first == label_.digest) return {};
    return Status::invalid_input("rank " + std::to_string(rank_) +
                                 " sees other queries, options or databases than rank 0, or is another version");
}

PartLabel MpiDivision::of_batch(std::uint64_t batch) const {
    PartLabel label = label_;
    label.part = batch;
    label.parts = batch + 1;
    return label;
}

Status MpiDivision::keep(std::uint64_t batch, const std::string& packet) {
    auto writer = PartWriter::create(*folder_, of_batch(batch));
    if (!writer.ok()) return writer.status();
    WARPSEQ_TRY(writer->add(packet));
    return writer->finish();
}

Result<std::vector<Division::Packet>> MpiDivision::packets_of(std::uint64_t batch) {
    if (is_done(batch)) {
        auto file = PartReader::open(part_file(*folder_, of_batch(batch)));
        if (!file.ok()) return file.status();
        auto bytes = file->next();
        if (!bytes.ok()) return bytes.status();
        return std::vector<Packet>{{*std::move(bytes), file->file().string()}};
    }
    // Children send batch after batch, and wait until each is taken.
    std::unique_lock turn(turn_mutex_);
    turn_.wait(turn, [&] { return done_ + received_ == batch || has_given_up_; });
    if (has_given_up_) return Status::interrupted();
    const std::lock_guard lock(mutex_);
    std::vector<Packet> packets;
    for (const int child : children_) {
        std::uint64_t size = 0;
        MPI_Recv(&size, 1, MPI_UINT64_T, child, tag_of(batch), communicator_, MPI_STATUS_IGNORE);
        Packet packet{std::string(size, '\0'), "rank " + std::to_string(child)};
        for (std::uint64_t at = 0; at < size; at += kMostBytes) {
            MPI_Recv(packet.bytes.data() + at, static_cast<int>(std::min(size - at, kMostBytes)), MPI_BYTE, child,
                     tag_of(batch), communicator_, MPI_STATUS_IGNORE);
        }
        packets.push_back(std::move(packet));
    }
    ++received_;
    turn_.notify_all();
    return packets;
}

void MpiDivision::give_up() {
    const std::lock_guard turn(turn_mutex_);
    has_given_up_ = true;
    turn_.notify_all();
}

Status MpiDivision::add(const std::string& packet) {
    if (reported_++ < done_) return {};
    const std::lock_guard lock(mutex_);
    const int tag = tag_of(added_++);
    const std::uint64_t size = packet.size();
    MPI_Send(&size, 1, MPI_UINT64_T, parent_, tag, communicator_);
    for (std::uint64_t at = 0; at < size; at += kMostBytes) {
        MPI_Send(packet.data() + at, static_cast<int>(std::min(size - at, kMostBytes)), MPI_BYTE, parent_, tag,
                 communicator_);
    }
    return {};
}

Status MpiDivision::finish() {
    MPI_Barrier(communicator_);
    return {};
}

int MpiDivision::end(const std::string& program, const Status& status) {
    if (has_met_) {
        if (status.ok() || another_failed_) return 0;
        // Others may wait for this rank.
        MPI_Abort(communicator_, report_status(program, status));
        return status.exit_status();
    }
    const std::vector<int> states = gather(status.ok() ? 0 : status.exit_status());
    has_met_ = true;
    const auto failed = std::ranges::find_if(states, [](int state) { return state > 0; });
    // The others end as if all were well, so that whoever started the job hears of one error.
    const bool is_first = failed != states.end() && failed - states.begin() == rank_;
    return is_first ? report_status(program, status) : 0;
}

}  // namespace warpseq
