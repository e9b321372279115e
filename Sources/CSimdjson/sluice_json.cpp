#include "sluice_json.h"

#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include <simdjson.h>

using namespace simdjson;

static_assert(SLUICE_JSON_PADDING >= SIMDJSON_PADDING, "this simdjson reads further ahead");

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The closing quote of a string, given where the next token starts. Only white space lies between
/// (and the colon, behind a key), so no string has to be searched for its end.
const uint8_t *closing_quote(const char *next) {
  do next--;
  while (*next != '"');
  return reinterpret_cast<const uint8_t *>(next);
}

/// The length of the JSON number at the start of a token, 0 if there is none.
size_t number_length(std::string_view token) {
  size_t at = 0;
  auto peek = [&]() { return at < token.size() ? token[at] : '\0'; };
  auto digits = [&]() {
    size_t start = at;
    while (is_digit(peek())) at++;
    return at > start;
  };
  if (peek() == '-') at++;
  if (peek() == '0') {
    at++;
  } else if (!digits()) {
    return 0;
  }
  if (peek() == '.') {
    at++;
    if (!digits()) return 0;
  }
  if (peek() == 'e' || peek() == 'E') {
    at++;
    if (peek() == '+' || peek() == '-') at++;
    if (!digits()) return 0;
  }
  return at;
}

