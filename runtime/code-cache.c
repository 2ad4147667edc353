/* code-cache.c: see code-cache.h. A file is a Header, the key, the value; its name
 * is the digest of the key. Its time of change is when it was last of use. */
#include "config.h"

#include "runtime/code-cache.h"

#include "ir/digest.h"
#include "ir/posix.h"
#include "runtime/private-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "tplan code 1\n"
#define MAX_FILE_BYTES (64 << 20)
#define DRAFT ".draft-"
#define DIGEST_CHARS 64
#define DAY_S (24 * 60 * 60)

typedef struct
{
  char magic[16];
  guint64 key_size, value_size;
  char digest[DIGEST_CHARS];  /* of sizes, key and value */
} Header;

struct TpCodeCache
{
  int folder;
};

TpCodeCache *
tp_code_cache_open (const char *place, GError **error)
{
  TpCodeCache *cache;
  int folder;

  if (strcmp (place, "off") == 0)
    return NULL;
  if (strcmp (place, "user") == 0)
    place = g_get_user_cache_dir ();
  else if (!g_path_is_absolute (place))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "no place to keep compiled kernels: '%s' is not 'user', "
                   "'off' or an absolute path",
                   place);
      return NULL;
    }
  folder = tp_private_folder_open (place, "tplan", "code", error);
  if (folder < 0)
    return NULL;
  cache = g_new0 (TpCodeCache, 1);
  cache->folder = folder;
  return cache;
}

const char *
tp_code_cache_get_place (void)
{
  const char *place = secure_getenv ("TPLAN_CACHE_DIR");

  return place != NULL && *place != 0 ? place : "off";
}

void
tp_code_cache_close (TpCodeCache *cache)
{
  if (cache == NULL)
    return;
  close (cache->folder);
  g_free (cache);
}

static void
fill_header (Header *header, TpBytes key, TpBytes value)
{
  g_autoptr (TpDigest) digest = tp_digest_new ();
  g_autofree char *hex = NULL;

  memset (header, 0, sizeof *header);
  memcpy (header->magic, MAGIC, sizeof MAGIC);
  header->key_size = key.size;
  header->value_size = value.size;
  tp_digest_add_number (digest, (gint64) key.size);
  tp_digest_add_bytes (digest, key.data, key.size);
  tp_digest_add_bytes (digest, value.data, value.size);
  hex = tp_digest_finish (digest);
  memcpy (header->digest, hex, DIGEST_CHARS);
}

/* ---- reading ------------------------------------------------------------ */

/* Ours, for us alone, and no larger than anything we write; its size. -1: not. */
static gint64
check_file (int fd)
{
  struct stat info;

  if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)
      || info.st_uid != geteuid () || info.st_nlink != 1
      || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0
      || info.st_size < (gint64) sizeof (Header)
      || info.st_size > MAX_FILE_BYTES)
    return -1;
  return info.st_size;
}

/* NULL: not the value of @key. */
static guint8 *
read_value (int fd, TpBytes key, gsize *out_size)
{
  gint64 size = check_file (fd);
  g_autofree guint8 *bytes = size < 0 ? NULL : g_try_malloc (size);
  Header header, expected;
  TpBytes value;

  if (bytes == NULL || !tp_posix_read (fd, bytes, size))
    return NULL;
  memcpy (&header, bytes, sizeof header);
  if (header.key_size != key.size
      || size - (gint64) sizeof header < (gint64) key.size
      || header.value_size != size - sizeof header - key.size
      || memcmp (bytes + sizeof header, key.data, key.size) != 0)
    return NULL;
  value = (TpBytes){ bytes + sizeof header + key.size, header.value_size };
  fill_header (&expected, key, value);
  if (memcmp (&header, &expected, sizeof header) != 0)
    return NULL;
  *out_size = value.size;
  memmove (bytes, value.data, value.size);
  return g_steal_pointer (&bytes);
}

