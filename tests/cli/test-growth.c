/* test-growth.c: a model ten times as large takes about ten times the time of the
 * processor and the memory, whatever it is large of.
 *
 * Both are of a whole command, as the system counts them. Other programs still have
 * to do with it (they share caches, and cores), so the small model and the large one
 * are run one after the other, again where they are above the bound: something
 * quadratic takes a hundred times as long in every try. */
#include "config.h"

#include "tests/ir/onnx-bytes.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 10
#define MOST 15               /* times as much */
#define FLOOR_USEC 15000      /* what is less is taken for this */
#define FLOOR_KIB 2048
#define TRIES 12
#define DOMAIN "local"
#define DEPTH 30              /* of functions; 32 is the limit */

typedef struct
{
  const char *name;
  const char *file;
  int n;
  void (*write) (GByteArray *out, int n);
} Family;

typedef struct
{
  gint64 time_usec;           /* of the processor */
  gint64 memory_kib;          /* at most at a time */
} Usage;

/* ---- models in JSON ------------------------------------------------------ */

G_GNUC_PRINTF (2, 3)
static void
put (GByteArray *out, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_byte_array_append (out, (const guint8 *) text, strlen (text));
}

static const char *
comma (int i)
{
  return i == 0 ? "" : ",";
}

static void
begin (GByteArray *out, const char *input)
{
  put (out, "{\"format\":\"tplan-graph/1\",\"opset\":17,\"inputs\":"
            "[{\"name\":\"%s\",\"shape\":[4,4]}],", input);
}

static void
put_op (GByteArray *out, int i, const char *type, const char *in,
        const char *result)
{
  put (out, "%s{\"type\":\"%s\",\"inputs\":[%s],\"outputs\":[\"%s\"]}",
       comma (i), type, in, result);
}

/* One after the other; @name gives the name of a tensor. */
static void
write_line (GByteArray *out, int n, char *(*name) (int i))
{
  g_autofree char *first = name (0), *last = name (n);

  begin (out, first);
  put (out, "\"outputs\":[\"%s\"],\"ops\":[", last);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = name (i), *result = name (i + 1);
      g_autofree char *quoted = g_strdup_printf ("\"%s\"", in);

      put_op (out, i, i % 2 ? "Tanh" : "Sigmoid", quoted, result);
    }
  put (out, "]}");
}

static char *
name_plainly (int i)
{
  return g_strdup_printf ("t%d", i);
}

/* All names have one value of djb2, which is g_str_hash (): "ab" and "bA" have. */
static char *
name_alike (int i)
{
  GString *name = g_string_new (NULL);

  for (int bit = 0; bit < 20; bit++)
    g_string_append (name, (i >> bit) & 1 ? "ab" : "bA");
  return g_string_free (name, FALSE);
}

static void
write_chain (GByteArray *out, int n)
{
  write_line (out, n, name_plainly);
}

static void
write_alike (GByteArray *out, int n)
{
  write_line (out, n, name_alike);
}

static void
write_fan (GByteArray *out, int n)
{
  begin (out, "x");
  put (out, "\"outputs\":[");
  for (int i = 0; i < n; i++)
    put (out, "%s\"t%d\"", comma (i), i);
  put (out, "],\"ops\":[");
  for (int i = 0; i < n; i++)
    {
      g_autofree char *result = name_plainly (i);

      put_op (out, i, i % 2 ? "Tanh" : "Sigmoid", "\"x\"", result);
    }
  put (out, "]}");
}

static void
write_initializers (GByteArray *out, int n)
{
  begin (out, "t0");
  put (out, "\"outputs\":[\"t%d\"],\"initializers\":[", n);
  for (int i = 0; i < n; i++)
    put (out, "%s{\"name\":\"c%d\",\"shape\":[4],\"data\":[1,2,3,%d]}",
         comma (i), i, i);
  put (out, "],\"ops\":[");
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = g_strdup_printf ("\"t%d\",\"c%d\"", i, i);
      g_autofree char *result = name_plainly (i + 1);

      put_op (out, i, i % 2 ? "Add" : "Mul", in, result);
    }
  put (out, "]}");
}

/* Each MatMul is a kernel together with what follows. */
static void
write_groups (GByteArray *out, int n)
{
  begin (out, "t0");
  put (out, "\"outputs\":[\"t%d\"],\"initializers\":[{\"name\":\"w\","
            "\"shape\":[4,4],\"fill\":0.1}],\"ops\":[", n);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = g_strdup_printf ("\"t%d\"%s", i,
                                             i % 3 == 0 ? ",\"w\"" : "");
      g_autofree char *result = name_plainly (i + 1);

      put_op (out, i, i % 3 == 0 ? "MatMul" : i % 3 == 1 ? "Relu" : "Tanh",
              in, result);
    }
  put (out, "]}");
}