int hex_value(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The four hex digits at `text` as a number, -1 if they are not four hex digits. Stops at the first
/// that is none, so it never leaves a closed string.
int32_t hex4(const uint8_t *text) {
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_value(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

uint8_t *put_utf8(uint8_t *out, uint32_t scalar) {
  if (scalar < 0x80) {
    *out++ = uint8_t(scalar);
  } else if (scalar < 0x800) {
    *out++ = uint8_t(0xC0 | scalar >> 6);
    *out++ = uint8_t(0x80 | (scalar & 0x3F));
  } else if (scalar < 0x10000) {
    *out++ = uint8_t(0xE0 | scalar >> 12);
    *out++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
    *out++ = uint8_t(0x80 | (scalar & 0x3F));
  } else {
    *out++ = uint8_t(0xF0 | scalar >> 18);
    *out++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
    *out++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
    *out++ = uint8_t(0x80 | (scalar & 0x3F));
  }
  return out;
}

/// Unescapes a closed string that simdjson refuses, putting U+FFFD for each lone surrogate and NUL.
///
/// Returns the end of what was written, or null where an escape is not JSON. Each escape is at least
/// as long as what it stands for, so `out` needs no more room than the string takes.
uint8_t *unescape_repairing(const uint8_t *text, uint8_t *out) {
  constexpr uint32_t replacement = 0xFFFD;
  for (;;) {
    uint8_t byte = *text++;
    if (byte == '"') return out;
    if (byte != '\\') {
      *out++ = byte;
      continue;
    }
    switch (*text++) {
      case '"': *out++ = '"'; break;
      case '\\': *out++ = '\\'; break;
      case '/': *out++ = '/'; break;
      case 'b': *out++ = '\b'; break;
      case 'f': *out++ = '\f'; break;
      case 'n': *out++ = '\n'; break;
      case 'r': *out++ = '\r'; break;
      case 't': *out++ = '\t'; break;
      case 'u': {
        int32_t unit = hex4(text);
        if (unit < 0) return nullptr;
        text += 4;
        uint32_t scalar = uint32_t(unit);
        if (scalar == 0) {
          scalar = replacement;
        } else if (scalar >= 0xD800 && scalar <= 0xDFFF) {
          int32_t low = scalar < 0xDC00 && text[0] == '\\' && text[1] == 'u' ? hex4(text + 2) : -1;
          if (low >= 0xDC00 && low <= 0xDFFF) {
            scalar = 0x10000 + ((scalar - 0xD800) << 10) + (uint32_t(low) - 0xDC00);
            text += 6;
          } else {
            scalar = replacement;
          }
        }
        out = put_utf8(out, scalar);
        break;
      }
      default: return nullptr;
    }
  }
}

}  // namespace

struct sluice_json_parser {
  ondemand::parser parser;
  /// Room for all tokens of a value of `text_capacity` bytes: a token and what sets it apart from the
  /// next one take two bytes, except for brackets that open without closing, which the depth bounds.
  std::unique_ptr<sluice_json_token[]> tokens;
  size_t token_count = 0;
  /// Room for all unescaped text of one value: grown before a walk, so texts never move during it.
  std::unique_ptr<uint8_t[]> text;
  size_t text_capacity = 0;
  uint8_t *text_end = nullptr;
  /// False lets every string of the value pass without a look inside.
  bool has_backslash = false;
  size_t max_depth = 0;

  sluice_json_status parse(const uint8_t *bytes, size_t length) {
    token_count = 0;
    if (text_capacity < length + SIMDJSON_PADDING) {
      size_t capacity = text_capacity ? text_capacity : 4096;
      while (capacity < length + SIMDJSON_PADDING) capacity *= 2;
      if (parser.allocate(capacity, SLUICE_JSON_MAX_DEPTH * 2)) return SLUICE_JSON_NO_MEMORY;
      text.reset(new uint8_t[capacity]);
      tokens.reset(new sluice_json_token[capacity / 2 + SLUICE_JSON_MAX_DEPTH + 2]);
      text_capacity = capacity;
    }
    text_end = text.get();
    has_backslash = memchr(bytes, '\\', length) != nullptr;

    ondemand::document document;
    auto error = parser.iterate(bytes, length, length + SIMDJSON_PADDING).get(document);
    if (error) return status(error);

    std::string_view token;
    if (document.raw_json_token().get(token) || token.empty()) return SLUICE_JSON_INVALID;
    switch (token[0]) {
      case '{': {
        ondemand::object object;
        if (document.get_object().get(object)) return SLUICE_JSON_INVALID;
        auto result = walk(object, 1);
        if (result) return result;
        return is_at_end(document) ? SLUICE_JSON_OK : SLUICE_JSON_INVALID;
      }
      case '[': {
        ondemand::array array;
        if (document.get_array().get(array)) return SLUICE_JSON_INVALID;
        auto result = walk(array, 1);
        if (result) return result;
        return is_at_end(document) ? SLUICE_JSON_OK : SLUICE_JSON_INVALID;
      }
      case '"': {
        ondemand::raw_json_string raw;
        if (document.get_raw_json_string().get(raw)) return SLUICE_JSON_INVALID;
        if (!is_at_end(document)) return SLUICE_JSON_INVALID;
        return push_string(SLUICE_JSON_STRING, raw, token.data() + token.size());
      }
      default:
        // A second value behind it would be part of no token: the token must reach the end.
        if (token.data() + token.size() != reinterpret_cast<const char *>(bytes) + length) {
          return SLUICE_JSON_INVALID;
        }
        return push_scalar(token);
    }
  }

private:
  /// On-demand reading stops at the value's end: what follows is for us to refuse.
  static bool is_at_end(ondemand::document &document) {
    return document.current_location().error() == OUT_OF_BOUNDS;
  }

  static sluice_json_status status(error_code error) {
    switch (error) {
      case UTF8_ERROR: return SLUICE_JSON_INVALID_UTF8;
      case MEMALLOC: return SLUICE_JSON_NO_MEMORY;
      default: return SLUICE_JSON_INVALID;
    }
  }

  void push(sluice_json_kind kind, const uint8_t *start, size_t length, uint8_t flags = 0) {
    tokens[token_count] = {
      start, uint32_t(length), uint32_t(token_count + 1), uint8_t(kind), flags};
    token_count++;
  }

  void close(size_t container, size_t count) {
    tokens[container].length = uint32_t(count);
    tokens[container].next = uint32_t(token_count);
  }

  sluice_json_status walk(ondemand::object &object, size_t depth) {
    if (depth > max_depth) return SLUICE_JSON_TOO_DEEP;
    size_t container = token_count;
    push(SLUICE_JSON_OBJECT, nullptr, 0);
    size_t count = 0;
    for (auto result : object) {
      ondemand::field field;
      if (std::move(result).get(field)) return SLUICE_JSON_INVALID;
      std::string_view token = field.value().raw_json_token();
      auto status = push_string(SLUICE_JSON_KEY, field.key(), token.data());
      if (status) return status;
      status = walk(field.value(), token, depth);
      if (status) return status;
      count++;
    }
    close(container, count);
    return SLUICE_JSON_OK;
  }

  sluice_json_status walk(ondemand::array &array, size_t depth) {
    if (depth > max_depth) return SLUICE_JSON_TOO_DEEP;
    size_t container = token_count;
    push(SLUICE_JSON_ARRAY, nullptr, 0);
    size_t count = 0;
    for (auto result : array) {
      ondemand::value value;
      if (std::move(result).get(value)) return SLUICE_JSON_INVALID;
      auto status = walk(value, value.raw_json_token(), depth);
      if (status) return status;
      count++;
    }
    close(container, count);
    return SLUICE_JSON_OK;
  }

  /// Walks a member's value; a scalar other than a string is stepped over by the caller's iteration.
  sluice_json_status walk(ondemand::value &value, std::string_view token, size_t depth) {
    if (token.empty()) return SLUICE_JSON_INVALID;
    switch (token[0]) {
      case '"': {
        ondemand::raw_json_string raw;
        if (value.get_raw_json_string().get(raw)) return SLUICE_JSON_INVALID;
        return push_string(SLUICE_JSON_STRING, raw, token.data() + token.size());
      }
      case '{': {
        ondemand::object object;
        if (value.get_object().get(object)) return SLUICE_JSON_INVALID;
        return walk(object, depth + 1);
      }
      case '[': {
        ondemand::array array;
        if (value.get_array().get(array)) return SLUICE_JSON_INVALID;
        return walk(array, depth + 1);
      }
      default: return push_scalar(token);
    }
  }

  /// `token` runs from the scalar's first byte to the next token, so what follows it must be space.
  sluice_json_status push_scalar(std::string_view token) {
    sluice_json_kind kind = SLUICE_JSON_NUMBER;
    size_t length = 0;
    if (token.compare(0, 4, "true") == 0) {
      kind = SLUICE_JSON_TRUE;
      length = 4;
    } else if (token.compare(0, 5, "false") == 0) {
      kind = SLUICE_JSON_FALSE;
      length = 5;
    } else if (token.compare(0, 4, "null") == 0) {
      kind = SLUICE_JSON_NULL;
      length = 4;
    } else {
      length = number_length(token);
    }
    if (length == 0) return SLUICE_JSON_INVALID;
    for (size_t at = length; at < token.size(); at++) {
      if (!is_space(token[at])) return SLUICE_JSON_INVALID;
    }
    bool has_text = kind == SLUICE_JSON_NUMBER;
    push(kind, has_text ? reinterpret_cast<const uint8_t *>(token.data()) : nullptr,
      has_text ? length : 0);
    return SLUICE_JSON_OK;
  }

  /// `next` is where the token behind the string starts.
  sluice_json_status push_string(
    sluice_json_kind kind, ondemand::raw_json_string raw, const char *next) {
    auto start = reinterpret_cast<const uint8_t *>(raw.raw());
    size_t length = size_t(closing_quote(next) - start);
    if (!has_backslash || !memchr(start, '\\', length)) {
      push(kind, start, length);
      return SLUICE_JSON_OK;
    }
    uint8_t *out = text_end;
    std::string_view unescaped;
    uint8_t flags = SLUICE_JSON_HAD_ESCAPES;
    bool is_clean = !parser.unescape(raw, out).get(unescaped)
      && memchr(unescaped.data(), 0, unescaped.size()) == nullptr;
    if (is_clean) {
      push(kind, text_end, unescaped.size(), flags);
      text_end += unescaped.size();
      return SLUICE_JSON_OK;
    }
    out = unescape_repairing(start, text_end);
    if (!out) return SLUICE_JSON_INVALID;
    push(kind, text_end, size_t(out - text_end), flags | SLUICE_JSON_REPAIRED);
    text_end = out;
    return SLUICE_JSON_OK;
  }
};

sluice_json_parser *sluice_json_create(void) {
  try {
    return new sluice_json_parser();
  } catch (...) {
    return nullptr;
  }
}

void sluice_json_destroy(sluice_json_parser *parser) { delete parser; }

sluice_json_status sluice_json_parse(
  sluice_json_parser *parser, const uint8_t *bytes, size_t length, size_t max_depth) {
  try {
    parser->max_depth = max_depth < SLUICE_JSON_MAX_DEPTH ? max_depth : SLUICE_JSON_MAX_DEPTH;
    return parser->parse(bytes, length);
  } catch (...) {
    // Growing a buffer is all that can throw here.
    return SLUICE_JSON_NO_MEMORY;
  }
}

const sluice_json_token *sluice_json_tokens(const sluice_json_parser *parser, size_t *count) {
  *count = parser->token_count;
  return parser->tokens.get();
}
