// The queries of a search that no command line names: a file, or text in memory. Readers of queries
// take files. So text is put into a file in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/io/temporary_file.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

class QueryText {
   public:
    /// Takes a file as it is.
    static QueryText of_file(std::filesystem::path file) { return QueryText(std::move(file)); }
    /// Keeps a copy of `text`, which is the content of a file of queries. Reports and messages call
    /// it `name`.
    static Result<QueryText> of_text(std::string_view text, std::string name);

    /// Returns the file to read. It exists as long as this object.
    const std::filesystem::path& file() const { return file_; }
    /// Returns the name for reports.
    const std::string& name() const { return name_; }
    /// Return a text or an error with the name in place of the file.
    std::string named(std::string text) const;
    Status named(const Status& status) const;

   private:
    explicit QueryText(std::filesystem::path file) : file_(std::move(file)), name_(file_.string()) {}

    std::filesystem::path file_;
    std::string name_;
    TemporaryFile memory_;  // not open if there is a file
};

/// An observer that passes on notes with the name of the queries in place of their file.
class NamingObserver final : public Observer {
   public:
    /// The arguments have to outlive this object.
    NamingObserver(const QueryText& text, Observer& inner) : text_(text), inner_(inner) {}
    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override {
        return inner_.begin(label, total);
    }
    void note(const std::string& text) override { inner_.note(text_.named(text)); }

   private:
    const QueryText& text_;
    Observer& inner_;
};

}  // namespace warpseq
