/* no-memory.c: the last resort, for what is not an error of ours.
 *
 * GLib, LLVM and C++ end the process when an allocation fails. Ours that are sized
 * by an input are errors before that; of the many small ones behind them, and of
 * other people's, what can still be had is a clear end. Nothing is allocated here
 * and nothing is closed: files without a name vanish with the process, as when it
 * is killed. */
#include "config.h"

#include "cli/no-memory.h"

#include "cli/cli.h"
#include "cli/ending.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILED "failed to allocate "
#define REMEDY ": close other programs, or cut the model or the batch\n"

static void
end (const char *message)
{
  ssize_t n = write (STDERR_FILENO, message, strlen (message));

  (void) n; /* there is nobody left to tell */
  tp_cli_ending_leave (TP_EXIT_LIMIT);
}

/* GLib: "gmem.c:136: failed to allocate 40012 bytes". */
static void
take_glib (const char *domain, GLogLevelFlags level, const char *message,
           gpointer data)
{
  const char *failed = strstr (message, FAILED);
  char text[160];

  if (failed == NULL)
    {
      g_log_default_handler (domain, level, message, data);
      return;
    }
  failed += strlen (FAILED);
  snprintf (text, sizeof text, "tplan: no memory for %.40s" REMEDY, failed);
  end (text);
}

/* LLVM and C++ abort, and say no more than errno does. Any other abort is one. */
static void
take_abort (int number)
{
  if (errno == ENOMEM)
    end ("tplan: no memory for a compiler or a driver" REMEDY);
  tp_cli_ending_end_children ();
  signal (number, SIG_DFL);
}

static gboolean has_cut_json;

static void *
alloc_json (size_t size)
{
  void *memory = malloc (size);

  has_cut_json |= memory == NULL;
  return memory;
}

gboolean
tp_cli_no_memory_has_cut_json (void)
{
  return has_cut_json;
}

void
tp_cli_no_memory_catch (void)
{
  json_set_alloc_funcs (alloc_json, free);
  g_log_set_handler ("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL
                     | G_LOG_FLAG_RECURSION, take_glib, NULL);
  signal (SIGABRT, take_abort);
}
