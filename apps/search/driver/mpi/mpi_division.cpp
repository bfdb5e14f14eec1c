#include "apps/search/driver/mpi/mpi_division.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/common/command_line.h"
#include "formats/io/atomic_file.h"
#include "formats/io/packet.h"
#include "libcore/base/draw_seed.h"

namespace warpseq {
namespace {

/// The state that a rank tells the others before the search begins.
constexpr int kReady = -1;

/// The kinds of messages: a partial, some results, the request for a unit, the answer with a unit
/// if there is one, the number of batches in the report, and the note that rank 0 has taken some
/// results.
enum Kind : int { kPartial, kResults, kAsking, kUnit, kReported, kTaken };

/// The least residues of a unit. Smaller units are not worth the messages, or on GPUs the time
/// until these are busy.
constexpr std::uint64_t kLeastResidues = 2 << 20, kLeastResiduesOnGpus = 64 << 20;

/// The most ranks of a job in which a rank also helps ranks of other machines. With more ranks each
/// helps only ranks of its own machine. A helper has to read what it takes over, and the file
/// systems of clusters are too slow for that many readers (docs/cluster.md, At scale).
constexpr int kMostFarHelpers = 256;

/// Number of threads that do about as much work as a GPU.
constexpr int kThreadsOfGpu = 200;

constexpr std::string_view kUnitKind = "unit", kPlanKind = "rankplan", kPlanFile = "plan";

/// The most bytes of a batch's results that are finished before rank 0 takes them. Rank 0 holds
/// this much of each batch in flight.
constexpr std::uint64_t kMostAheadBytes = std::uint64_t{8} << 20;

/// The last byte of a message with results. It says whether more results of the batch follow.
constexpr char kMoreFollow = 0, kIsLast = 1;

}  // namespace

template <typename Packet>
void describe(Packet& packet, TileRange& range) {
    packet(range.database, range.first_tile, range.tile_count);
}

MpiDivision::MpiDivision(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &ranks_);
    MPI_Comm of_machine = MPI_COMM_NULL;
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &of_machine);
    int number = 0, count = 1;
    MPI_Comm_rank(of_machine, &number);
    MPI_Comm_size(of_machine, &count);
    ranks_of_machine_.resize(static_cast<std::size_t>(count));
    MPI_Allgather(&rank_, 1, MPI_INT, ranks_of_machine_.data(), 1, MPI_INT, of_machine);
    MPI_Comm_free(&of_machine);
    sharers_ = {static_cast<unsigned>(number), static_cast<unsigned>(count)};
    // A rank's neighbours are those on a hypercube, as far as these ranks exist. Work that is left
    // at one rank spreads in few steps.
    for (int bit = 1; bit < ranks_; bit *= 2) {
        const int neighbour = rank_ ^ bit;
        if (neighbour >= ranks_) continue;
        if (ranks_ <= kMostFarHelpers || std::ranges::count(ranks_of_machine_, neighbour) > 0)
            neighbours_.push_back(neighbour);
    }
}

std::vector<int> MpiDivision::gather(int number) const {
    std::vector<int> numbers(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&number, 1, MPI_INT, numbers.data(), 1, MPI_INT, communicator_);
    return numbers;
}

std::size_t MpiDivision::batches_in_flight(std::size_t of_engine) const {
    return std::max(static_cast<std::size_t>(plan_.batches_in_flight), of_engine);
}

