/* fuzz-code.c: files of compiled kernels, as a cache keeps them. Each input is tried
 * as it is, and with the digest that its bytes should have: then only what is
 * declared can be wrong. What is found is linked, and never run. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "ir/digest.h"
#include "ir/posix.h"
#include "kernel/object.h"
#include "runtime/code-cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in runtime/code-cache.c. */
typedef struct
{
  char magic[16];
  guint64 key_size, value_size;
  char digest[64];
} Header;

static const char magic[16] = "tplan code 1\n";
static char *base, *folder;
static TpCodeCache *cache;

static void
clean_up (void)
{
  g_autofree char *above = g_path_get_dirname (folder);

  rmdir (folder);
  rmdir (above);
  rmdir (base);
}

static void
set_up (void)
{
  g_autoptr (GError) error = NULL;

  base = g_dir_make_tmp ("fuzz-code-XXXXXX", NULL);
  cache = base == NULL ? NULL : tp_code_cache_open (base, &error);
  if (cache == NULL)
    g_error ("no cache: %s", error == NULL ? "no folder" : error->message);
  folder = g_build_filename (base, "tplan", "code", NULL);
  atexit (clean_up);
}

/* What follows the header: the key, which may be said to be longer than all. */
static TpBytes
get_key (const guint8 *file, gsize size)
{
  Header header = { .key_size = 0 };

  memcpy (&header, file, MIN (size, sizeof header));
  if (size <= sizeof header)
    return (TpBytes){ file, 0 };
  return (TpBytes){ file + sizeof header,
                    MIN (header.key_size, size - sizeof header) };
}

static void
sign (guint8 *file, gsize size, gsize key_size)
{
  g_autoptr (TpDigest) digest = tp_digest_new ();
  g_autofree char *hex = NULL;

  tp_digest_add_number (digest, (gint64) key_size);
  tp_digest_add_bytes (digest, file + sizeof (Header), size - sizeof (Header));
  hex = tp_digest_finish (digest);
  memcpy (file + offsetof (Header, digest), hex, sizeof ((Header *) 0)->digest);
}

/* Whether sizes and first bytes are those of a file that was kept. */
static gboolean
is_whole (const guint8 *file, gsize size)
{
  Header header;

  if (size < sizeof header)
    return FALSE;
  memcpy (&header, file, sizeof header);
  return memcmp (header.magic, magic, sizeof magic) == 0
         && header.key_size <= size - sizeof header
         && header.value_size == size - sizeof header - header.key_size;
}

static void
put_file (const char *path, const guint8 *bytes, gsize size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  if (fd < 0 || !tp_posix_write (fd, bytes, size) || close (fd) != 0)
    g_error ("%s: cannot write", path);
}

static void
use_value (const guint8 *value, gsize size)
{
  const TpObject object = { value, size };
  g_autoptr (TpObjectCode) code = tp_object_link (&object, 1, NULL);

  if (code != NULL)
    (void) *(const volatile guint8 *) tp_object_code_get (code, 0);
}

/* Taken as it is, or taken away. */
static gboolean
find (const guint8 *file, gsize size, TpBytes key)
{
  g_autofree char *name = tp_digest_bytes (key.data, key.size);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree guint8 *value = NULL;
  gsize value_size = 0;

  put_file (path, file, size);
  value = tp_code_cache_find (cache, key, &value_size);
  g_assert_cmpint (access (path, F_OK) == 0, ==, value != NULL);
  if (value == NULL)
    return FALSE;
  g_assert_cmpmem (value, value_size, file + size - value_size, value_size);
  g_assert_cmpuint (sizeof (Header) + key.size + value_size, ==, size);
  use_value (value, value_size);
  unlink (path);
  return TRUE;
}

/* What was kept is found, whatever it is. */
static void
keep (TpBytes key, TpBytes value)
{
  g_autofree guint8 *found = NULL;
  gsize size = 0;

  g_assert_true (tp_code_cache_keep (cache, key, value));
  found = tp_code_cache_find (cache, key, &size);
  g_assert_nonnull (found);
  g_assert_cmpmem (found, size, value.data, value.size);
  tp_code_cache_trim (cache, 0);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree guint8 *file = g_memdup2 (data, size);
  TpBytes key;

  if (cache == NULL)
    set_up ();
  if (size == 0)
    return 0;
  key = get_key (file, size);
  if (find (file, size, key))
    g_assert_true (is_whole (file, size));
  if (size < sizeof (Header))
    return 0;
  sign (file, size, key.size);
  g_assert_cmpint (find (file, size, key), ==, is_whole (file, size));
  keep (key, (TpBytes){ data, size });
  return 0;
}
