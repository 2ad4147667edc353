/* jit.c: opens the LLVM module, and describes this CPU. */
#include "config.h"

#include "kernel/jit.h"

#include "kernel/kernel-ops.h"
#include "kernel/module-dir.h"

#include <errno.h>
#include <gmodule.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the module --------------------------------------------------------- */

#define MODULE "jit-llvm.so"

static const TpJitModule *loaded_module;
static char *load_message;    /* why there is none */
static gboolean is_about_file; /* which is there, but cannot be used */

static const TpJitModule *
open_module (const char *path, char **out_message)
{
  const TpJitModule *found = NULL;
  GModule *module;
  gpointer symbol;

  module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    {
      *out_message = g_strdup (g_module_error ());
      return NULL;
    }
  if (g_module_symbol (module, "tp_jit_module", &symbol))
    found = symbol;
  if (found == NULL || found->abi != TP_JIT_ABI)
    {
      *out_message = g_strdup_printf ("'%s' is of another version", path);
      g_module_close (module);
      return NULL;
    }
  g_module_make_resident (module);
  return found;
}

/* The first that works; a message about the first that is there, or the last. */
static void
try_path (const char *path)
{
  g_autofree char *message = NULL;

  if (loaded_module != NULL)
    return;
  loaded_module = open_module (path, &message);
  if (load_message != NULL && is_about_file)
    return;
  is_about_file = g_file_test (path, G_FILE_TEST_EXISTS);
  g_free (load_message);
  load_message = g_steal_pointer (&message);
}

/* In $TPLAN_MODULE_DIR, then where it belongs. */
static char **
list_paths (void)
{
  const char *dir = secure_getenv ("TPLAN_MODULE_DIR");
  g_auto (GStrv) dirs = tp_module_dir_list ();
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  if (dir != NULL)
    g_ptr_array_add (paths, g_build_filename (dir, MODULE, NULL));
  for (int i = 0; dirs[i] != NULL; i++)
    g_ptr_array_add (paths, g_build_filename (dirs[i], MODULE, NULL));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&paths), FALSE);
}

/* Stays for good: LLVM cannot be unloaded. */
static void
load_module (void)
{
  g_auto (GStrv) paths = list_paths ();

  for (int i = 0; paths[i] != NULL; i++)
    try_path (paths[i]);
}

static const TpJitModule *
get_module (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, load_module);
  return loaded_module;
}

/* --- code --------------------------------------------------------------- */

static void
set_missing (GError **error)
{
  if (strstr (load_message, g_strerror (EMFILE)) != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                   "no LLVM module for the cpu device: %s; close some, or "
                   "raise the limit by `ulimit -n 1024`", load_message);
      return;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "no LLVM module for the cpu device: %s; install it or set "
               "TPLAN_MODULE_DIR",
               load_message);
}

gboolean
tp_jit_compile (const TpKernel *const *kernels, const TpJitWork *work,
                GError **error)
{
  const TpJitModule *module = get_module ();
  g_autofree char *message = NULL;

  if (module == NULL)
    {
      set_missing (error);
      return FALSE;
    }
  if (module->compile (kernels, work, &message))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "LLVM cannot compile a kernel: %s",
               message != NULL ? message : "no reason given");
  return FALSE;
}

/* All kernels in turn, in one thread. */
typedef struct
{
  int n, next;
  GByteArray **objects;
} InTurn;

static int
take_next (gpointer data)
{
  InTurn *turn = data;

  return turn->next < turn->n ? turn->next++ : -1;
}

static void
keep_object (gpointer data, int kernel, const TpObject *object)
{
  InTurn *turn = data;

  turn->objects[kernel] = g_byte_array_sized_new (object->size);
  g_byte_array_append (turn->objects[kernel], object->bytes, object->size);
}

TpJit *
tp_jit_new (const TpKernel *const *kernels, int n_kernels, GError **error)
{
  g_autofree GByteArray **kept = g_new0 (GByteArray *, n_kernels + 1);
  g_autofree TpObject *objects = g_new0 (TpObject, n_kernels + 1);
  InTurn turn = { n_kernels, 0, kept };
  const TpJitWork work = { take_next, keep_object, &turn, NULL };
  TpJit *jit = NULL;

  if (tp_jit_compile (kernels, &work, error))
    {
      for (int i = 0; i < n_kernels; i++)
        objects[i] = (TpObject){ kept[i]->data, kept[i]->len };
      jit = tp_object_link (objects, n_kernels, error);
    }
  for (int i = 0; i < n_kernels; i++)
    if (kept[i] != NULL)
      g_byte_array_unref (kept[i]);
  return jit;
}

