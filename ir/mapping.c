/* mapping.c: see mapping.h. */
#include "config.h"

#include "ir/mapping.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Mapping Mapping;
struct Mapping
{
  Mapping *next, *previous;
  GMappedFile *file;
  guintptr start, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static Mapping *mappings;     /* (nullable): as many as there are files */

static void
take_lock (void)
{
  pthread_mutex_lock (&lock);
}

static void
give_lock (void)
{
  pthread_mutex_unlock (&lock);
}

/* A child that is forked while another thread is in here would wait for it for ever:
 * it is forked while nobody is. */
static void
expect_forks (void)
{
  static gsize is_done = 0;

  if (g_once_init_enter (&is_done))
    {
      pthread_atfork (take_lock, give_lock, give_lock);
      g_once_init_leave (&is_done, 1);
    }
}

/* First it is not known any more, then it is not there any more: the addresses
 * may be those of something else next, whose pages are gone if given back. */
static void
remove_mapping (gpointer data)
{
  Mapping *mapping = data;

  pthread_mutex_lock (&lock);
  if (mapping->next != NULL)
    mapping->next->previous = mapping->previous;
  if (mapping->previous != NULL)
    mapping->previous->next = mapping->next;
  else
    mappings = mapping->next;
  pthread_mutex_unlock (&lock);
  g_mapped_file_unref (mapping->file);
  g_free (mapping);
}

GBytes *
tp_mapping_get_bytes (GMappedFile *file)
{
  Mapping *mapping = g_new0 (Mapping, 1);
  const char *data = g_mapped_file_get_contents (file);
  gsize size = g_mapped_file_get_length (file);

  expect_forks ();
  mapping->file = g_mapped_file_ref (file);
  mapping->start = (guintptr) data;
  mapping->end = mapping->start + size;
  pthread_mutex_lock (&lock);
  mapping->next = mappings;
  if (mappings != NULL)
    mappings->previous = mapping;
  mappings = mapping;
  pthread_mutex_unlock (&lock);
  return g_bytes_new_with_free_func (data, size, remove_mapping, mapping);
}

/* Under the lock. */
static gboolean
is_mapped (guintptr start, guintptr end)
{
  for (const Mapping *it = mappings; it != NULL; it = it->next)
    if (it->start <= start && end <= it->end)
      return TRUE;
  return FALSE;
}

/* The lock is held until it is done: meanwhile nothing is unmapped. */
void
tp_mapping_let_go (const void *data, gsize size_bytes)
{
  guintptr page = (guintptr) sysconf (_SC_PAGESIZE);
  guintptr start = (guintptr) data, end = start + size_bytes;
  guintptr first = (start + page - 1) & ~(page - 1), last = end & ~(page - 1);

  if (first >= last)
    return;
  pthread_mutex_lock (&lock);
  if (is_mapped (start, end))
    madvise ((void *) first, last - first, MADV_DONTNEED);
  pthread_mutex_unlock (&lock);
}