Result<bool> MpiDivision::open(const DividedOptions& options, const Session& session) {
    // The results that ranks send and keep may be texts, so the options about texts decide, too.
    DividedOptions decisive = options;
    decisive.arguments.insert(decisive.arguments.end(), options.table_arguments.begin(), options.table_arguments.end());
    auto digest = digest_of_search(decisive, session.databases());
    if (!digest.ok()) return digest.status();
    label_.digest = *std::move(digest);
    label_.arguments = std::move(decisive.arguments);
    std::string seen = label_.digest + digest_of_cuts(session.databases());
    if (options.part) return Status::usage("search-mpi takes no --part; its ranks divide the search");
    has_folder_ = options.work_dir.has_value();
    if (rank_ == 0) {
        // While a rank finishes its batch the others search for theirs. More batches would only
        // take memory.
        constexpr std::uint64_t kFewest = 4, kMost = 32;
        plan_.batches_in_flight = std::clamp(2 * static_cast<std::uint64_t>(ranks_), kFewest, kMost);
        if (options.draws_seed) plan_.seed = draw_seed();
    }
    if (has_folder_ && rank_ == 0) {
        folder_ = *options.work_dir / (label_.digest.substr(0, 16) + ".ranks");
        if (const auto plan = read_plan()) {
            plan_ = *plan;
        } else {
            WARPSEQ_TRY(write_plan(plan_));
        }
        // The digest covers the plan. Parts that were kept under another plan do not belong to this
        // search.
        label_.digest = digest_of({label_.digest, std::to_string(plan_.seed), std::to_string(plan_.batches_in_flight)});
        while (is_whole_part(part_file(*folder_, of_batch(done_)), of_batch(done_))) ++done_;
    }
    databases_ = &session.databases();
    has_gpus_ = !session.gpus().empty();
    constexpr int kMostStrength = (1 << 16) - 1;
    int strength = has_gpus_ ? kThreadsOfGpu * static_cast<int>(session.gpus().size()) : 0;
    if (!has_gpus_ || session.speeds_with_help())
        strength += static_cast<int>(std::min(session.settings().threads, 1U << 15));
    strength_ = std::clamp(strength, 1, kMostStrength);

    WARPSEQ_TRY(meet());
    std::uint64_t of_first[] = {done_, plan_.seed, plan_.batches_in_flight};
    MPI_Bcast(of_first, std::size(of_first), MPI_UINT64_T, 0, communicator_);
    done_ = in_report_ = of_first[0];
    plan_ = {static_cast<std::uint32_t>(of_first[1]), of_first[2]};
    drawn_seed_ = plan_.seed;
    std::string first = seen;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, communicator_);
    if (first == seen) return true;
    const bool stores_differ = first.starts_with(seen.substr(0, seen.size() / 2));
    return Status::invalid_input(
        "rank " + std::to_string(rank_) +
        (stores_differ
             ? " has databases stored differently from those of rank 0 (dbconv --codec); all need the same files"
             : " has other queries, options or databases than rank 0, or another version of warpseq"));
}

std::optional<MpiDivision::Plan> MpiDivision::read_plan() const {
    const std::filesystem::path file = *folder_ / kPlanFile;
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    auto packet = PacketReader::open(bytes, kPlanKind, file.string());
    if (!packet.ok()) return {};
    Plan plan;
    (*packet)(plan.seed, plan.batches_in_flight);
    packet->require(plan.batches_in_flight > 0);
    return packet->finish().ok() ? std::optional(plan) : std::nullopt;
}

