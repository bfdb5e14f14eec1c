#include "bindings/python/src/table.h"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "bindings/python/src/arguments.h"

namespace warpseq::python {
namespace {

namespace nb = nanobind;

// The structures of Arrow's C interfaces. Their layout is fixed.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
constexpr std::int64_t kNullable = 2;

/// Releases the children of a schema or an array, unless the consumer has moved them.
template <typename Node>
void release_children(Node* node) {
    for (std::int64_t c = 0; c < node->n_children; ++c)
        if (node->children[c]->release != nullptr) node->children[c]->release(node->children[c]);
    node->release = nullptr;
}

/// The memory behind a schema.
struct SchemaMemory {
    std::string name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> pointers;
};
void release_schema(ArrowSchema* schema) {
    release_children(schema);
    delete static_cast<SchemaMemory*>(schema->private_data);
}
ArrowSchema made_schema(const char* format, std::string name, std::vector<ArrowSchema> children = {}) {
    auto memory = std::make_unique<SchemaMemory>(SchemaMemory{std::move(name), std::move(children), {}});
    for (ArrowSchema& child : memory->children) memory->pointers.push_back(&child);
    return {format,
            memory->name.c_str(),
            nullptr,
            kNullable,
            static_cast<std::int64_t>(memory->children.size()),
            memory->pointers.data(),
            nullptr,
            release_schema,
            memory.release()};
}

/// The memory behind an array.
struct ArrayMemory {
    std::vector<std::uint8_t> validity, bits;  // a bit per value
    std::vector<std::int64_t> numbers;         // values, or offsets of texts
    std::vector<double> reals;
    std::string texts;
    std::vector<const void*> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
};
void release_array(ArrowArray* array) {
    release_children(array);
    delete static_cast<ArrayMemory*>(array->private_data);
}
ArrowArray made_array(std::size_t length, std::int64_t nulls, std::unique_ptr<ArrayMemory> memory) {
    for (ArrowArray& child : memory->children) memory->pointers.push_back(&child);
    return {static_cast<std::int64_t>(length),
            nulls,
            0,
            static_cast<std::int64_t>(memory->buffers.size()),
            static_cast<std::int64_t>(memory->children.size()),
            memory->buffers.data(),
            memory->pointers.data(),
            nullptr,
            release_array,
            memory.release()};
}

std::vector<std::uint8_t> bits_of(std::size_t count, const auto& is_set) {
    std::vector<std::uint8_t> bits((count + 7) / 8);
    for (std::size_t i = 0; i < count; ++i)
        if (is_set(i)) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << i % 8);
    return bits;
}

ArrowArray array_of(std::vector<std::int64_t>& numbers) {
    auto memory = std::make_unique<ArrayMemory>();
    const std::size_t rows = numbers.size();
    memory->numbers = std::move(numbers);
    memory->buffers = {nullptr, memory->numbers.data()};
    return made_array(rows, 0, std::move(memory));
}
ArrowArray array_of(std::vector<double>& reals) {
    auto memory = std::make_unique<ArrayMemory>();
    const std::size_t rows = reals.size();
    memory->reals = std::move(reals);
    memory->buffers = {nullptr, memory->reals.data()};
    return made_array(rows, 0, std::move(memory));
}
ArrowArray array_of(std::vector<bool>& truths) {
    auto memory = std::make_unique<ArrayMemory>();
    memory->bits = bits_of(truths.size(), [&](std::size_t i) { return truths[i]; });
    memory->buffers = {nullptr, memory->bits.data()};
    return made_array(truths.size(), 0, std::move(memory));
}
ArrowArray array_of(std::vector<std::string>& texts) {
    auto memory = std::make_unique<ArrayMemory>();
    std::int64_t nulls = 0;
    memory->validity = bits_of(texts.size(), [&](std::size_t i) { return !texts[i].empty(); });
    memory->numbers.push_back(0);
    for (const std::string& text : texts) {
        nulls += text.empty();
        memory->texts += text;
        memory->numbers.push_back(std::ssize(memory->texts));
    }
    memory->buffers = {memory->validity.data(), memory->numbers.data(), memory->texts.data()};
    return made_array(texts.size(), nulls, std::move(memory));
}

const char* format_of(const Column& column) {
    constexpr const char* kFormats[] = {"l", "g", "U", "b"};  // in the order of Column's variant
    return kFormats[column.values.index()];
}
std::size_t rows_of(const Table& table) {
    return table.empty() ? 0 : std::visit([](const auto& values) { return values.size(); }, table.front().values);
}

/// The stream of one table.
struct StreamMemory {
    Table table;
    bool is_taken = false;
    std::string error;
};
/// Runs `work` and returns errno's number for an exception.
template <typename Work>
int guarded_number(ArrowArrayStream* stream, const Work& work) noexcept {
    try {
        work(*static_cast<StreamMemory*>(stream->private_data));
        return 0;
    } catch (...) {
        return ENOMEM;
    }
}
int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    return guarded_number(stream, [&](const StreamMemory& memory) {
        std::vector<ArrowSchema> columns;
        for (const Column& column : memory.table) columns.push_back(made_schema(format_of(column), column.name));
        *out = made_schema("+s", "", std::move(columns));
    });
}
int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    return guarded_number(stream, [&](StreamMemory& memory) {
        if (std::exchange(memory.is_taken, true)) {
            *out = ArrowArray{};  // without release: the end of the stream
            return;
        }
        auto batch = std::make_unique<ArrayMemory>();
        const std::size_t rows = rows_of(memory.table);
        for (Column& column : memory.table)
            batch->children.push_back(std::visit([](auto& values) { return array_of(values); }, column.values));
        batch->buffers = {nullptr};
        *out = made_array(rows, 0, std::move(batch));
    });
}
const char* get_last_error(ArrowArrayStream*) { return "out of memory"; }
void release_stream(ArrowArrayStream* stream) {
    delete static_cast<StreamMemory*>(stream->private_data);
    stream->release = nullptr;
}

}  // namespace

nb::dict as_dict(const Table& table) {
    nb::dict columns;
    for (const Column& column : table) {
        nb::list values;
        std::visit(
            [&](const auto& of_column) {
                for (const auto& value : of_column) {
                    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
                        values.append(value.empty() ? nb::object(nb::none())
                                                    : nb::object(nb::str(value.c_str(), value.size())));
                    } else {
                        values.append(value);
                    }
                }
            },
            column.values);
        columns[column.name.c_str()] = values;
    }
    return columns;
}

nb::dict examples_of(const Table& table) {
    nb::dict examples;
    for (const Column& column : table) {
        std::visit(
            [&](const auto& of_column) {
                using Value = typename std::decay_t<decltype(of_column)>::value_type;
                examples[column.name.c_str()] = nb::cast(Value());
            },
            column.values);
    }
    return examples;
}

nb::capsule as_arrow_stream(Table table) {
    auto memory = std::make_unique<StreamMemory>();
    memory->table = std::move(table);
    auto stream = std::make_unique<ArrowArrayStream>();
    *stream = {get_schema, get_next, get_last_error, release_stream, memory.release()};
    return nb::capsule(stream.release(), "arrow_array_stream", [](void* pointer) noexcept {
        auto* const each = static_cast<ArrowArrayStream*>(pointer);
        if (each->release != nullptr) each->release(each);
        delete each;
    });
}

nb::object call_tables(const char* function, const nb::object& argument) {
    const nb::object found = nb::module_::import_("warpseq._tables").attr(function);
    return call_with(found, argument);
}

}  // namespace warpseq::python
