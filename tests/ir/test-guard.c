/* test-guard.c: what is owned is released when a guarded call is left, from any
 * depth; and the containers that leave it against those of GLib. */
#include "config.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "ir/text.h"
#include "include/tplan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOO_MANY_BYTES ((gsize) 1 << 62)

static int n_owned;

typedef int Owned;

static void
owned_clear (Owned *owned)
{
  n_owned -= *owned;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Owned, owned_clear)

/* ---- leaving ------------------------------------------------------------ */

typedef struct
{
  int depth;
  gboolean leaves;
  gboolean has_returned;
} Dive;

static void dive (gpointer data);

/* The frame that qsort() stands on is not ours. */
static int
compare_diving (const void *a, const void *b)
{
  dive (*(Dive *const *) a);
  return 0;
}

static void
dive (gpointer data)
{
  Dive *it = data, *two[2] = { it, it };
  g_auto (Owned) owned = 1;
  g_autofree char *block = g_malloc (100);

  n_owned++;
  if (it->depth-- > 0)
    {
      if (it->depth % 3 == 0)
        qsort (two, 2, sizeof (two[0]), compare_diving);
      else
        dive (it);
    }
  else if (it->leaves)
    block = tp_realloc (block, TOO_MANY_BYTES, 1);
  it->has_returned = TRUE;
}

static void
test_leave (void)
{
  for (int i = 0; i < 200; i++)
    {
      g_autoptr (GError) error = NULL;
      Dive it = { g_test_rand_int_range (0, 50), i % 2 == 0, FALSE };
      gboolean is_done = tp_guard (dive, &it, "to dive", &error);

      g_assert_cmpint (n_owned, ==, 0);
      g_assert_cmpint (is_done, ==, !it.leaves);
      g_assert_cmpint (it.has_returned, ==, is_done);
      if (is_done)
        g_assert_no_error (error);
      else
        g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
      if (!is_done)
        g_assert_nonnull (strstr (error->message, "4611686018427387904 bytes "
                                                  "to dive"));
    }
}

/* The inner call is left, and the outer one goes on and is left too. */
static void
dive_twice (gpointer data)
{
  g_auto (Owned) owned = 1;
  Dive first = { 5, TRUE, FALSE };

  n_owned++;
  g_assert_false (tp_guard (dive, &first, "at first", NULL));
  g_assert_cmpint (n_owned, ==, 1);
  dive (data);
}

static void
test_nested (void)
{
  Dive second = { 3, TRUE, FALSE };
  GError *error = g_error_new (TPLAN_ERROR, TPLAN_ERROR_INPUT, "before");

  g_assert_false (tp_guard (dive_twice, &second, "after all", &error));
  g_assert_cmpint (n_owned, ==, 0);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "after all"));
  g_error_free (error);
}

static void
test_without (void)
{
  if (g_test_subprocess ())
    {
      Dive first = { 0, TRUE, FALSE };

      tp_guard (dive, &first, "at first", NULL);
      g_free (tp_alloc (TOO_MANY_BYTES, 1));
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*failed to allocate 4611686018427387904 bytes*");
}

/* A child does not come back where its parent will. */
static void
leave_in_child (gpointer data)
{
  int status;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      struct rlimit no_core = { 0, 0 };

      setrlimit (RLIMIT_CORE, &no_core);
      close (STDOUT_FILENO); /* "Bail out!" */
      g_free (tp_alloc (TOO_MANY_BYTES, 1));
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));
}

static void
test_child (void)
{
  g_assert_true (tp_guard (leave_in_child, NULL, "to fork", NULL));
}

static void
overflow (gpointer data)
{
  g_free (tp_alloc (G_MAXSIZE / 2, 3));
}

static void
test_sizes (void)
{
  g_autofree int *zeros = tp_new0 (int, 100), *copy = NULL;

  g_assert_false (tp_guard (overflow, NULL, "to overflow", NULL));
  g_assert_null (tp_new (int, 0));
  g_assert_null (tp_new0 (int, 0));
  g_assert_null (tp_memdup (NULL, 5));
  for (int i = 0; i < 100; i++)
    g_assert_cmpint (zeros[i], ==, 0);
  zeros[99] = 7;
  copy = tp_memdup (zeros, 100 * sizeof (int));
  zeros = tp_renew (int, zeros, 1000);
  g_assert_cmpint (zeros[99], ==, 7);
  g_assert_cmpint (copy[99], ==, 7);
}

