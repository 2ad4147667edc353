/* test-external.c: files a model names, good and bad, through both readers; and
 * models beyond 2 GB, which are holes here. */
#include "config.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/graph-value.h"
#include "ir/graph.h"
#include "tests/ir/onnx-bytes.h"
#include "tests/remove-all.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_HEAP_BYTES (16 << 20)
#define GIB ((gint64) 1 << 30)

typedef struct
{
  char *root;                 /* holds m/, the model's folder, and others */
  char *model, *json;
  char *secret;               /* root/secret.npy, a good file */
  char *good;                 /* m/w.npy */
} Fixture;

/* A .npy file of the float32 1, 2; also external data at offset 64. */
static void
write_npy (const char *path)
{
  static const float values[] = { 1, 2 };
  g_autoptr (GString) text = g_string_new_len ("\x93NUMPY\1\0\x36\0", 10);

  g_string_append (text, "{'descr':'<f4','fortran_order':False,'shape':(2,)}");
  while (text->len < 63)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  g_string_append_len (text, (const char *) values, sizeof values);
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
}

static void
fixture_set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *folder = NULL, *sub = NULL;

  f->root = g_dir_make_tmp (NULL, NULL);
  folder = g_build_filename (f->root, "m", NULL);
  sub = g_build_filename (folder, "sub", NULL);
  g_mkdir (folder, 0777);
  g_mkdir (sub, 0777);
  f->model = g_build_filename (folder, "m.onnx", NULL);
  f->json = g_build_filename (folder, "m.json", NULL);
  f->secret = g_build_filename (f->root, "secret.npy", NULL);
  f->good = g_build_filename (folder, "w.npy", NULL);
  write_npy (f->secret);
  write_npy (f->good);
}

static void
fixture_tear_down (Fixture *f, gconstpointer data)
{
  tp_test_remove_all (f->root);
  g_free (f->root);
  g_free (f->model);
  g_free (f->json);
  g_free (f->secret);
  g_free (f->good);
}

/* ---- models ------------------------------------------------------------- */

static void
add_entry (Msg *tensor, const char *key, const char *value)
{
  Msg *entry = msg_new ();

  if (value == NULL)
    {
      g_byte_array_unref (entry);
      return;
    }
  msg_string (entry, 1, key);
  msg_string (entry, 2, value);
  msg_take (tensor, 13, entry);
}

/* w [count] of external data; y = Relu (w), and x as graph_new () has it. */
static Msg *
external_model (gint64 count, const char *location, const char *offset,
                const char *length)
{
  Msg *graph = graph_new (), *tensor = tensor_new ("w", 1, 1, &count);

  add_entry (tensor, "location", location);
  add_entry (tensor, "offset", offset);
  add_entry (tensor, "length", length);
  msg_int (tensor, 14, 1);
  msg_take (graph, 5, tensor);
  msg_take (graph, 1, node_new ("Relu", "w", NULL, "y"));
  return model_new (graph);
}

static TpGraph *
load_onnx (const Fixture *f, const char *location, const char *offset,
           const char *length, gboolean follow, GError **error)
{
  TpLoadOptions options = { .files = follow ? TP_FILE_FOLLOW_LINKS : 0 };
  g_autoptr (Msg) model = external_model (2, location, offset, length);

  g_assert_true (g_file_set_contents (f->model, (const char *) model->data,
                                      model->len, NULL));
  return tp_graph_read (f->model, &options, error);
}

static TpGraph *
load_json (const Fixture *f, const char *file, gboolean follow, GError **error)
{
  TpLoadOptions options = { .files = follow ? TP_FILE_FOLLOW_LINKS : 0 };
  g_autofree char *text = g_strdup_printf (
      "{\"format\": \"tplan-graph/1\", \"outputs\": [\"w\"], \"ops\": [], "
      "\"initializers\": [{\"name\": \"w\", \"file\": \"%s\"}]}", file);

  g_assert_true (g_file_set_contents (f->json, text, -1, NULL));
  return tp_graph_read (f->json, &options, error);
}

static void
check_good (TpGraph *graph, const GError *error)
{
  float w[2];

  g_assert_no_error (error);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], w);
  g_assert_cmpfloat (w[0], ==, 1);
  g_assert_cmpfloat (w[1], ==, 2);
  tp_graph_unref (graph);
}

