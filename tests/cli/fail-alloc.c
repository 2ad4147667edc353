/* fail-alloc.c: preloaded, makes one large allocation of a program fail.
 *
 * TPLAN_FAIL_BYTES says what is large. TPLAN_FAIL_ALLOC is the number of the one
 * that fails, counted from 1; 0 fails none, and TPLAN_FAIL_COUNT names the file
 * that is told how many there were. Works on glibc, whose allocator has names of
 * its own beside those that are replaced. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *old, size_t size);
extern void *__libc_memalign (size_t align, size_t size);
extern void __libc_free (void *block);

static size_t large_bytes = (size_t) -1;
static long failing;
static atomic_long n_own;
static atomic_long *n_large = &n_own; /* may be shared with children */
static atomic_long live_bytes; /* in blocks that are not freed */
static int (*is_meant) (void); /* (nullable) whether this one counts */
static pid_t first_pid;

__attribute__ ((constructor)) static void
begin (void)
{
  const char *bytes = getenv ("TPLAN_FAIL_BYTES");
  const char *number = getenv ("TPLAN_FAIL_ALLOC");

  failing = number != NULL ? atol (number) : 0;
  first_pid = getpid ();
  large_bytes = bytes != NULL ? (size_t) atol (bytes) : (size_t) -1;
}

__attribute__ ((destructor)) static void
end (void)
{
  const char *path = getenv ("TPLAN_FAIL_COUNT");
  long n = *n_large;
  FILE *file;

  large_bytes = (size_t) -1;
  if (path == NULL || getpid () != first_pid)
    return;
  file = fopen (path, "w");
  if (file == NULL)
    return;
  fprintf (file, "%ld\n", n);
  fclose (file);
}

static int
fails (size_t size)
{
  if (size < large_bytes || (is_meant != NULL && !is_meant ())
      || atomic_fetch_add (n_large, 1) + 1 != failing)
    return 0;
  errno = ENOMEM;
  return 1;
}

static void *
count (void *block)
{
  atomic_fetch_add (&live_bytes, (long) malloc_usable_size (block));
  return block;
}

static void
discount (void *block)
{
  atomic_fetch_sub (&live_bytes, (long) malloc_usable_size (block));
}

void *
malloc (size_t size)
{
  return fails (size) ? NULL : count (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  size_t bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || fails (bytes))
    return NULL;
  return count (__libc_calloc (n, size));
}

void *
realloc (void *old, size_t size)
{
  void *block;

  if (fails (size))
    return NULL;
  discount (old);
  block = __libc_realloc (old, size);
  count (block != NULL || size == 0 ? block : old);
  return block;
}

void *
aligned_alloc (size_t align, size_t size)
{
  return fails (size) ? NULL : count (__libc_memalign (align, size));
}

int
posix_memalign (void **out, size_t align, size_t size)
{
  void *block = aligned_alloc (align, size);

  if (block == NULL)
    return ENOMEM;
  *out = block;
  return 0;
}

void
free (void *block)
{
  discount (block);
  __libc_free (block);
}
