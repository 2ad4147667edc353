/* test-mapping.c: pages of mapped files are given back, those of nothing else, and
 * whoever reads on sees no difference. */
#include "config.h"

#include "format/file.h"
#include "ir/mapping.h"
#include "tests/present-pages.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_PAGES 64
#define N_FORKS 300
#define HANGS_S 60            /* a child that takes longer hangs */

typedef struct
{
  char *path;
  gsize page, size;
  GBytes *bytes;              /* the file, mapped; its last page is not full */
  const guint8 *data;
} Fixture;

static guint8
get_value (gsize i)
{
  return (guint8) (i % 251 + 1);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree guint8 *values = NULL;
  int fd = g_file_open_tmp ("tplan-mapping-XXXXXX", &f->path, NULL);

  close (fd);
  f->page = (gsize) sysconf (_SC_PAGESIZE);
  f->size = N_PAGES * f->page - 100;
  values = g_malloc (f->size);
  for (gsize i = 0; i < f->size; i++)
    values[i] = get_value (i);
  g_assert_true (
      g_file_set_contents (f->path, (char *) values, f->size, NULL));
  f->bytes = tp_file_load (f->path, TP_FILE_PLAIN, &error);
  g_assert_no_error (error);
  f->data = g_bytes_get_data (f->bytes, NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_clear_pointer (&f->bytes, g_bytes_unref);
  g_remove (f->path);
  g_free (f->path);
}

static gboolean
has_values (const guint8 *data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (data[i] != get_value (i))
      return FALSE;
  return TRUE;
}

/* Reads all of it; whether the system tells what is there. */
static gboolean
read_all (const Fixture *f)
{
  g_assert_true (has_values (f->data, f->size));
  if (tp_test_count_present (f->data, f->size) == N_PAGES)
    return TRUE;
  g_test_skip ("the system does not say which pages are there");
  return FALSE;
}

/* Which pages go, for pieces that begin and end anywhere: those wholly within. */
static void
test_pieces (Fixture *f, gconstpointer data)
{
  const gsize page = f->page;
  const struct
  {
    gsize from, size;
    int n_gone;
  } pieces[] = {
    { 0, f->size, N_PAGES - 1 }, { 0, page, 1 },        { 1, page, 0 },
    { 1, 2 * page - 1, 1 },      { 1, 2 * page - 2, 0 }, { page, 5 * page, 5 },
    { page / 2, 9 * page, 8 },   { 7, 0, 0 },           { 7 * page, 0, 0 },
    { 63 * page, page - 100, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      if (!read_all (f))
        return;
      tp_mapping_let_go (f->data + pieces[i].from, pieces[i].size);
      g_assert_cmpint (tp_test_count_present (f->data, f->size), ==,
                       N_PAGES - pieces[i].n_gone);
    }
  g_assert_true (has_values (f->data, f->size));
}

/* What is not wholly of one file stays, whatever it is. */
static void
test_beyond (Fixture *f, gconstpointer data)
{
  if (!read_all (f))
    return;
  tp_mapping_let_go (f->data, f->size + 1);
  tp_mapping_let_go (f->data - 1, f->size);
  g_assert_cmpint (tp_test_count_present (f->data, f->size), ==, N_PAGES);
}

/* Memory that is no file would be zeros from then on. */
static void
test_memory (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) copy = tp_file_load (f->path, TP_FILE_COPY, &error);
  g_autofree guint8 *own = g_malloc (f->size);
  const guint8 *copied;

  g_assert_no_error (error);
  copied = g_bytes_get_data (copy, NULL);
  memcpy (own, f->data, f->size);
  tp_mapping_let_go (copied, f->size);
  tp_mapping_let_go (own, f->size);
  g_assert_true (has_values (copied, f->size));
  g_assert_true (has_values (own, f->size));
}

/* Nor is it a file any more where one was. */
static void
test_unmapped (Fixture *f, gconstpointer data)
{
  gsize size = N_PAGES * f->page;
  void *place = (void *) f->data, *got;

  g_clear_pointer (&f->bytes, g_bytes_unref);
  got = mmap (place, size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got != place)
    g_test_skip ("the address is taken again");
  else
    {
      for (gsize i = 0; i < size; i++)
        ((guint8 *) got)[i] = get_value (i);
      tp_mapping_let_go (got, size);
      g_assert_true (has_values (got, size));
    }
  munmap (got, size);
}

/* Each of several files is found, in whatever order they go. */
static void
test_several (Fixture *f, gconstpointer data)
{
  enum { N = 5 };
  GBytes *bytes[N];

  for (int i = 0; i < N; i++)
    bytes[i] = tp_file_load (f->path, TP_FILE_PLAIN, NULL);
  for (int i = 0; i < N; i++)
    {
      int at = (i * 2 + 1) % N;
      const guint8 *its = g_bytes_get_data (bytes[at], NULL);

      if (!read_all (f))
        return;
      g_assert_true (has_values (its, f->size));
      tp_mapping_let_go (its, f->size);
      g_assert_cmpint (tp_test_count_present (its, f->size), ==, 1);
      tp_mapping_let_go (f->data, f->size);
      g_assert_cmpint (tp_test_count_present (f->data, f->size), ==, 1);
      g_bytes_unref (bytes[at]);
    }
}

typedef struct
{
  const Fixture *f;
  gint is_over;               /* (atomic) */
  gint n_wrong;               /* (atomic) */
} Reading;

static void
read_on_once (Reading *reading)
{
  if (!has_values (reading->f->data, reading->f->size))
    g_atomic_int_inc (&reading->n_wrong);
}

static gpointer
read_on (gpointer data)
{
  Reading *reading = data;

  while (!g_atomic_int_get (&reading->is_over))
    read_on_once (reading);
  return NULL;
}

static void
test_readers (Fixture *f, gconstpointer data)
{
  Reading reading = { .f = f };
  GThread *threads[2];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_on, &reading);
  for (int i = 0; i < 2000; i++)
    {
      g_bytes_unref (tp_file_load (f->path, TP_FILE_PLAIN, NULL));
      tp_mapping_let_go (f->data, f->size);
    }
  g_atomic_int_set (&reading.is_over, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (g_atomic_int_get (&reading.n_wrong), ==, 0);
}

static gpointer
let_go_on (gpointer data)
{
  Reading *reading = data;

  while (!g_atomic_int_get (&reading->is_over))
    {
      read_on_once (reading);
      tp_mapping_let_go (reading->f->data, reading->f->size);
    }
  return NULL;
}

/* A child that is forked meanwhile finds nothing locked. */
static void
test_fork (Fixture *f, gconstpointer data)
{
  Reading reading = { .f = f };
  GThread *thread = g_thread_new ("letting go", let_go_on, &reading);
  int n_good = 0;

  for (int i = 0; i < N_FORKS; i++)
    {
      pid_t child = fork ();
      int status = 1;

      if (child == 0)
        {
          alarm (HANGS_S);
          tp_mapping_let_go (f->data, f->size);
          g_bytes_unref (f->bytes);
          _exit (0);
        }
      waitpid (child, &status, 0);
      n_good += status == 0;
    }
  g_atomic_int_set (&reading.is_over, 1);
  g_thread_join (thread);
  g_assert_cmpint (n_good, ==, N_FORKS);
}

#define CASE(NAME, FUNCTION)                                                  \
  g_test_add ("/mapping/" NAME, Fixture, NULL, set_up, FUNCTION, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  CASE ("pieces", test_pieces);
  CASE ("beyond", test_beyond);
  CASE ("memory", test_memory);
  CASE ("unmapped", test_unmapped);
  CASE ("several", test_several);
  CASE ("readers", test_readers);
  CASE ("fork", test_fork);
  return g_test_run ();
}