static void
assert_refused (const Fixture *f, const char *name, gboolean follow,
                const char *pattern)
{
  for (int i = 0; i < 2; i++)
    {
      const char *model = i == 0 ? f->model : f->json;
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph
          = i == 0 ? load_onnx (f, name, "64", "8", follow, &error)
                   : load_json (f, name, follow, &error);

      g_assert_null (graph);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, model));
      if (!g_pattern_match_simple (pattern, error->message))
        g_error ("'%s' is not like '%s'", error->message, pattern);
    }
}

static void
assert_found (const Fixture *f, const char *name, gboolean follow)
{
  g_autoptr (GError) error = NULL;

  check_good (load_onnx (f, name, "64", "8", follow, &error), error);
  check_good (load_json (f, name, follow, &error), error);
}

/* ---- names -------------------------------------------------------------- */

#define UP "*the name leads out of the model's folder"
#define LINK "*symbolic links are not followed: * --follow-symlinks"

static void
test_names (Fixture *f, gconstpointer data)
{
  assert_found (f, "w.npy", FALSE);
  assert_found (f, "./w.npy", FALSE);
  assert_found (f, "./w.npy", TRUE);
}

static void
test_up (Fixture *f, gconstpointer data)
{
  for (int follow = 0; follow < 2; follow++)
    {
      assert_refused (f, "../secret.npy", follow, UP);
      assert_refused (f, "sub/../../secret.npy", follow, UP);
      assert_refused (f, f->secret, follow, UP);
      assert_refused (f, "/proc/self/environ.npy", follow, UP);
      assert_refused (f, "none.npy", follow, "*No such file or directory");
      assert_refused (f, "sub.npy/w.npy", follow, "*No such file*");
    }
}

static void
make_link (const Fixture *f, const char *target, const char *name)
{
  g_autofree char *path = g_build_filename (f->root, "m", name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
test_symlinks (Fixture *f, gconstpointer data)
{
  make_link (f, "w.npy", "near.npy");
  make_link (f, "../secret.npy", "far.npy");
  make_link (f, f->secret, "absolute.npy");
  make_link (f, "..", "up");
  make_link (f, "/proc/self/fd", "fd");
  make_link (f, "loop.npy", "loop.npy");
  assert_refused (f, "near.npy", FALSE, LINK);
  assert_refused (f, "far.npy", FALSE, LINK);
  assert_refused (f, "absolute.npy", FALSE, LINK);
  assert_refused (f, "up/secret.npy", FALSE, LINK);
  assert_refused (f, "loop.npy", TRUE, "*symbolic links*");
  assert_found (f, "near.npy", TRUE);
  assert_found (f, "far.npy", TRUE);
  assert_found (f, "absolute.npy", TRUE);
  assert_found (f, "up/secret.npy", TRUE);
}

/* Descriptors behind /proc are doors that no name should open. */
static void
test_proc (Fixture *f, gconstpointer data)
{
  int fd = open (f->secret, O_RDONLY);
  g_autofree char *target = g_strdup_printf ("/proc/self/fd/%d", fd);

  make_link (f, target, "door.npy");
  make_link (f, "/proc/self/status", "status.npy");
  assert_refused (f, "door.npy", FALSE, LINK);
  assert_refused (f, "door.npy", TRUE, "*symbolic links*");
  assert_refused (f, "status.npy", FALSE, LINK);
  close (fd);
}

static void
test_hard_link (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->root, "m", "hard.npy", NULL);

  g_assert_cmpint (link (f->secret, path), ==, 0);
  assert_refused (f, "hard.npy", FALSE, "*(a hard link): put a copy there, or *");
  assert_found (f, "hard.npy", TRUE);
}

/* Links @secret as @name and takes the link away again, until it is killed. */
static pid_t
start_swapper (const char *secret, const char *name)
{
  pid_t pid = fork ();

  g_assert_cmpint (pid, >=, 0);
  if (pid != 0)
    return pid;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  for (;;)
    if (link (secret, name) != 0 || unlink (name) != 0)
      _exit (1);
}

/* A hard link that goes between opening and looking leaves a file of one name. */
static void
test_swapped (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->root, "m", "hard.npy", NULL);
  pid_t swapper = start_swapper (f->secret, path);
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC;
  int n_read = 0, n_tries = 0, status;

  for (; g_get_monotonic_time () < end; n_tries++)
    {
      g_autoptr (GBytes) bytes
          = tp_file_load_beside (f->model, "hard.npy", TP_FILE_PLAIN, NULL);

      n_read += bytes != NULL;
    }
  kill (swapper, SIGKILL);
  g_assert_cmpint (waitpid (swapper, &status, 0), ==, swapper);
  g_assert_true (WIFSIGNALED (status));
  g_test_message ("%d of %d tries read it", n_read, n_tries);
  g_assert_cmpint (n_read, ==, 0);
}

