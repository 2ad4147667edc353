/* compiler.c: see compiler.h. The key of a kernel is all that decides its code:
 * versions, LLVM's file and processor, the sources of the emitter, and the kernel
 * byte for byte. What is kept names no address: objects are linked anew. */
#include "config.h"

#include "runtime/compiler.h"

#include "ir/guard.h"
#include "ir/room.h"
#include "kernel/emitter-digest.h"
#include "kernel/kernel-digest.h"
#include "runtime/children.h"
#include "runtime/forked.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Of LLVM; of an instruction while its kernel is compiled; of it as code. */
#define COMPILER_BYTES ((gint64) 32 << 20)
#define INSTR_BYTES 4096
#define CODE_BYTES 64

/* ---- the compiler there is ------------------------------------------------- */

static pthread_mutex_t known_mutex = PTHREAD_MUTEX_INITIALIZER;
static TpHome known_home;
static TpJitCompiler *known;  /* once it is, for good */
static char *absence;         /* so is why there is none */
static const char *silence;   /* (nullable) why that was not found out, the last time */

static void
lock_known (void)
{
  if (tp_home_move (&known_home))
    {
      pthread_mutex_init (&known_mutex, NULL);
      tp_home_moved (&known_home);
    }
  pthread_mutex_lock (&known_mutex);
}

enum { IDENTITY, EMITTER, LIBRARY, FILE_FACTS, N_FIELDS };

/* Fields, each ended by a NUL; NULL: it is not that, or LLVM's file has changed. */
static TpJitCompiler *
parse_compiler (const char *bytes, gsize size)
{
  const char *fields[N_FIELDS];
  g_autofree char *facts = NULL;
  const char *end = bytes + size;
  TpJitCompiler *compiler;

  for (int i = 0; i < N_FIELDS; i++)
    {
      fields[i] = bytes;
      bytes = bytes < end ? memchr (bytes, 0, end - bytes) : NULL;
      if (bytes == NULL)
        return NULL;
      bytes++;
    }
  facts = tp_jit_describe_file (fields[LIBRARY]);
  if (bytes != end || strcmp (facts, fields[FILE_FACTS]) != 0)
    return NULL;
  compiler = g_new0 (TpJitCompiler, 1);
  compiler->identity = g_strdup (fields[IDENTITY]);
  compiler->emitter = g_strdup (fields[EMITTER]);
  compiler->library = g_strdup (fields[LIBRARY]);
  return compiler;
}

static GByteArray *
print_compiler (const TpJitCompiler *compiler)
{
  g_autofree char *facts = tp_jit_describe_file (compiler->library);
  const char *const fields[N_FIELDS] = { compiler->identity, compiler->emitter,
                                         compiler->library, facts };
  GByteArray *bytes = g_byte_array_new ();

  for (int i = 0; i < N_FIELDS; i++)
    g_byte_array_append (bytes, (const guint8 *) fields[i],
                         strlen (fields[i]) + 1);
  return bytes;
}

/* Asking LLVM, in a child. */
typedef struct
{
  const TpCodeCache *cache;
  char *key;                  /* (nullable) */
  TpJitCompiler *compiler;
} Question;

static gboolean
answer (int pipe, gpointer data, GError **error)
{
  const Question *question = data;
  g_autoptr (TpJitCompiler) compiler = tp_jit_compiler_new (error);
  g_autoptr (GByteArray) bytes = NULL;

  if (compiler == NULL)
    return FALSE;
  bytes = print_compiler (compiler);
  tp_children_send (pipe, 0, bytes->data, bytes->len);
  if (question->cache != NULL && question->key != NULL)
    tp_code_cache_keep (question->cache,
                        (TpBytes){ question->key, strlen (question->key) },
                        (TpBytes){ bytes->data, bytes->len });
  return TRUE;
}

static void
take_answer (gpointer data, int number, TpArray *bytes)
{
  Question *question = data;

  g_assert (number == 0);
  question->compiler = parse_compiler (bytes->data, bytes->len);
}

static void
look_up (Question *question)
{
  g_autofree guint8 *found = NULL;
  gsize size = 0;

  if (question->cache == NULL || question->key == NULL)
    return;
  found = tp_code_cache_find (
      question->cache, (TpBytes){ question->key, strlen (question->key) },
      &size);
  if (found != NULL)
    question->compiler = parse_compiler ((const char *) found, size);
}

