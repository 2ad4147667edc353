/* tensor-npz.c: NumPy's .npz: a zip archive of .npy files, stored or deflated.
 *
 * The directory at the end is believed only where the headers before the
 * members say the same, and no two members share a byte. */
#include "config.h"

#include "format/tensor-npz.h"

#include "format/npy.h"
#include "format/tensor-kinds.h"
#include "ir/array.h"

#include <string.h>
#include <zlib.h>

#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR64_SIZE 20
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30
#define MAX_COMMENT 65535
#define MAX_RATIO 1032        /* deflate can do no better */
#define IS_ENCRYPTED 1
#define HAS_DESCRIPTOR 8      /* sizes follow the member */
#define ABSENT32 0xffffffffu  /* the number is in the zip64 field */

typedef struct
{
  TpTensorFile *file;
  gsize directory, directory_end;
  guint64 n_entries;
  TpArray *extents;           /* TpExtent: members with their headers */
} Zip;

/* An entry of the directory. */
typedef struct
{
  guint16 flags, method;
  guint32 crc;
  guint64 packed_size, size, offset;
  const guint8 *name;
  gsize name_size;
} Member;

static guint64
get (const guint8 *at, int n)
{
  guint64 value = 0;

  for (int i = n - 1; i >= 0; i--)
    value = value << 8 | at[i];
  return value;
}

/* ---- the end ----------------------------------------------------------- */

/* The record that ends the archive, behind which only its comment may stand. */
static const guint8 *
find_end (const TpTensorFile *file)
{
  gsize first;

  if (file->size < END_SIZE)
    return NULL;
  first = file->size - END_SIZE > MAX_COMMENT
              ? file->size - END_SIZE - MAX_COMMENT
              : 0;
  for (gsize i = file->size - END_SIZE + 1; i-- > first;)
    if (memcmp (file->base + i, "PK\5\6", 4) == 0
        && i + END_SIZE + get (file->base + i + 20, 2) == file->size)
      return file->base + i;
  return NULL;
}

/* Large archives have a second, wider record before it. */
static gboolean
read_end64 (Zip *zip, const guint8 *end, guint64 *out_offset,
            guint64 *out_size, GError **error)
{
  const TpTensorFile *file = zip->file;
  const guint8 *locator = end - LOCATOR64_SIZE, *record;
  guint64 offset;

  if (end - file->base < LOCATOR64_SIZE + END64_SIZE
      || memcmp (locator, "PK\6\7", 4) != 0)
    return TRUE;
  offset = get (locator + 8, 8);
  if (offset > (guint64) (locator - file->base) - END64_SIZE
      || memcmp (file->base + offset, "PK\6\6", 4) != 0)
    return tp_tensor_file_fail (file, error, "byte %td: the zip64 record is "
                                "not where it should be: the file is damaged",
                                locator - file->base);
  record = file->base + offset;
  zip->n_entries = get (record + 32, 8);
  *out_size = get (record + 40, 8);
  *out_offset = get (record + 48, 8);
  return TRUE;
}

static gboolean
read_end (Zip *zip, GError **error)
{
  const TpTensorFile *file = zip->file;
  const guint8 *end = find_end (file);
  guint64 offset, size, limit;

  if (end == NULL)
    return tp_tensor_file_fail (file, error, "not a .npz file, or cut short: "
                                "save it with numpy.savez");
  zip->n_entries = get (end + 10, 2);
  size = get (end + 12, 4);
  offset = get (end + 16, 4);
  limit = end - file->base;
  if (!read_end64 (zip, end, &offset, &size, error))
    return FALSE;
  if (offset > limit || size > limit - offset
      || zip->n_entries > size / ENTRY_SIZE)
    return tp_tensor_file_fail (file, error, "byte %" G_GUINT64_FORMAT ": the "
                                "directory does not fit into the file: it is "
                                "damaged", limit);
  zip->directory = offset;
  zip->directory_end = offset + size;
  return TRUE;
}

/* ---- members ----------------------------------------------------------- */

/* Takes the next of the wide numbers where @narrow stands for one. */
static gboolean
widen (guint64 *narrow, const guint8 **at, const guint8 *end)
{
  if (*narrow != ABSENT32)
    return TRUE;
  if (end - *at < 8)
    return FALSE;
  *narrow = get (*at, 8);
  *at += 8;
  return *narrow <= G_MAXINT64;
}