/* ---- containers --------------------------------------------------------- */

typedef struct
{
  int a;
  char b[7];
} Odd;

static void
test_array (void)
{
  g_autoptr (TpArray) array = tp_array_new (sizeof (Odd));
  g_autoptr (GArray) oracle = g_array_new (FALSE, TRUE, sizeof (Odd));

  for (int i = 0; i < 3000; i++)
    {
      int draw = g_test_rand_int_range (0, 10);
      Odd some[3] = { { i, "x" }, { -i, "y" }, { 3 * i, "zzz" } };
      guint len = g_test_rand_int_range (0, oracle->len + 9);

      if (draw == 0 && oracle->len > 0)
        {
          tp_array_remove_index (array, len % oracle->len);
          g_array_remove_index (oracle, len % oracle->len);
        }
      else if (draw == 1 && i % 5 == 0)
        {
          tp_array_set_size (array, len);
          g_array_set_size (oracle, len);
        }
      else
        {
          tp_array_append_vals (array, some, draw % 4);
          g_array_append_vals (oracle, some, draw % 4);
        }
      g_assert_cmpmem (array->data, array->len * sizeof (Odd), oracle->data,
                       oracle->len * sizeof (Odd));
    }
  g_free (tp_array_steal (array));
  g_assert_cmpuint (array->len, ==, 0);
  tp_array_append_val (array, ((Odd){ 5, "v" }));
  g_assert_cmpint (tp_array_index (array, Odd, 0).a, ==, 5);
}

static void
count_free (gpointer data)
{
  n_owned--;
  g_free (data);
}

static void
test_map (void)
{
  g_autoptr (GHashTable) oracle
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  TpMap *map = tp_map_new (g_str_hash, g_str_equal, count_free, NULL);

  for (int i = 1; i < 20000; i++)
    {
      char *key = g_strdup_printf ("%d", g_test_rand_int_range (0, 15000));
      gpointer value = GINT_TO_POINTER (i), found = NULL;

      g_assert_cmpint (tp_map_find (map, key, &found), ==,
                       g_hash_table_contains (oracle, key));
      g_assert_true (found == g_hash_table_lookup (oracle, key));
      g_assert_true (found == tp_map_lookup (map, key));
      n_owned++;
      g_assert_cmpint (tp_map_insert (map, g_strdup (key), value), ==,
                       g_hash_table_insert (oracle, key, value));
      g_assert_cmpuint (tp_map_size (map), ==, g_hash_table_size (oracle));
    }
  g_assert_cmpint (n_owned, ==, tp_map_size (map));
  tp_map_free (map);
  g_assert_cmpint (n_owned, ==, 0);
}

static void
test_text (void)
{
  g_autoptr (GString) text = g_string_new ("");
  g_autoptr (GString) oracle = g_string_new ("");

  for (int i = 0; i < 2000; i++)
    {
      tp_text_append_c (text, 'a' + i % 26);
      g_string_append_c (oracle, 'a' + i % 26);
      tp_text_append (text, i % 3 == 0 ? "" : "some text of many");
      g_string_append (oracle, i % 3 == 0 ? "" : "some text of many");
      tp_text_append_printf (text, "%d %*s", i, i % 300, "x");
      g_string_append_printf (oracle, "%d %*s", i, i % 300, "x");
      tp_text_append_len (text, "with\0nul", 8);
      tp_text_append_len (text, NULL, 0);
      g_string_append_len (oracle, "with\0nul", 8);
      g_assert_cmpmem (text->str, text->len + 1, oracle->str,
                       oracle->len + 1);
    }
}

/* Containers with an element more than there is memory for. */
static void
fill_array (gpointer data)
{
  g_autoptr (TpArray) array = tp_array_new (1 << 30);

  tp_array_set_size (array, G_MAXUINT);
}

static void
test_full (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (tp_guard (fill_array, NULL, "to fill it", &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guard/leave", test_leave);
  g_test_add_func ("/guard/nested", test_nested);
  g_test_add_func ("/guard/without", test_without);
  g_test_add_func ("/guard/child", test_child);
  g_test_add_func ("/guard/sizes", test_sizes);
  g_test_add_func ("/guard/array", test_array);
  g_test_add_func ("/guard/map", test_map);
  g_test_add_func ("/guard/text", test_text);
  g_test_add_func ("/guard/full", test_full);
  return g_test_run ();
}