/* That it was of use, once a day. */
static void
touch (int fd)
{
  const struct timespec now[] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
  struct stat info;

  if (fstat (fd, &info) == 0
      && info.st_mtim.tv_sec < g_get_real_time () / G_USEC_PER_SEC - DAY_S)
    futimens (fd, now);
}

guint8 *
tp_code_cache_find (const TpCodeCache *cache, TpBytes key, gsize *out_size)
{
  g_autofree char *name = tp_digest_bytes (key.data, key.size);
  int fd = openat (cache->folder, name,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  guint8 *value;

  if (fd < 0)
    {
      if (errno == ELOOP) /* a link */
        unlinkat (cache->folder, name, 0);
      return NULL;
    }
  value = read_value (fd, key, out_size);
  if (value != NULL)
    touch (fd);
  else
    unlinkat (cache->folder, name, 0);
  close (fd);
  return value;
}

/* ---- writing ------------------------------------------------------------ */

gboolean
tp_code_cache_keep (const TpCodeCache *cache, TpBytes key, TpBytes value)
{
  static int n_drafts;        /* (atomic) */
  g_autofree char *name = tp_digest_bytes (key.data, key.size);
  g_autofree char *draft
      = g_strdup_printf (DRAFT "%d-%d", (int) getpid (),
                         g_atomic_int_add (&n_drafts, 1));
  int fd = openat (cache->folder, draft,
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   S_IRUSR | S_IWUSR);
  Header header;
  gboolean is_good;

  if (fd < 0)
    return FALSE;
  fill_header (&header, key, value);
  is_good = tp_posix_write (fd, &header, sizeof header)
            && tp_posix_write (fd, key.data, key.size)
            && tp_posix_write (fd, value.data, value.size);
  is_good = close (fd) == 0 && is_good
            && renameat (cache->folder, draft, cache->folder, name) == 0;
  if (!is_good)
    unlinkat (cache->folder, draft, 0);
  return is_good;
}

/* ---- the bound ----------------------------------------------------------- */

typedef struct
{
  char *name;
  gint64 used_s, size_bytes;
} Entry;

static void
entry_clear (gpointer entry)
{
  g_free (((Entry *) entry)->name);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  gint64 first = ((const Entry *) a)->used_s;
  gint64 second = ((const Entry *) b)->used_s;

  return (first > second) - (first < second);
}

/* What writers that were killed have left is old at once. */
static gint64
add_entry (const TpCodeCache *cache, const char *name, GArray *entries)
{
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  struct stat info;
  Entry entry;

  if (name[0] == '.' && !g_str_has_prefix (name, DRAFT))
    return 0;
  if (fstatat (cache->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0
      || S_ISDIR (info.st_mode))
    return 0;
  if (name[0] == '.' && info.st_mtim.tv_sec < now_s - DAY_S)
    {
      unlinkat (cache->folder, name, 0);
      return 0;
    }
  entry = (Entry){ g_strdup (name), info.st_mtim.tv_sec,
                   MAX ((gint64) info.st_blocks * 512, info.st_size) };
  g_array_append_val (entries, entry);
  return entry.size_bytes;
}

static gint64
list_entries (const TpCodeCache *cache, GArray *entries)
{
  int fd = openat (cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir (fd);
  gint64 size_bytes = 0;
  struct dirent *it;

  if (folder == NULL && fd >= 0)
    close (fd);
  while (folder != NULL && (it = readdir (folder)) != NULL)
    size_bytes += add_entry (cache, it->d_name, entries);
  if (folder != NULL)
    closedir (folder);
  return size_bytes;
}

void
tp_code_cache_trim (const TpCodeCache *cache, gint64 max_bytes)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  gint64 size_bytes;

  g_array_set_clear_func (entries, entry_clear);
  size_bytes = list_entries (cache, entries);
  if (size_bytes <= max_bytes)
    return;
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len && size_bytes > max_bytes / 4 * 3; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      if (unlinkat (cache->folder, entry->name, 0) == 0)
        size_bytes -= entry->size_bytes;
    }
}