static TpJitCompiler *
ask (const TpCodeCache *cache)
{
  g_autofree char *facts = tp_jit_dup_facts ();
  g_autofree char *key
      = facts == NULL ? NULL
                      : g_strconcat ("compiler\n" TP_EMITTER_DIGEST "\n", facts,
                                     NULL);
  Question question = { .cache = cache, .key = key };
  const TpChildren children = { answer, take_answer, &question, 1,
                                TP_CHILDREN_SILENCE_MS };
  TpChildrenEnd end = TP_CHILDREN_DONE;
  g_autoptr (GError) error = NULL;

  look_up (&question);
  if (question.compiler == NULL)
    end = tp_children_run (&children, &error);
  if (end == TP_CHILDREN_IMPOSSIBLE)
    {
      g_clear_error (&error);
      question.compiler = tp_jit_compiler_new (&error);
    }
  if (end == TP_CHILDREN_REFUSED)
    absence = g_strdup (error->message);
  silence = error != NULL ? g_intern_string (error->message) : NULL;
  return question.compiler;
}

static void
ensure_known (gpointer cache)
{
  known = ask (cache);
}

const char *
tp_compiler_get_identity (const TpCodeCache *cache)
{
  g_autoptr (TpCodeCache) usual = NULL;
  const char *identity;

  lock_known ();
  if (known == NULL && absence == NULL && cache == NULL)
    cache = usual = tp_code_cache_open (tp_code_cache_get_place (), NULL);
  if (known == NULL && absence == NULL)
    tp_guard (ensure_known, (gpointer) cache, "to ask for LLVM", NULL);
  identity = known != NULL ? known->identity : NULL;
  pthread_mutex_unlock (&known_mutex);
  return identity;
}

const char *
tp_compiler_get_absence (void)
{
  const char *reason;

  lock_known ();
  reason = absence != NULL ? absence : silence;
  pthread_mutex_unlock (&known_mutex);
  return reason != NULL ? reason : "LLVM did not answer";
}

/* ---- kernels --------------------------------------------------------------- */

typedef struct
{
  guint8 *bytes;              /* NULL: not there yet */
  gsize size;
} Made;

/* What all children share. */
typedef struct
{
  int next;                   /* (atomic) index into @missing */
  int n_at_work;              /* (atomic) children */
} Common;

typedef struct
{
  const TpCompiler *compiler;
  const TpKernel *const *kernels;
  int n;
  char *head;                 /* of all keys; NULL: nothing is kept */
  Made *made;                 /* [kernel] */
  int *missing;               /* kernels to be compiled */
  int n_missing;
  Common *common;
  int pipe;                   /* of a child */
} Job;

static void
job_clear (Job *job)
{
  for (int i = 0; i < job->n && job->made != NULL; i++)
    g_free (job->made[i].bytes);
  g_free (job->made);
  g_free (job->missing);
  g_free (job->head);
  if (job->common != NULL)
    munmap (job->common, sizeof *job->common);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Job, job_clear)

static TpArray *
make_key (const Job *job, int kernel)
{
  g_autoptr (TpArray) key = tp_array_new (1);

  tp_array_append_vals (key, job->head, strlen (job->head) + 1);
  tp_kernel_append_bytes (job->kernels[kernel], key);
  return g_steal_pointer (&key);
}

static void
find_kept (Job *job)
{
  for (int i = 0; i < job->n; i++)
    {
      g_autoptr (TpArray) key = NULL;

      if (job->head != NULL)
        {
          key = make_key (job, i);
          job->made[i].bytes = tp_code_cache_find (
              job->compiler->cache, (TpBytes){ key->data, key->len },
              &job->made[i].size);
        }
      if (job->made[i].bytes == NULL)
        job->missing[job->n_missing++] = i;
    }
}

static void
keep (const Job *job, int kernel, const TpObject *object)
{
  g_autoptr (TpArray) key = make_key (job, kernel);

  tp_code_cache_keep (job->compiler->cache, (TpBytes){ key->data, key->len },
                      (TpBytes){ object->bytes, object->size });
}

/* ---- compiling ------------------------------------------------------------- */

static int
take_next (gpointer data)
{
  const Job *job = data;
  int next = g_atomic_int_add (&job->common->next, 1);

  return next < job->n_missing ? job->missing[next] : -1;
}

static void
send_object (gpointer data, int kernel, const TpObject *object)
{
  const Job *job = data;

  tp_children_send (job->pipe, kernel, object->bytes, object->size);
  if (job->head != NULL)
    keep (job, kernel, object);
}

