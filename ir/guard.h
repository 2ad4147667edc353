/* guard.h: a call that ends with an error when memory runs out, and memory that
 * ends it so.
 *
 * A graph is worked on in hundreds of arrays as long as itself. What allocates
 * them here never returns %NULL: where there is no memory the call that
 * tp_guard() runs is left, through all functions between, and their g_autoptr(),
 * g_autofree and g_auto() variables are released as by a return
 * (-fexceptions). GLib's g_new() and containers end the process instead: they are
 * for what stays small however large the model.
 *
 * So whoever allocates here, or calls who does, owns by such variables, or by
 * what such a variable owns, never by a bare pointer. */
#ifndef TP_IR_GUARD_H
#define TP_IR_GUARD_H

#include <glib.h>

/**
 * tp_guard:
 * @call: what is done, with @data; owns nothing by its own variables
 * @what: what that is, "to read this model"
 *
 * Calls may be nested: the innermost of the thread ends. A thread or a child
 * process that works for @call is not guarded by it, and needs its own.
 *
 * Returns: %TRUE after @call returned. %FALSE when it was left, with
 *   %TPLAN_ERROR_MEMORY, which names the bytes: free some. What @call had put
 *   into @error before is gone.
 *
 * Thread: any.
 */
gboolean tp_guard (void (*call) (gpointer data), gpointer data,
                   const char *what, GError **error);

/* Leaves the guarded call for want of @size_bytes; without one ends the process,
 * as g_malloc() does. */
G_NORETURN void tp_guard_leave (gsize size_bytes);

/* As g_malloc_n (), g_malloc0_n (), g_realloc_n (), g_memdup2 (); g_free(). The last
 * as g_strdupv (), of strings that are short; g_strfreev (). */
void *tp_alloc (gsize n, gsize size);
void *tp_alloc0 (gsize n, gsize size);
void *tp_realloc (void *old, gsize n, gsize size);
void *tp_memdup (const void *data, gsize size_bytes);
char **tp_strdupv (const char *const *strings);

#define tp_new(Type, n) ((Type *) tp_alloc ((n), sizeof (Type)))
#define tp_new0(Type, n) ((Type *) tp_alloc0 ((n), sizeof (Type)))
#define tp_renew(Type, old, n) ((Type *) tp_realloc ((old), (n), sizeof (Type)))

#endif
