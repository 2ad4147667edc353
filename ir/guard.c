/* guard.c: protected calls, as Lua has them, but the frames between are unwound:
 * the way pthread_cancel() takes. The stop function is asked before each frame
 * is left, and jumps once all are that @call stands on. */
#include "config.h"

#include "ir/guard.h"

#include "ir/room.h"

#include <setjmp.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

typedef struct Guard Guard;
struct Guard
{
  Guard *outer;
  pid_t process;              /* a child forked from @call is not in it */
  gsize size_bytes;           /* that could not be had */
  struct _Unwind_Exception exception;
  jmp_buf env;
};

static _Thread_local Guard *innermost;

/* Stacks grow down: a frame that begins above @guard called tp_guard(). */
static _Unwind_Reason_Code
stop (int version, _Unwind_Action actions, _Unwind_Exception_Class type,
      struct _Unwind_Exception *exception, struct _Unwind_Context *context,
      void *guard)
{
  if ((actions & _UA_END_OF_STACK) != 0
      || _Unwind_GetCFA (context) > (guintptr) guard)
    longjmp (((Guard *) guard)->env, 1);
  return _URC_NO_REASON;
}

__attribute__ ((noinline)) gboolean
tp_guard (void (*call) (gpointer data), gpointer data, const char *what,
          GError **error)
{
  Guard guard = { .outer = innermost, .process = getpid () };

  if (setjmp (guard.env) == 0)
    {
      innermost = &guard;
      call (data);
      innermost = guard.outer;
      return TRUE;
    }
  innermost = guard.outer;
  g_clear_error (error);
  tp_room_set_error (guard.size_bytes, what, error);
  return FALSE;
}

void
tp_guard_leave (gsize size_bytes)
{
  if (innermost == NULL || innermost->process != getpid ())
    g_log ("GLib", G_LOG_LEVEL_ERROR, /* so that who looks for it sees it */
           "%s: failed to allocate %" G_GSIZE_FORMAT " bytes", G_STRLOC,
           size_bytes);
  innermost->size_bytes = size_bytes;
  _Unwind_ForcedUnwind (&innermost->exception, stop, innermost);
  g_assert_not_reached (); /* there is no way up without @innermost */
}

static gsize
count_bytes (gsize n, gsize size)
{
  if (size != 0 && n > G_MAXSIZE / size)
    tp_guard_leave (G_MAXSIZE);
  return n * size;
}

static void *
check (void *block, gsize size_bytes)
{
  if (block == NULL && size_bytes > 0)
    tp_guard_leave (size_bytes);
  tp_room_ask_large_pages (block, size_bytes);
  return block;
}

void *
tp_alloc (gsize n, gsize size)
{
  gsize size_bytes = count_bytes (n, size);

  return check (g_try_malloc (size_bytes), size_bytes);
}

void *
tp_alloc0 (gsize n, gsize size)
{
  gsize size_bytes = count_bytes (n, size);

  return check (g_try_malloc0 (size_bytes), size_bytes);
}

void *
tp_realloc (void *old, gsize n, gsize size)
{
  gsize size_bytes = count_bytes (n, size);

  return check (g_try_realloc (old, size_bytes), size_bytes);
}

void *
tp_memdup (const void *data, gsize size_bytes)
{
  void *copy = data == NULL ? NULL : tp_alloc (size_bytes, 1);

  if (copy != NULL)
    memcpy (copy, data, size_bytes);
  return copy;
}

char **
tp_strdupv (const char *const *strings)
{
  gsize n = strings == NULL ? 0 : g_strv_length ((char **) strings);
  char **copy = strings == NULL ? NULL : tp_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    copy[i] = g_strdup (strings[i]);
  return copy;
}
