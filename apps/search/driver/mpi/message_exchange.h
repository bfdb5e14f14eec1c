// Messages between the ranks of an MPI job while they compute. One thread makes all calls of MPI
// and sleeps between its checks, so that waiting ranks take no processor time from working ones. A
// failure of that thread, such as a lack of memory, is the error of the threads that wait for a
// message.
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

/// The exchange of one rank. Any thread may call send() and receive().
class MessageExchange {
   public:
    /// The subject of a message: its kind, a small number, and the batch of queries that it belongs
    /// to.
    struct Subject {
        int kind;
        std::uint64_t batch;
    };
    /// A function that handles a message. It is called in the exchange's thread, and may send.
    using Handler = std::function<void(int rank, std::uint64_t batch, std::string bytes)>;

    /// Prepares the exchange. It must be made after MPI_Init_thread() with MPI_THREAD_SERIALIZED,
    /// and destroyed before MPI_Finalize().
    explicit MessageExchange(MPI_Comm communicator);
    /// Stops the thread without waiting for other ranks.
    ~MessageExchange();
    MessageExchange(const MessageExchange&) = delete;
    MessageExchange& operator=(const MessageExchange&) = delete;

    /// Sets the handler that gets messages of a kind instead of receive(). Called before start().
    void handle(int kind, Handler handler) { handlers_[kind] = std::move(handler); }
    /// Sets the function that the exchange's thread calls when it ends with an error. Called before
    /// start().
    void at_failure(std::function<void()> call) { at_failure_ = std::move(call); }
    /// Starts the exchange's thread. From here to finish() no other thread calls MPI. Returns an
    /// error if the system refuses the thread.
    Status start();
    /// Sends a message and returns at once. Messages of one kind to one rank arrive in the order in
    /// which they are sent.
    void send(int rank, Subject subject, std::string bytes);
    /// Waits for a rank's next message about the subject. After give_up(), or if the thread has
    /// failed, it returns the error of status_of_end().
    Result<std::string> receive(int rank, Subject subject);
    /// Ends all waiting in receive(), now and later.
    void give_up();
    /// Returns the error that ended the thread, or else Status::interrupted().
    Status status_of_end();
    /// Blocks until every rank has called it and every message has arrived. Returns the error that
    /// ended the thread, if any.
    Status finish();

   private:
    using Key = std::tuple<int, int, std::uint64_t>;  // rank, kind, batch
    struct Outgoing {
        int rank;
        Subject subject;
        std::string bytes;
        std::uint64_t frame[2];             // batch, size of the bytes
        std::vector<MPI_Request> requests;  // set once the message is on its way
    };

    void run_guarded();
    void run();
    Status status_of_end_locked() const;
    bool send_all();
    bool receive_one();

    MPI_Comm communicator_;
    std::map<int, Handler> handlers_;
    std::function<void()> at_failure_;
    std::mutex mutex_;
    std::condition_variable arrived_, is_to_do_;
    std::list<Outgoing> outbox_;                                             // guarded by the mutex
    std::multimap<Key, std::string> inbox_;                                  // guarded by the mutex
    bool has_given_up_ = false, is_finishing_ = false, is_stopped_ = false;  // guarded by the mutex
    Status failure_;                    // the error that ended the thread; guarded by the mutex
    std::list<Outgoing> on_their_way_;  // used by the thread alone
    std::thread thread_;
};

}  // namespace warpseq
