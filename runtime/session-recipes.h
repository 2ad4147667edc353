/* session-recipes.h: constants that are computed from others (ir/recipe.h), while a
 * session makes its own copies of them. */
#ifndef TP_RUNTIME_SESSION_RECIPES_H
#define TP_RUNTIME_SESSION_RECIPES_H

#include "ir/recipe.h"
#include "runtime/session.h"

/* How to make values by the kernels of the host. */
typedef struct
{
  TpRecipeMake make;
  gpointer data;
  const gint64 *used_bytes;   /* what the last call of @make took of host memory beside
                               * the values */
} TpRecipeWay;

/* Makes the values of all that the graph has: by @way where a device of @session runs
 * kernels, and the host has those; else by the references. TPLAN_ERROR_MEMORY. */
gboolean tp_session_hold_recipes (TpSession *session, const TpRecipeWay *way,
                                  GError **error);
/* While some are held: notes in start_bytes what host memory is in use. */
void tp_session_note_start (TpSession *session);
/* Lets those go that no unit behind @unit reads; also of a session that is only begun. */
void tp_session_release_recipes (TpSession *session, int unit);

#endif
