// Messages between the ranks of an MPI job while they compute. One thread makes all calls of MPI and sleeps between its looks, so
// that ranks which wait take no processor time from those who work.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

class MessageExchange {
   public:
    /// What a message is about, a small number, and which batch of queries it belongs to.
    struct Subject {
        int kind;
        std::uint64_t batch;
    };
    /// Called in the exchange's thread; may send.
    using Handler = std::function<void(int rank, std::uint64_t batch, std::string bytes)>;

    /// Between MPI_Init_thread() with MPI_THREAD_SERIALIZED and MPI_Finalize().
    explicit MessageExchange(MPI_Comm communicator);
    /// Stops, wherever the others are.
    ~MessageExchange();
    MessageExchange(const MessageExchange&) = delete;
    MessageExchange& operator=(const MessageExchange&) = delete;

    /// Messages of a kind go there instead of to receive(). Before start().
    void handle(int kind, Handler handler) { handlers_[kind] = std::move(handler); }
    /// From here to finish() nobody else calls MPI.
    void start();
    /// Returns at once. Messages of a kind to a rank arrive in the order in which they are sent.
    void send(int rank, Subject subject, std::string bytes);
    /// Waits for a rank's message. Status::interrupted() after give_up().
    Result<std::string> receive(int rank, Subject subject);
    /// Who waits, now or later, waits no longer.
    void give_up();
    /// Until every rank has called it and every message has arrived.
    void finish();

   private:
    using Key = std::tuple<int, int, std::uint64_t>;  // rank, kind, batch
    struct Outgoing {
        int rank;
        Subject subject;
        std::string bytes;
        std::uint64_t frame[2];             // batch, size of the bytes
        std::vector<MPI_Request> requests;  // once it is on its way
    };

    void run();
    bool send_all();
    bool receive_one();

    MPI_Comm communicator_;
    std::map<int, Handler> handlers_;
    std::mutex mutex_;
    std::condition_variable arrived_, is_to_do_;
    std::list<Outgoing> outbox_;                                             // guarded by the mutex
    std::map<Key, std::string> inbox_;                                       // guarded by the mutex
    bool has_given_up_ = false, is_finishing_ = false, is_stopped_ = false;  // guarded by the mutex
    std::list<Outgoing> on_their_way_;                                       // of the thread
    std::thread thread_;
};

}  // namespace warpseq
