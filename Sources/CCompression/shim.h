#pragma once
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// inflateInit2 is a macro, which Swift does not see. 15 bits of window, plus 16: gzip alone.
static inline int sluice_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

// A cast in a macro: Swift does not see it either.
static inline int sluice_lc_ctype_mask(void) { return LC_CTYPE_MASK; }