void
tp_jit_free (TpJit *jit)
{
  tp_object_code_free (jit);
}

TpJitFunc
tp_jit_get (const TpJit *jit, int kernel)
{
  return (TpJitFunc) (guintptr) tp_object_code_get (jit, kernel);
}

gint64
tp_jit_local_bytes (const TpKernel *kernel)
{
  gint64 bytes = 0;

  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_LOCAL)
      bytes += (tp_kernel_buffer_get_bytes (&kernel->buffers[i]) + 63) / 64
               * 64;
  return bytes;
}

const char *
tp_jit_get_identity (void)
{
  const TpJitModule *module = get_module ();

  return module != NULL ? module->get_identity () : NULL;
}

TpJitCompiler *
tp_jit_compiler_new (GError **error)
{
  const TpJitModule *module = get_module ();
  TpJitCompiler *compiler;

  if (module == NULL)
    {
      set_missing (error);
      return NULL;
    }
  compiler = g_new0 (TpJitCompiler, 1);
  compiler->identity = g_strdup (module->get_identity ());
  compiler->emitter = g_strdup (module->emitter);
  compiler->library = g_strdup (module->get_library ());
  return compiler;
}

void
tp_jit_compiler_free (TpJitCompiler *compiler)
{
  if (compiler == NULL)
    return;
  g_free (compiler->identity);
  g_free (compiler->emitter);
  g_free (compiler->library);
  g_free (compiler);
}

/* --- what decides it ------------------------------------------------------ */

char *
tp_jit_describe_file (const char *path)
{
  struct stat info;

  if (stat (path, &info) != 0)
    return g_strconcat (path, " none\n", NULL);
  return g_strdup_printf ("%s %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT
                          " %" G_GINT64_FORMAT ".%ld %" G_GINT64_FORMAT
                          ".%ld\n",
                          path, (gint64) info.st_size, (guint64) info.st_ino,
                          (gint64) info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                          (gint64) info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

/* What does not change from one core, or one moment, to the next. */
static gboolean
tells_cpu (const char *line)
{
  static const char *const names[]
      = { "vendor_id", "cpu family", "model", "stepping", "microcode", "flags",
          "Features", "CPU " };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_prefix (line, names[i]))
      return TRUE;
  return FALSE;
}

char *
tp_jit_dup_facts (void)
{
  g_autoptr (GString) facts = g_string_new (PACKAGE_VERSION "\n");
  g_auto (GStrv) paths = list_paths ();
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  char *end;

  for (int i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *file = tp_jit_describe_file (paths[i]);

      g_string_append (facts, file);
    }
  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return NULL;
  end = strstr (text, "\n\n"); /* of the first core */
  if (end != NULL)
    *end = 0;
  lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    if (tells_cpu (lines[i]))
      g_string_append_printf (facts, "%s\n", lines[i]);
  return g_string_free (g_steal_pointer (&facts), FALSE);
}

/* --- the CPU ------------------------------------------------------------ */

static gint64
cache_bytes (int name, gint64 otherwise)
{
  long size = sysconf (name);

  return size > 0 ? size : otherwise;
}

static void
describe_vectors (TpTarget *target)
{
  target->has_float64 = TRUE;
  target->lanes = 4;
  target->n_registers = 16;
#ifdef __x86_64__
  __builtin_cpu_init ();
  if (__builtin_cpu_supports ("avx512f"))
    {
      target->lanes = 16;
      target->n_registers = 32;
    }
  else if (__builtin_cpu_supports ("avx"))
    target->lanes = 8;
#else
  target->n_registers = 32;
#endif
}

void
tp_jit_describe_cpu (TpTarget *target)
{
  describe_vectors (target);
  target->l1_bytes = cache_bytes (_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  target->l2_bytes = cache_bytes (_SC_LEVEL2_CACHE_SIZE, 256 << 10);
  target->local_size = 1;
  target->local_bytes = 4 * target->l2_bytes;
}

static char *
read_model (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  const char *value;

  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines != NULL && lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "model name")
        && (value = strchr (lines[i], ':')) != NULL)
      return g_strstrip (g_strdup (value + 1));
  return g_strdup ("unknown cpu");
}

static char *cpu;

static void
describe_cpu (void)
{
  g_autofree char *model = read_model ();
  TpTarget target = { 0 };

  tp_jit_describe_cpu (&target);
  cpu = g_strdup_printf ("%s, %d x %d floats, L1 %" G_GINT64_FORMAT
                         " L2 %" G_GINT64_FORMAT,
                         model, target.n_registers, target.lanes,
                         target.l1_bytes, target.l2_bytes);
}

const char *
tp_jit_get_cpu (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, describe_cpu);
  return cpu;
}