/* One that was just written is as good as any. */
static void
test_fresh (Fixture *f, gconstpointer data)
{
  for (int i = 0; i < 50; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;

      g_remove (f->good);
      write_npy (f->good);
      bytes = tp_file_load_beside (f->model, "w.npy", TP_FILE_PLAIN, &error);
      g_assert_no_error (error);
    }
}

static void
test_kinds (Fixture *f, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (f->root, "m", "fifo.npy", NULL);
  g_autofree char *folder = g_build_filename (f->root, "m", "dir.npy", NULL);

  g_assert_cmpint (mkfifo (fifo, 0666), ==, 0);
  g_assert_cmpint (g_mkdir (folder, 0777), ==, 0);
  make_link (f, "/dev/zero", "zero.npy");
  for (int follow = 0; follow < 2; follow++)
    {
      assert_refused (f, "fifo.npy", follow, "*is not a regular file");
      assert_refused (f, "dir.npy", follow, "*is not a regular file");
    }
  assert_refused (f, "zero.npy", TRUE, "*is not a regular file");
}

/* What was read stays when the files go; through both readers. */
static void
test_copy (Fixture *f, gconstpointer data)
{
  TpLoadOptions options = { .files = TP_FILE_COPY };

  for (int i = 0; i < 2; i++)
    {
      const char *path = i == 0 ? f->model : f->json;
      g_autoptr (GError) error = NULL;
      TpGraph *graph;

      assert_found (f, "w.npy", FALSE); /* which writes the model */
      graph = tp_graph_read (path, &options, &error);
      g_assert_no_error (error);
      g_assert_cmpint (truncate (path, 0), ==, 0);
      g_assert_cmpint (truncate (f->good, 0), ==, 0);
      check_good (graph, error);
      write_npy (f->good);
    }
}

/* ---- places in the file ------------------------------------------------- */

static void
test_ranges (Fixture *f, gconstpointer data)
{
  static const struct
  {
    const char *offset, *length;
    const char *pattern;        /* NULL: good */
  } cases[] = {
    { "64", "8", NULL },
    { "64", NULL, NULL },
    { NULL, "8", "" }, /* the header, as numbers: read, and other values */
    { "65", "8", "*ends at byte 73 of 'w.npy', which has 72" },
    { "72", "8", "*ends at byte 80*" },
    { "64", "7", "*external_data needs*" },
    { "64", "16", "*external_data needs*" },
    { "-1", "8", "*external_data needs*" },
    { "64 ", "8", "*external_data needs*" },
    { "0x40", "8", "*external_data needs*" },
    { "", "8", "*external_data needs*" },
    { "9223372036854775807", "8", "*external_data needs*" },
    { "9223372036854775800", NULL, "*external_data needs*" },
    { "18446744073709551615", "8", "*external_data needs*" },
    { "64", "18446744073709551624", "*external_data needs*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      TpGraph *graph = load_onnx (f, "w.npy", cases[i].offset, cases[i].length,
                                  FALSE, &error);

      if (cases[i].pattern == NULL)
        {
          check_good (graph, error);
          continue;
        }
      if (*cases[i].pattern == '\0')
        {
          g_assert_no_error (error);
          tp_graph_unref (graph);
          continue;
        }
      g_assert_null (graph);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      if (!g_pattern_match_simple (cases[i].pattern, error->message))
        g_error ("'%s' is not like '%s'", error->message, cases[i].pattern);
    }
}

/* ---- large files -------------------------------------------------------- */

/* What the program holds by malloc(); 0 where that is not known. */
static gsize
get_heap (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

static void
check_large (const char *path, int n_nodes)
{
  gsize before = get_heap ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, &error);
  g_autoptr (TpGraph) prepared = NULL;
  g_autofree char *digest = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, n_nodes);
  prepared = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  digest = tp_graph_digest (prepared);
  g_test_message ("heap: %" G_GSIZE_FORMAT " bytes", get_heap () - before);
  g_assert_cmpint (get_heap (), <=, before + MAX_HEAP_BYTES);
}

/* A file of @size bytes, @head first and zeros, which take no room. */
static void
write_hole (const char *path, const Msg *head, gint64 size)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

  g_assert_cmpint (fd, >=, 0);
  if (head != NULL)
    g_assert_cmpint (write (fd, head->data, head->len), ==, head->len);
  g_assert_cmpint (ftruncate (fd, size), ==, 0);
  close (fd);
}