/* @extra: tagged fields; that of zip64 has the numbers that did not fit. */
static gboolean
read_extra (const guint8 *extra, gsize size, guint64 *numbers[3])
{
  for (gsize i = 0; i + 4 <= size;)
    {
      gsize length = get (extra + i + 2, 2);
      const guint8 *at = extra + i + 4, *end = at + length;

      if (length > size - i - 4)
        return FALSE;
      if (get (extra + i, 2) == 1)
        return widen (numbers[0], &at, end) && widen (numbers[1], &at, end)
               && (numbers[2] == NULL || widen (numbers[2], &at, end));
      i += 4 + length;
    }
  return TRUE;
}

static gboolean
fail_member (const Zip *zip, const Member *member, const char *what,
             GError **error)
{
  g_autofree char *raw
      = g_strndup ((const char *) member->name, member->name_size);
  g_autofree char *name = g_utf8_make_valid (raw, -1);

  return tp_tensor_file_fail (zip->file, error, "member '%s': %s", name, what);
}

/* The header before the member must tell the same story; *out_data is where its
 * bytes begin. */
static gboolean
check_local (const Zip *zip, const Member *member, gsize *out_data,
             GError **error)
{
  const guint8 *local = zip->file->base + member->offset;
  gsize room, name_size, extra_size;
  guint64 size, packed_size, *numbers[] = { &size, &packed_size, NULL };

  if (member->offset > zip->directory
      || zip->directory - member->offset < LOCAL_SIZE
      || memcmp (local, "PK\3\4", 4) != 0)
    return fail_member (zip, member, "its header is not where the directory "
                        "says: the file is damaged", error);
  room = zip->directory - member->offset - LOCAL_SIZE;
  packed_size = get (local + 18, 4);
  size = get (local + 22, 4);
  name_size = get (local + 26, 2);
  extra_size = get (local + 28, 2);
  if (name_size + extra_size > room || name_size != member->name_size
      || memcmp (local + LOCAL_SIZE, member->name, name_size) != 0
      || get (local + 8, 2) != member->method
      || !read_extra (local + LOCAL_SIZE + name_size, extra_size, numbers))
    return fail_member (zip, member, "its header and the directory disagree: "
                        "the file is damaged", error);
  if (!(get (local + 6, 2) & HAS_DESCRIPTOR)
      && (size != member->size || packed_size != member->packed_size
          || get (local + 14, 4) != member->crc))
    return fail_member (zip, member, "its header and the directory disagree on "
                        "its size or checksum: the file is damaged", error);
  if (member->packed_size > room - name_size - extra_size)
    return fail_member (zip, member, "it runs into the directory: the file is "
                        "damaged", error);
  *out_data = member->offset + LOCAL_SIZE + name_size + extra_size;
  return TRUE;
}

static gboolean
check_member (const Zip *zip, const Member *member, GError **error)
{
  if (member->name_size == 0
      || memchr (member->name, '\0', member->name_size) != NULL
      || !g_utf8_validate_len ((const char *) member->name, member->name_size,
                               NULL))
    return fail_member (zip, member, "its name is empty or not UTF-8", error);
  if ((member->flags & IS_ENCRYPTED) || (member->method != 0
                                         && member->method != 8))
    {
      fail_member (zip, member, "is neither stored nor deflated: save it with "
                   "numpy.savez", error);
      if (error != NULL)
        (*error)->code = TPLAN_ERROR_UNSUPPORTED;
      return FALSE;
    }
  if (member->method == 0 && member->size != member->packed_size)
    return fail_member (zip, member, "it is stored, and has two sizes: the "
                        "file is damaged", error);
  if (member->size / MAX_RATIO > member->packed_size)
    return fail_member (zip, member, "its size is more than deflate can pack: "
                        "the file is damaged or made to harm", error);
  return TRUE;
}

/* Members that are no .npy file are left alone. */
static gboolean
add_member (Zip *zip, const Member *member, gsize data, GError **error)
{
  TpExtent extent = { member->offset, data + member->packed_size };
  g_autofree char *key
      = g_strndup ((const char *) member->name, member->name_size);
  TpTensorEntry *entry;

  tp_array_append_val (zip->extents, extent);
  if (!g_str_has_suffix (key, ".npy"))
    return TRUE;
  key[strlen (key) - strlen (".npy")] = '\0';
  entry = tp_tensor_file_add (zip->file, key, error);
  if (entry == NULL)
    return FALSE;
  entry->offset = data;
  entry->size = member->packed_size;
  entry->unpacked_size = member->size;
  entry->crc = member->crc;
  entry->is_deflated = member->method == 8;
  return TRUE;
}

/* ---- the directory ----------------------------------------------------- */

