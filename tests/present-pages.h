/* present-pages.h: which pages of this process are in memory, as the kernel says. */
#ifndef TP_TESTS_PRESENT_PAGES_H
#define TP_TESTS_PRESENT_PAGES_H

#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

#define TP_TEST_PRESENT ((guint64) 3 << 62) /* there, or swapped out */

/* Of the pages that @data to @data + @size_bytes lies in, those that are this
 * process's now; -1: the system does not say. */
static inline gint64
tp_test_count_present (const void *data, gsize size_bytes)
{
  guintptr page = (guintptr) sysconf (_SC_PAGESIZE);
  guintptr first = (guintptr) data / page;
  guintptr last = ((guintptr) data + size_bytes - 1) / page;
  int fd = open ("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  gint64 n = fd < 0 ? -1 : 0;

  for (guintptr i = first; n >= 0 && i <= last; i++)
    {
      guint64 entry;

      if (pread (fd, &entry, sizeof entry, (off_t) (i * sizeof entry))
          != (ssize_t) sizeof entry)
        n = -1;
      else
        n += (entry & TP_TEST_PRESENT) != 0;
    }
  if (fd >= 0)
    close (fd);
  return n;
}

#endif
