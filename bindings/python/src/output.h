// Outputs of results: a path, where a file appears when it is whole, or a binary file object.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>

#include "reports/report_text.h"

namespace warpseq::python {

class Output {
   public:
    /// Opens a path (str or os.PathLike) or takes an object with write(bytes). Throws the exception
    /// of an error.
    explicit Output(const nanobind::object& file);

    void write(std::string_view bytes);
    /// Ends the output, which makes a file appear. Without this call nothing appears at a path.
    void finish();
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
