// Reads every field of every record with simdjson and does nothing with it: what parsing alone costs.
//
// usage: every_field EVENTS.ndjson
// Keys and texts are unescaped, numbers and booleans are parsed. One core: no thread looks ahead.
// Prints: records, fields, and a sum that depends on each value, so that no reading is optimised away.

#include <cstdio>
#include <cstring>
#include <string>

#include <simdjson.h>

using namespace simdjson;

namespace {

struct Totals {
  size_t records = 0, fields = 0, sum = 0;
};

void read_every_field(ondemand::value value, Totals &totals) {
  switch (ondemand::json_type(value.type())) {
  case ondemand::json_type::object:
    for (auto field : value.get_object()) {
      totals.fields++;
      totals.sum += std::string_view(field.unescaped_key()).size();
      read_every_field(field.value(), totals);
    }
    break;
  case ondemand::json_type::array:
    for (auto element : value.get_array()) read_every_field(element.value(), totals);
    break;
  case ondemand::json_type::string:
    totals.sum += std::string_view(value.get_string()).size();
    break;
  case ondemand::json_type::number:
    totals.sum += size_t(int64_t(ondemand::number(value.get_number()).as_double()));
    break;
  case ondemand::json_type::boolean:
    totals.sum += bool(value.get_bool());
    break;
  case ondemand::json_type::null:
    totals.sum += value.is_null();
    break;
  }
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: every_field EVENTS.ndjson\n"), 64;
  FILE *file = std::fopen(arguments[1], "rb");
  if (file == nullptr) return std::perror(arguments[1]), 66;

  // One buffer that stays in the cache: fresh memory for a whole file would cost more than parsing it.
  constexpr size_t capacity = 1 << 20;
  std::string buffer(capacity + SIMDJSON_PADDING, '\0');
  ondemand::parser parser;
#ifdef SIMDJSON_THREADS_ENABLED
  parser.threaded = false;
#endif
  Totals totals;
  try {
    size_t held = 0, read;
    while ((read = std::fread(&buffer[held], 1, capacity - held, file)) > 0) {
      held += read;
      size_t whole = held;  // the part of the buffer that ends in a newline
      while (whole > 0 && buffer[whole - 1] != '\n') whole--;
      ondemand::document_stream stream = parser.iterate_many(buffer.data(), whole, capacity);
      for (auto document : stream) {
        totals.records++;
        ondemand::document_reference reference = document.value();
        read_every_field(reference.get_value(), totals);
      }
      held -= whole;
      std::memmove(&buffer[0], &buffer[whole], held);
    }
  } catch (const simdjson_error &error) {
    return std::fprintf(stderr, "every_field: %s\n", error.what()), 65;
  }
  std::printf("%zu %zu %zu\n", totals.records, totals.fields, totals.sum);
}
