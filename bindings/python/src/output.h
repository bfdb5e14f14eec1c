// Outputs of results: a path, where a file appears when it is whole, or a binary file object.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "reports/report_text.h"

namespace warpseq::python {

/// The name of a format, as a text or a number, or nothing.
using FormatName = std::optional<std::variant<std::string, std::int64_t>>;
inline std::optional<std::string> text_of(const FormatName& format) {
    if (!format) return std::nullopt;
    const auto* const number = std::get_if<std::int64_t>(&*format);
    return number != nullptr ? std::to_string(*number) : std::get<std::string>(*format);
}

class Output {
   public:
    /// Opens a path (str or os.PathLike) or takes an object with write(bytes). Throws the exception
    /// of an error.
    explicit Output(const nanobind::object& file);

    void write(std::string_view bytes);
    /// Ends the output, which makes a file appear. Without this call nothing appears at a path.
    void finish();
    /// Lets go of the file or the object, so that an exception that is kept does not keep it.
    void close() {
        text_.reset();
        object_.reset();
    }
    /// Returns the path as it was given, or an empty text for an object.
    const std::string& path() const { return path_; }

   private:
    void write_to_object(std::string_view bytes);

    nanobind::object object_;
    std::optional<ReportText> text_;
    std::string path_;
};

void bind_output(nanobind::module_& module);

}  // namespace warpseq::python