/* Reads the entry at *@at and moves on to the next. */
static gboolean
read_entry (const Zip *zip, gsize *at, Member *out_member, GError **error)
{
  const guint8 *entry = zip->file->base + *at;
  gsize room = zip->directory_end - *at, extra_size, size;
  guint64 *numbers[] = { &out_member->size, &out_member->packed_size,
                         &out_member->offset };

  if (room >= ENTRY_SIZE && memcmp (entry, "PK\1\2", 4) == 0)
    {
      out_member->flags = get (entry + 8, 2);
      out_member->method = get (entry + 10, 2);
      out_member->crc = get (entry + 16, 4);
      out_member->packed_size = get (entry + 20, 4);
      out_member->size = get (entry + 24, 4);
      out_member->offset = get (entry + 42, 4);
      out_member->name = entry + ENTRY_SIZE;
      out_member->name_size = get (entry + 28, 2);
      extra_size = get (entry + 30, 2);
      size = ENTRY_SIZE + out_member->name_size + extra_size
             + get (entry + 32, 2);
      if (size <= room
          && read_extra (out_member->name + out_member->name_size, extra_size,
                         numbers))
        {
          *at += size;
          return TRUE;
        }
    }
  return tp_tensor_file_fail (zip->file, error, "byte %" G_GSIZE_FORMAT ": no "
                              "entry of the directory: the file is damaged",
                              *at);
}

static gboolean
read_directory (Zip *zip, GError **error)
{
  gsize at = zip->directory;

  for (guint64 i = 0; i < zip->n_entries; i++)
    {
      Member member;
      gsize data = 0;

      if (!read_entry (zip, &at, &member, error)
          || !check_member (zip, &member, error)
          || !check_local (zip, &member, &data, error)
          || !add_member (zip, &member, data, error))
        return FALSE;
    }
  if (at != zip->directory_end)
    return tp_tensor_file_fail (zip->file, error, "byte %" G_GSIZE_FORMAT ": "
                                "the directory has more than its %"
                                G_GUINT64_FORMAT " entries", at,
                                zip->n_entries);
  if (tp_extents_find_overlap (zip->extents) >= 0)
    return tp_tensor_file_fail (zip->file, error, "two members share bytes: "
                                "the file is damaged or made to harm");
  return TRUE;
}

gboolean
tp_npz_list (TpTensorFile *file, GError **error)
{
  g_autoptr (TpArray) extents = tp_array_new (sizeof (TpExtent));
  Zip zip = { .file = file, .extents = extents };

  return read_end (&zip, error) && read_directory (&zip, error);
}

/* ---- values ------------------------------------------------------------ */

/* Unpacks @size bytes at @src to exactly @dst_size at @dst. */
static gboolean
inflate_all (const guint8 *src, gsize size, guint8 *dst, gsize dst_size)
{
  z_stream stream = { .next_in = (Bytef *) src, .next_out = dst };
  gsize left_in = size, left_out = dst_size;
  int status = inflateInit2 (&stream, -MAX_WBITS);

  while (status == Z_OK)
    {
      uInt in = MIN (left_in, G_MAXUINT32), out = MIN (left_out, G_MAXUINT32);

      stream.avail_in = in;
      stream.avail_out = out;
      status = inflate (&stream, Z_NO_FLUSH);
      left_in -= in - stream.avail_in;
      left_out -= out - stream.avail_out;
    }
  inflateEnd (&stream);
  return status == Z_STREAM_END && left_in == 0 && left_out == 0;
}

static GBytes *
unpack (TpTensorFile *file, const TpTensorEntry *entry, GError **error)
{
  guint8 *data;

  if (!entry->is_deflated)
    return g_bytes_new_from_bytes (file->bytes, entry->offset, entry->size);
  data = tp_region_alloc (file->region, entry->unpacked_size, 1, error);
  if (data == NULL)
    {
      g_prefix_error (error, "%s: member '%s.npy': ", file->name, entry->key);
      return NULL;
    }
  if (inflate_all (file->base + entry->offset, entry->size, data,
                   entry->unpacked_size))
    return g_bytes_new_static (data, entry->unpacked_size);
  tp_tensor_file_fail (file, error, "member '%s.npy': its packed bytes are "
                       "damaged, or are not %" G_GSIZE_FORMAT " bytes",
                       entry->key, entry->unpacked_size);
  return NULL;
}

gboolean
tp_npz_read (TpTensorFile *file, TpTensorEntry *entry, GError **error)
{
  g_autoptr (GBytes) bytes = unpack (file, entry, error);
  g_autofree char *name
      = g_strdup_printf ("%s: member '%s.npy'", file->name, entry->key);
  gsize size;
  const guint8 *data;

  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &size);
  if (crc32_z (0, data, size) != entry->crc)
    return tp_tensor_file_fail (file, error, "member '%s.npy': its checksum is "
                                "wrong: the file is damaged", entry->key);
  return tp_npy_parse (bytes, name, &entry->tensor, error);
}