static void
write_dims (GByteArray *out, int n)
{
  put (out, "{\"format\":\"tplan-graph/1\",\"opset\":17,\"dims\":{");
  for (int i = 0; i < n; i++)
    put (out, "%s\"N%d\":4", comma (i), i);
  put (out, "},\"inputs\":[");
  for (int i = 0; i < n; i++)
    put (out, "%s{\"name\":\"x%d\",\"shape\":[\"N%d\"]}", comma (i), i, i);
  put (out, "],\"outputs\":[");
  for (int i = 0; i < n; i++)
    put (out, "%s\"t%d\"", comma (i), i);
  put (out, "],\"ops\":[");
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = g_strdup_printf ("\"x%d\"", i);
      g_autofree char *result = name_plainly (i);

      put_op (out, i, "Tanh", in, result);
    }
  put (out, "]}");
}

/* ---- models with functions ------------------------------------------------ */

static Msg *
call_new (const char *name, const char *in, const char *result)
{
  Msg *node = node_new (name, in, NULL, result);

  msg_string (node, 7, DOMAIN);
  return node;
}

/* y of x by way of h: @first, a function if @calls, and an op of ONNX. */
static Msg *
function_new (const char *name, const char *first, gboolean calls)
{
  Msg *function = msg_new ();

  msg_string (function, 1, name);
  msg_string (function, 4, "x");
  msg_string (function, 5, "y");
  msg_string (function, 10, DOMAIN);
  msg_take (function, 7, calls ? call_new (first, "x", "h")
                               : node_new (first, "x", NULL, "h"));
  msg_take (function, 7, node_new ("Tanh", "h", NULL, "y"));
  return function;
}

/* Calls functions f0 to f@n_functions, round and round, @n times. */
static void
write_calls (GByteArray *out, int n, int n_functions, gboolean is_nested)
{
  static const gint64 dims[] = { 4, 4 };
  Msg *graph = msg_new ();
  g_autofree char *last = name_plainly (n);
  g_autoptr (Msg) model = NULL;

  msg_string (graph, 2, "g");
  msg_take (graph, 11, value_new ("t0", 2, dims));
  msg_take (graph, 12, value_new (last, 0, NULL));
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = name_plainly (i), *result = name_plainly (i + 1);
      g_autofree char *name = g_strdup_printf (
          "f%d", is_nested ? n_functions - 1 : i % n_functions);

      msg_take (graph, 1, call_new (name, in, result));
    }
  model = model_new (graph);
  for (int i = 0; i < n_functions; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%d", i);
      g_autofree char *inner = g_strdup_printf ("f%d", i - 1);
      gboolean calls = is_nested && i > 0;

      msg_take (model, 25,
                function_new (name, calls ? inner : "Sigmoid", calls));
    }
  g_byte_array_append (out, model->data, model->len);
}

static void
write_functions (GByteArray *out, int n)
{
  write_calls (out, n, n, FALSE);
}

static void
write_same_function (GByteArray *out, int n)
{
  write_calls (out, n, 1, FALSE);
}

static void
write_nested (GByteArray *out, int n)
{
  write_calls (out, n / DEPTH, DEPTH, TRUE);
}

/* Each on the other device than the one before: a copy after every op. */
static void
write_copies (GByteArray *out, int n)
{
  begin (out, "x");
  put (out, "\"outputs\":[\"t%d\"],\"ops\":[", n - 1);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = i == 0 ? g_strdup ("x") : name_plainly (i - 1);

      put (out, "%s{\"type\":\"F\",\"inputs\":[\"%s\"],\"outputs\":"
                "[\"t%d\"],\"shapes\":[[4,4]],\"cost\":{"
                "\"sim:desktop-cpu\":%d,\"sim:laptop-gpu\":%d}}",
           comma (i), in, i, i % 2 ? 1000 : 900000, i % 2 ? 900000 : 1000);
    }
  put (out, "]}");
}

/* A few ops that read them all. */
static void
write_wide (GByteArray *out, int n)
{
  begin (out, "x");
  put (out, "\"outputs\":[\"c0\",\"c1\",\"c2\",\"c3\"],\"ops\":[");
  for (int i = 0; i < n; i++)
    {
      g_autofree char *result = name_plainly (i);

      put_op (out, i, "Relu", "\"x\"", result);
    }
  for (int k = 0; k < 4; k++)
    {
      put (out, ",{\"type\":\"Concat\",\"attrs\":{\"axis\":0},\"inputs\":[");
      for (int i = 0; i < n; i++)
        put (out, "%s\"t%d\"", comma (i), i);
      put (out, "],\"outputs\":[\"c%d\"]}", k);
    }
  put (out, "]}");
}

static const Family families[] = {
  { "chain", "m.json", 1000, write_chain },
  { "alike", "m.json", 1000, write_alike },
  { "fan", "m.json", 1000, write_fan },
  { "initializers", "m.json", 1000, write_initializers },
  { "groups", "m.json", 999, write_groups },
  { "dims", "m.json", 1000, write_dims },
  { "copies", "m.json", 2000, write_copies },
  /* beyond, margins and moves of all ops are the most: each is a look at what all share
   * (planner/maxflow-force.c, planner/judge.c), up to a number of steps */
  { "wide", "m.json", 60, write_wide },
  { "functions", "m.onnx", 500, write_functions },
  { "same-function", "m.onnx", 500, write_same_function },
  { "nested", "m.onnx", 900, write_nested },
};

