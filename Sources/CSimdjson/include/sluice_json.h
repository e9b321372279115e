// A plain C face over simdjson: one JSON value in, a flat list of tokens in document order out.
//
// Tokens in document order show what a look-up by key hides: duplicate keys, and number text as it
// was written. The value is validated in full, so nothing that is not JSON ever passes.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable after the end of what is parsed; their content does not matter.
#define SLUICE_JSON_PADDING 64

/// The deepest nesting that may be asked for.
#define SLUICE_JSON_MAX_DEPTH 512

typedef enum {
  SLUICE_JSON_OK = 0,
  /// Not one whole JSON value; also where more than white space follows the value.
  SLUICE_JSON_INVALID,
  SLUICE_JSON_INVALID_UTF8,
  /// Objects and arrays are nested deeper than allowed.
  SLUICE_JSON_TOO_DEEP,
  SLUICE_JSON_NO_MEMORY
} sluice_json_status;

typedef enum {
  SLUICE_JSON_OBJECT = 0,
  SLUICE_JSON_ARRAY,
  SLUICE_JSON_KEY,
  SLUICE_JSON_STRING,
  SLUICE_JSON_NUMBER,
  SLUICE_JSON_TRUE,
  SLUICE_JSON_FALSE,
  SLUICE_JSON_NULL
} sluice_json_kind;

/// The text held an escape, so it may hold bytes that must be escaped when it is written again.
#define SLUICE_JSON_HAD_ESCAPES 1
/// U+0000 or a lone surrogate was replaced by U+FFFD.
#define SLUICE_JSON_REPAIRED 2

/// One token. An object is followed by key, value, key, value …, an array by its values.
typedef struct {
  /// Unescaped UTF-8 of a key or string, the digits of a number as written; else null.
  const uint8_t *text;
  /// Bytes of `text`; of an object the number of its keys, of an array the number of its values.
  uint32_t length;
  /// Index of the first token after this one and all that it contains.
  uint32_t next;
  /// A `sluice_json_kind`.
  uint8_t kind;
  /// `SLUICE_JSON_HAD_ESCAPES`, `SLUICE_JSON_REPAIRED`.
  uint8_t flags;
} sluice_json_token;

typedef struct sluice_json_parser sluice_json_parser;

/// Null when there is no memory. Not to be shared between threads at the same time.
sluice_json_parser *sluice_json_create(void);

void sluice_json_destroy(sluice_json_parser *parser);

/// Parses `bytes[0 ..< length]`, which must be one JSON value with white space around it.
///
/// `SLUICE_JSON_PADDING` bytes after it must be readable. `length` is at most 1 GiB, `max_depth` at
/// most SLUICE_JSON_MAX_DEPTH; a flat object has depth 1.
sluice_json_status sluice_json_parse(
  sluice_json_parser *parser, const uint8_t *bytes, size_t length, size_t max_depth);

/// The tokens of the last value that was parsed with SLUICE_JSON_OK, the value itself first.
///
/// They and their texts live until the next parse; texts may point into the bytes that were parsed.
const sluice_json_token *sluice_json_tokens(const sluice_json_parser *parser, size_t *count);

#ifdef __cplusplus
}
#endif