Status MpiDivision::write_plan(const Plan& plan) const {
    std::error_code error;
    std::filesystem::create_directories(*folder_, error);
    if (error) return Status::io(folder_->string() + ": cannot make this folder: " + error.message());
    auto file = AtomicFile::create(*folder_ / kPlanFile, true);
    if (!file.ok()) return file.status();
    PacketWriter packet;
    packet(plan.seed, plan.batches_in_flight);
    const std::string bytes = packet.finish(kPlanKind);
    WARPSEQ_TRY(file->append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    return file->commit();
}

Status MpiDivision::meet() {
    const std::vector<int> states = gather(kReady);
    if (std::ranges::all_of(states, [](int state) { return state == kReady; })) return {};
    another_failed_ = has_begun_ = true;
    return Status::interrupted();
}

Status MpiDivision::make_exchange() {
    WARPSEQ_TRY(meet());
    has_begun_ = true;
    exchange_.emplace(communicator_);
    exchange_->at_failure([this] { give_up(); });
    return {};
}

Status MpiDivision::begin() {
    WARPSEQ_TRY(make_exchange());
    strengths_ = gather(strength_);
    const std::vector<std::uint32_t> weights(strengths_.begin(), strengths_.end());
    const TargetShare share = dealt_share(*databases_, static_cast<std::uint64_t>(rank_), weights);
    units_ = {share};
    if (!neighbours_.empty())
        units_ = guided_units(share, *databases_, has_gpus_ ? kLeastResiduesOnGpus : kLeastResidues);
    for (const TargetShare& unit : units_) unit_residues_.push_back(residues_of(unit, *databases_));
    exchange_->handle(kAsking, [this](int rank, std::uint64_t batch, const std::string&) {
        PacketWriter packet;
        packet(give_unit(batch, rank).value_or(TargetShare()));
        exchange_->send(rank, {kUnit, batch}, packet.finish(kUnitKind));
    });
    exchange_->handle(kReported, [this](int, std::uint64_t batches, const std::string&) { note_report(batches); });
    return exchange_->start();
}

std::uint64_t MpiDivision::Pieces::processes() const {
    // The results that a job keeps have to fit a later job with another number of ranks.
    constexpr std::uint64_t kWithFolder = 64;
    return division_.has_folder_ ? kWithFolder : static_cast<std::uint64_t>(division_.ranks_);
}

Status MpiDivision::Pieces::begin(std::uint64_t count) {
    WARPSEQ_TRY(division_.make_exchange());
    division_.pieces_.emplace(*division_.exchange_, division_.rank_, count, std::min(division_.done_, count));
    return division_.exchange_->start();
}

Result<Division::Packet> MpiDivision::Pieces::results_of(std::uint64_t piece) {
    if (division_.is_done(piece)) return division_.results_of(piece);
    auto bytes = division_.pieces_->results_of(piece);
    if (!bytes.ok()) return bytes.status();
    if (division_.keeps(piece)) WARPSEQ_TRY(division_.keep(piece, *bytes, true));
    return Packet{*std::move(bytes), "piece " + std::to_string(piece)};
}

MpiDivision::Helping& MpiDivision::helping(std::uint64_t batch) {
    const auto [place, is_new] = helping_.try_emplace(batch);
    if (is_new) place->second.neighbours_left = neighbours_.size();
    return place->second;
}

std::optional<TargetShare> MpiDivision::give_unit(std::uint64_t batch, int taker) {
    const std::lock_guard lock(mutex_);
    Helping& of_batch = helping(batch);
    const std::size_t next = of_batch.units_given;
    if (next == units_.size()) return {};
    // A much weaker taker would still scan the unit when this rank has done all the rest.
    const auto left = std::reduce(unit_residues_.begin() + static_cast<std::ptrdiff_t>(next), unit_residues_.end());
    const auto strength_of = [&](int rank) {
        return static_cast<std::uint64_t>(strengths_[static_cast<std::size_t>(rank)]);
    };
    if (taker != rank_ && unit_residues_[next] * strength_of(rank_) > left * strength_of(taker)) return {};
    ++of_batch.units_given;
    return units_[next];
}

/// Asks the next neighbour for a unit ahead of time, so that the answer is there when it is needed.
void MpiDivision::ask(std::uint64_t batch, Helping& helping) {
    helping.has_asked = true;
    exchange_->send(neighbours_[neighbours_.size() - helping.neighbours_left], {kAsking, batch}, {});
}

std::optional<TargetShare> MpiDivision::first_share(std::uint64_t batch) {
    if (is_done(batch)) return {};
    // Other ranks may have done all of the share, which is then empty.
    return give_unit(batch, rank_).value_or(TargetShare());
}

Result<std::optional<TargetShare>> MpiDivision::next_share(std::uint64_t batch) {
    if (auto unit = give_unit(batch, rank_)) return unit;
    std::unique_lock lock(mutex_);
    Helping& of_batch = helping(batch);
    while (of_batch.neighbours_left > 0) {
        const int neighbour = neighbours_[neighbours_.size() - of_batch.neighbours_left];
        if (!of_batch.has_asked) ask(batch, of_batch);
        lock.unlock();
        const auto bytes = exchange_->receive(neighbour, {kUnit, batch});
        if (!bytes.ok()) return bytes.status();
        TargetShare unit;
        // A unit that was given to this rank but cannot be read is an error, since no other rank
        // would search it.
        auto packet = PacketReader::open(*bytes, kUnitKind, "rank " + std::to_string(neighbour));
        if (!packet.ok()) return packet.status();
        (*packet)(unit);
        WARPSEQ_TRY(packet->finish());
        lock.lock();
        if (!unit.empty()) {
            ask(batch, of_batch);
            return std::optional(std::move(unit));
        }
        of_batch.has_asked = false;
        --of_batch.neighbours_left;
    }
    return std::optional<TargetShare>();
}

PartLabel MpiDivision::of_batch(std::uint64_t batch) const {
    PartLabel label = label_;
    label.part = batch;
    label.parts = batch + 1;
    return label;
}

Status MpiDivision::keep(std::uint64_t batch, const std::string& results, bool is_last) {
    PartWriter* writer = nullptr;
    {
        const std::lock_guard lock(mutex_);
        auto place = being_kept_.find(batch);
        if (place == being_kept_.end()) {
            auto created = PartWriter::create(*folder_, of_batch(batch));
            if (!created.ok()) return created.status();
            place = being_kept_.emplace(batch, *std::move(created)).first;
        }
        writer = &place->second;
    }
    WARPSEQ_TRY(writer->add(results));
    if (!is_last) return {};
    WARPSEQ_TRY(writer->finish());
    const std::lock_guard lock(mutex_);
    being_kept_.erase(batch);
    return {};
}

Result<std::vector<Division::Packet>> MpiDivision::partials_of(std::uint64_t batch) {
    // The tree is binomial. The parent of a number is the number without its lowest bit.
    std::vector<Packet> packets;
    const int number = in_tree(batch, rank_);
    for (int bit = 1; (number & bit) == 0 && number + bit < ranks_; bit *= 2) {
        const int child = of_tree(batch, number + bit);
        auto bytes = exchange_->receive(child, {kPartial, batch});
        if (!bytes.ok()) return bytes.status();
        packets.push_back({*std::move(bytes), "rank " + std::to_string(child)});
    }
    return packets;
}

Status MpiDivision::pass_on(std::uint64_t batch, const std::string& partial) {
    const int number = in_tree(batch, rank_);
    exchange_->send(of_tree(batch, number & (number - 1)), {kPartial, batch}, partial);
    return {};
}

Status MpiDivision::wait_for_room(std::uint64_t batch, Delivery& delivery, std::uint64_t bytes) {
    while (!delivery.sizes_bytes.empty() && delivery.bytes + bytes > kMostAheadBytes) {
        const auto taken = exchange_->receive(0, {kTaken, batch});
        if (!taken.ok()) return taken.status();
        delivery.bytes -= delivery.sizes_bytes.front();
        delivery.sizes_bytes.pop_front();
    }
    return {};
}

Status MpiDivision::deliver(std::uint64_t batch, std::string results, bool is_last) {
    Delivery* delivery = nullptr;
    {
        const std::lock_guard lock(mutex_);
        delivery = &deliveries_[batch];
    }
    const std::uint64_t bytes = results.size();
    WARPSEQ_TRY(wait_for_room(batch, *delivery, bytes));
    results.push_back(is_last ? kIsLast : kMoreFollow);
    exchange_->send(0, {kResults, batch}, std::move(results));
    if (!is_last) {
        delivery->sizes_bytes.push_back(bytes);
        delivery->bytes += bytes;
        return {};
    }
    // Rank 0 confirms all results but the last ones.
    WARPSEQ_TRY(wait_for_room(batch, *delivery, kMostAheadBytes + 1));
    const std::lock_guard lock(mutex_);
    deliveries_.erase(batch);
    return {};
}

/// Returns the next results of a batch that an earlier run has kept in the folder.
Result<Division::Packet> MpiDivision::kept_results_of(std::uint64_t batch) {
    PartReader* reader = nullptr;
    {
        const std::lock_guard lock(mutex_);
        auto place = being_read_.find(batch);
        if (place == being_read_.end()) {
            auto file = PartReader::open(part_file(*folder_, of_batch(batch)));
            if (!file.ok()) return file.status();
            place = being_read_.emplace(batch, *std::move(file)).first;
        }
        reader = &place->second;
    }
    auto bytes = reader->next();
    if (!bytes.ok()) return bytes.status();
    Packet packet{*std::move(bytes), reader->file().string(), reader->is_at_end()};
    if (!packet.is_last) return packet;
    const std::lock_guard lock(mutex_);
    being_read_.erase(batch);
    return packet;
}

Result<Division::Packet> MpiDivision::results_of(std::uint64_t batch) {
    if (is_done(batch)) return kept_results_of(batch);
    const int root = root_of(batch);
    auto bytes = exchange_->receive(root, {kResults, batch});
    if (!bytes.ok()) return bytes.status();
    const std::string origin = "rank " + std::to_string(root);
    if (bytes->empty()) return Status::invalid_input(origin + ": sent no results");
    const bool is_last = bytes->back() == kIsLast;
    bytes->pop_back();
    if (!is_last) exchange_->send(root, {kTaken, batch}, {});
    return Packet{*std::move(bytes), origin, is_last};
}

/// Passes the number of reported batches on along a tree. Batches of an earlier run are counted in
/// it, which changes nothing.
void MpiDivision::note_report(std::uint64_t batches) {
    for (int bit = 1; (rank_ & bit) == 0 && rank_ + bit < ranks_; bit *= 2)
        exchange_->send(rank_ + bit, {kReported, batches}, {});
    const std::lock_guard lock(mutex_);
    in_report_ = std::max(in_report_, batches);
    helping_.erase(helping_.begin(), helping_.lower_bound(in_report_));
    report_has_grown_.notify_all();
}

Status MpiDivision::wait_for_report(std::uint64_t batch) {
    if (is_done(batch)) return {};
    if (rank_ == 0) {
        note_report(batch + 1);
        return {};
    }
    std::unique_lock lock(mutex_);
    report_has_grown_.wait(lock, [&] { return batch < in_report_ || has_given_up_; });
    return has_given_up_ ? exchange_->status_of_end() : Status();
}

void MpiDivision::give_up() {
    if (exchange_) exchange_->give_up();
    if (pieces_) pieces_->give_up();
    const std::lock_guard lock(mutex_);
    has_given_up_ = true;
    report_has_grown_.notify_all();
}

Status MpiDivision::finish() { return exchange_->finish(); }

int MpiDivision::end(const std::string& program, const Status& status) {
    exchange_.reset();
    if (has_begun_) {
        if (status.ok() || another_failed_) return 0;
        // Others may wait for this rank. If all find the same error, the first to report it ends
        // the rest.
        std::this_thread::sleep_for(std::chrono::milliseconds(100 * std::min(rank_, 10)));
        MPI_Abort(communicator_, report_status(program, status));
        return status.exit_status();
    }
    const std::vector<int> states = gather(status.ok() ? 0 : status.exit_status());
    has_begun_ = true;
    const auto failed = std::ranges::find_if(states, [](int state) { return state > 0; });
    // The other ranks end as if all were well, so that the user sees one error.
    const bool is_first = failed != states.end() && failed - states.begin() == rank_;
    return is_first ? report_status(program, status) : 0;
}

}  // namespace warpseq