static void
test_large_external (Fixture *f, gconstpointer data)
{
  const gint64 count = 5 * GIB / 8;
  g_autoptr (Msg) model = external_model (count, "w.npy", "0", NULL);

  g_file_set_contents (f->model, (const char *) model->data, model->len, NULL);
  write_hole (f->good, NULL, 5 * GIB / 2);
  check_large (f->model, 1);
}

/* The message @number around what follows: @size bytes. */
static void
put_frame (Msg *head, guint number, gint64 size)
{
  msg_varint (head, number << 3 | 2);
  msg_varint (head, size);
}

/* One initializer of 2.5 GB inside the file. */
static void
test_large_inside (Fixture *f, gconstpointer data)
{
  const gint64 count = 5 * GIB / 8;
  g_autoptr (Msg) head = msg_new (), graph = graph_new ();
  g_autoptr (Msg) tensor = tensor_new ("w", 1, 1, &count);
  Msg *opset = msg_new ();
  gint64 raw = count * 4;

  msg_take (graph, 1, node_new ("Relu", "w", NULL, "y"));
  put_frame (tensor, 9, raw);
  put_frame (graph, 5, tensor->len + raw);
  g_byte_array_append (graph, tensor->data, tensor->len);
  msg_int (opset, 2, 13);
  msg_take (head, 8, opset);
  put_frame (head, 7, graph->len + raw);
  g_byte_array_append (head, graph->data, graph->len);
  write_hole (f->model, head, head->len + raw);
  check_large (f->model, 1);
}

/* Writes @n weights with holes for values, from @at of @fd (-1: nowhere) on;
 * returns where they end. */
static gint64
write_weights (int fd, int n, gint64 at)
{
  static const gint64 dims[][2] = { { 768, 3072 }, { 3072, 768 } };
  const gint64 raw = 768 * 3072 * 4;

  for (int i = 0; i < n; i++)
    {
      g_autofree char *w = g_strdup_printf ("w%d", i);
      g_autoptr (Msg) tensor = tensor_new (w, 1, 2, dims[i % 2]);
      g_autoptr (Msg) frame = msg_new ();

      put_frame (tensor, 9, raw);
      put_frame (frame, 5, tensor->len + raw);
      g_byte_array_append (frame, tensor->data, tensor->len);
      if (fd >= 0)
        g_assert_cmpint (pwrite (fd, frame->data, frame->len, at), ==,
                         frame->len);
      at += frame->len + raw;
    }
  return at;
}

/* As large as BERT-base: 46 weights of 9.4 MB in one file. */
static void
test_heap (Fixture *f, gconstpointer data)
{
  static const gint64 dims[] = { 128, 768 };
  const int n = 46;
  g_autoptr (Msg) graph = msg_new (), head = msg_new ();
  Msg *opset = msg_new ();
  gint64 size;
  int fd;

  msg_string (graph, 2, "g");
  msg_take (graph, 11, value_new ("t0", 2, dims));
  msg_take (graph, 12, value_new ("t46", 0, NULL));
  for (int i = 0; i < n; i++)
    {
      g_autofree char *a = g_strdup_printf ("t%d", i);
      g_autofree char *b = g_strdup_printf ("t%d", i + 1);
      g_autofree char *w = g_strdup_printf ("w%d", i);

      msg_take (graph, 1, node_new ("MatMul", a, w, b));
    }
  msg_int (opset, 2, 13);
  msg_take (head, 8, opset);
  put_frame (head, 7, write_weights (-1, n, graph->len));
  g_byte_array_append (head, graph->data, graph->len);
  write_hole (f->model, head, head->len);
  fd = open (f->model, O_WRONLY);
  size = write_weights (fd, n, head->len);
  g_assert_cmpint (ftruncate (fd, size), ==, 0);
  close (fd);
  g_assert_cmpint (size, >, 430000000);
  check_large (f->model, n);
}

#define ADD(name, test)                                                       \
  g_test_add ("/external/" name, Fixture, NULL, fixture_set_up, test,         \
              fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("names", test_names);
  ADD ("up", test_up);
  ADD ("symlinks", test_symlinks);
  ADD ("proc", test_proc);
  ADD ("hard-link", test_hard_link);
  ADD ("swapped", test_swapped);
  ADD ("fresh", test_fresh);
  ADD ("kinds", test_kinds);
  ADD ("copy", test_copy);
  ADD ("ranges", test_ranges);
  ADD ("large/external", test_large_external);
  ADD ("large/inside", test_large_inside);
  ADD ("large/heap", test_heap);
  return g_test_run ();
}