/* The last one looks whether too much is kept. */
static gboolean
compile_there (int pipe, gpointer data, GError **error)
{
  Job *job = data;
  const TpJitWork work = { take_next, send_object, job, NULL };

  job->pipe = pipe;
  if (!tp_jit_compile (job->kernels, &work, error))
    return FALSE;
  if (g_atomic_int_dec_and_test (&job->common->n_at_work) && job->head != NULL)
    tp_code_cache_trim (job->compiler->cache, TP_CODE_CACHE_BYTES);
  return TRUE;
}

static void
take_object (gpointer data, int number, TpArray *bytes)
{
  Job *job = data;

  g_assert (number < job->n);
  g_free (job->made[number].bytes);
  job->made[number].size = bytes->len;
  job->made[number].bytes = tp_array_steal (bytes);
}

static void
take_object_here (gpointer data, int kernel, const TpObject *object)
{
  Job *job = data;

  job->made[kernel].bytes = tp_memdup (object->bytes, object->size);
  job->made[kernel].size = object->size;
}

/* LLVM's tables are there once a child; it takes a kernel at a time in each. */
static gint64
estimate_bytes (const Job *job)
{
  gint64 all = 0, largest = 0;

  for (int i = 0; i < job->n_missing; i++)
    {
      gint64 n_instrs = job->kernels[job->missing[i]]->n_instrs;

      all += n_instrs;
      largest = MAX (largest, n_instrs);
    }
  return COMPILER_BYTES + all * CODE_BYTES
         + MIN (all, largest * job->compiler->n_threads) * INSTR_BYTES;
}

static gboolean
is_complete (const Job *job)
{
  for (int i = 0; i < job->n; i++)
    if (job->made[i].bytes == NULL)
      return FALSE;
  return TRUE;
}

/* Some may have been made before children were silent. */
static void
look_again (Job *job)
{
  int n = 0;

  for (int i = 0; i < job->n_missing; i++)
    if (job->made[job->missing[i]].bytes == NULL)
      job->missing[n++] = job->missing[i];
  job->n_missing = n;
  g_atomic_int_set (&job->common->next, 0);
}

static gboolean
compile_here (Job *job, GError **error)
{
  const TpJitWork work = { take_next, take_object_here, job, NULL };

  look_again (job);
  return tp_jit_compile (job->kernels, &work, error);
}

static gboolean
compile_missing (Job *job, GError **error)
{
  const TpChildren children
      = { compile_there, take_object, job,
          CLAMP (job->compiler->n_threads, 1, job->n_missing),
          TP_CHILDREN_SILENCE_MS };
  g_autoptr (GError) reason = NULL;

  if (!tp_room_check (estimate_bytes (job), "to compile kernels", error))
    return FALSE;
  job->common->n_at_work = children.n_children;
  switch (tp_children_run (&children, &reason))
    {
    case TP_CHILDREN_REFUSED:
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    case TP_CHILDREN_IMPOSSIBLE:
      return compile_here (job, error);
    case TP_CHILDREN_DONE:
    case TP_CHILDREN_DIED:
      if (is_complete (job))
        return TRUE;
    }
  tp_room_set_error (estimate_bytes (job), "to compile kernels", error);
  g_prefix_error (error, "LLVM was ended, as where there is ");
  return FALSE;
}

/* ---- code ------------------------------------------------------------------ */

static TpJit *
link_made (const Job *job, GError **error)
{
  g_autofree TpObject *objects = tp_new (TpObject, job->n + 1);

  for (int i = 0; i < job->n; i++)
    objects[i] = (TpObject){ job->made[i].bytes, job->made[i].size };
  return tp_object_link (objects, job->n, error);
}

static char *
make_head (const TpCompiler *compiler)
{
  g_autofree char *facts = NULL;

  if (compiler->cache == NULL
      || tp_compiler_get_identity (compiler->cache) == NULL)
    return NULL;
  facts = tp_jit_describe_file (known->library);
  return g_strjoin ("\n", "object", PACKAGE_VERSION, TP_EMITTER_DIGEST,
                    known->emitter, known->identity, facts, NULL);
}

TpJit *
tp_compiler_make (const TpCompiler *compiler, const TpKernel *const *kernels,
                  int n, GError **error)
{
  g_auto (Job) job = { .compiler = compiler, .kernels = kernels, .n = n };

  job.made = tp_new0 (Made, n + 1);
  job.missing = tp_new (int, n + 1);
  job.head = make_head (compiler);
  job.common = mmap (NULL, sizeof *job.common, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (job.common == MAP_FAILED)
    {
      job.common = NULL;
      tp_room_set_error (sizeof *job.common, "to compile kernels", error);
      return NULL;
    }
  find_kept (&job);
  if (job.n_missing > 0 && !compile_missing (&job, error))
    return NULL;
  return link_made (&job, error);
}
