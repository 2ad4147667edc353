/* room.c: asks the system, not malloc: a large block that is freed there changes
 * from which size on later ones are mapped. */
#include "config.h"

#include "ir/room.h"

#include <sys/mman.h>
#include <unistd.h>

#define LARGE_BYTES (4 << 20) /* two large pages, nearly everywhere */

void
tp_room_set_error (gint64 size_bytes, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "no memory for about %" G_GINT64_FORMAT " bytes %s: close other "
               "programs, or cut the model", size_bytes, what);
}

gboolean
tp_room_check (gint64 size_bytes, const char *what, GError **error)
{
  gsize size = MAX (size_bytes, 1);
  void *room = mmap (NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (room != MAP_FAILED)
    {
      munmap (room, size);
      return TRUE;
    }
  tp_room_set_error (size_bytes, what, error);
  return FALSE;
}

/* Whole pages around it: a block that malloc mapped by itself stays one mapping, which
 * can grow without being copied. */
void
tp_room_ask_large_pages (void *block, gsize size_bytes)
{
#ifdef MADV_HUGEPAGE
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize before = (guintptr) block & (page - 1);
  gsize size = (size_bytes + before + page - 1) & ~(page - 1);

  if (size_bytes >= LARGE_BYTES)
    madvise ((char *) block - before, size, MADV_HUGEPAGE);
#endif
}
