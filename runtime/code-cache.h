/* code-cache.h: a folder of results that took long to make, by their keys.
 *
 * What is found there is run as code, so the folder is one that nobody else can
 * reach (private-folder.h), and a file counts only where it holds the whole key
 * and the digest of all that is in it. Any doubt, and there is none: the file is
 * taken away and made anew. A folder that cannot be written to, a full disk, a
 * writer that is killed: there is no file, and that is no error.
 *
 * One file for each kernel, so that plans which share kernels share files, and a
 * process may read while others write: files are renamed into place, whole. */
#ifndef TP_RUNTIME_CODE_CACHE_H
#define TP_RUNTIME_CODE_CACHE_H

#include "ir/types.h"

#define TP_CODE_CACHE_BYTES ((gint64) 256 << 20) /* kept at the most */

typedef struct TpCodeCache TpCodeCache;

typedef struct
{
  const void *data;
  gsize size;
} TpBytes;

/**
 * tp_code_cache_open:
 * @place: an absolute path: the folder tplan/code below it is used; "user": below
 *   the user's cache folder; "off"
 *
 * Returns: the cache; %NULL without @error: it is off; with it, the folder is not
 *   safe, or cannot be made, and why.
 *
 * Thread: any. A cache may be used by several threads and processes at once.
 */
TpCodeCache *tp_code_cache_open (const char *place, GError **error);
/* What sessions use where their caller says nothing: $TPLAN_CACHE_DIR, but not in
 * a set-user-ID program; else "off". */
const char *tp_code_cache_get_place (void);
void tp_code_cache_close (TpCodeCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCodeCache, tp_code_cache_close)

/* What was kept for @key: caller frees. %NULL: nothing, or nothing good. */
guint8 *tp_code_cache_find (const TpCodeCache *cache, TpBytes key,
                            gsize *out_size);
/* Whether it is kept now. SIGXFSZ is to be blocked or ignored where files may not
 * grow. */
gboolean tp_code_cache_keep (const TpCodeCache *cache, TpBytes key,
                             TpBytes value);
/* Takes away what was used least lately, until @max_bytes are left. */
void tp_code_cache_trim (const TpCodeCache *cache, gint64 max_bytes);

#endif