/* ---- commands ------------------------------------------------------------- */

#define OPTIMIZE 1 /* of commands */

static const char *const commands[][10] = {
  { "info", "MODEL" },
  { "optimize", "MODEL", "-d", "sim:desktop-cpu,sim:laptop-gpu", "-qfo",
    "plan.json" },
  { "check", "plan.json" },
  { "explain", "plan.json", "-q" },
  { "view", "plan.json", "-qfo", "plan.dot" },
  { "report", "plan.json", "-qfo", "plan.html" },
  { "check", "--placement=plan.json", "MODEL", "-qd", "sim:desktop-cpu,sim:laptop-gpu" },
  { "convert", "MODEL", "-fo", "copy.json" },
  { "convert", "MODEL", "-fo", "copy.onnx" },
};

G_NORETURN static void
run_in_child (const char *const *command, const char *model)
{
  const char *args[12] = { g_getenv ("TPLAN") };
  int nowhere = open ("/dev/null", O_WRONLY);

  for (int i = 0; command[i] != NULL; i++)
    args[i + 1] = g_str_equal (command[i], "MODEL") ? model : command[i];
  dup2 (nowhere, STDOUT_FILENO);
  execv (args[0], (char **) args);
  _exit (127);
}

static Usage
run (const char *const *command, const char *model)
{
  struct rusage usage;
  pid_t pid = fork ();
  int status;

  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    run_in_child (command, model);
  g_assert_cmpint (wait4 (pid, &status, 0, &usage), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  return (Usage){
    (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC
        + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec,
    usage.ru_maxrss,
  };
}

static void
write_model (const Family *family, int n, const char *path)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  family->write (bytes, n);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data,
                                      bytes->len, NULL));
}

/* What the program takes for a model of one op. */
static gint64
get_base_kib (void)
{
  static gint64 base;
  static const char *const info[] = { "info", "MODEL", NULL };

  if (base == 0)
    {
      write_model (&families[0], 1, "base.json");
      base = run (info, "base.json").memory_kib;
      g_remove ("base.json");
    }
  return base;
}

static gboolean
is_in_proportion (Usage small, Usage large)
{
  gint64 base = get_base_kib ();

  return large.time_usec <= MOST * MAX (small.time_usec, FLOOR_USEC)
         && large.memory_kib - base
                <= MOST * MAX (small.memory_kib - base, FLOOR_KIB);
}

/* Those that read what optimize left. */
static gboolean
is_of_plan (const char *const *command)
{
  return strstr (command[1], "plan.json") != NULL;
}

static Usage
run_for (const char *const *command, const char *model)
{
  if (is_of_plan (command))
    run (commands[OPTIMIZE], model);
  return run (command, model);
}

static gboolean
test_command (const char *const *command, const char *small_path,
              const char *large_path)
{
  gboolean is_fine = FALSE;

  for (int k = 0; k < TRIES && !is_fine; k++)
    {
      Usage small = run_for (command, small_path);
      Usage large = run_for (command, large_path);

      is_fine = is_in_proportion (small, large);
      g_test_message ("%s: %d us and %d KiB, then %d us and %d KiB", command[0],
                      (int) small.time_usec, (int) small.memory_kib,
                      (int) large.time_usec, (int) large.memory_kib);
    }
  return is_fine;
}

static void
test_family (gconstpointer data)
{
  const Family *family = data;
  const char *suffix = strchr (family->file, '.');
  g_autofree char *small_path = g_strconcat ("small", suffix, NULL);
  g_autofree char *large_path = g_strconcat ("large", suffix, NULL);

  write_model (family, family->n, small_path);
  write_model (family, family->n * TIMES, large_path);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (!test_command (commands[i], small_path, large_path))
      g_test_fail_printf ("%s grows faster than the model", commands[i][0]);
}

static char *
enter_folder (void)
{
  char *folder = g_dir_make_tmp ("tplan-growth-XXXXXX", NULL);

  g_assert_nonnull (folder);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  g_setenv ("HOME", folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("TPLAN_COST", "cost.db", TRUE);
  g_unsetenv ("TPLAN_DEVICES");
  return folder;
}

static void
leave_folder (const char *folder)
{
  static const char *const files[]
      = { "small.json", "large.json", "small.onnx", "large.onnx",
          "plan.json",  "plan.dot",   "plan.html",  "copy.json",
          "copy.onnx",  "cost.db" };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    g_remove (files[i]);
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("ASAN_OPTIONS") != NULL)
    {
      g_print ("1..0 # SKIP a sanitizer takes memory of its own\n");
      return 0;
    }
  folder = enter_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autofree char *path = g_strconcat ("/growth/", families[i].name, NULL);

      g_test_add_data_func (path, &families[i], test_family);
    }
  status = g_test_run ();
  leave_folder (folder);
  return status;
}
