/* region.h: memory that is freed all at once, with a budget.
 *
 * What a reader makes from a file lives in one region, so that a file cannot
 * make the program take more than a known multiple of its size. */
#ifndef TP_IR_REGION_H
#define TP_IR_REGION_H

#include "ir/types.h"

typedef struct TpRegion TpRegion;

#define TP_REGION_NO_BUDGET G_MAXINT64

TpRegion *tp_region_new (gint64 budget_bytes);
TpRegion *tp_region_ref (TpRegion *region);
/* Frees it once all who hold it are gone. */
void tp_region_free (TpRegion *region);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRegion, tp_region_free)

/* As it was when it was new. */
void tp_region_clear (TpRegion *region);

void tp_region_set_budget (TpRegion *region, gint64 budget_bytes);

/**
 * tp_region_alloc:
 * @n: elements, may be 0
 * @size: bytes per element
 *
 * Zeroed memory, aligned for any type of @size bytes, and to 64 bytes where it is
 * that many or more; it lives as long as @region.
 *
 * Returns: (transfer none): never %NULL unless @error is set:
 *   %TPLAN_ERROR_LIMIT: over the budget: the file is out of proportion.
 *   %TPLAN_ERROR_MEMORY: the system has none: free some.
 */
void *tp_region_alloc (TpRegion *region, gint64 n, gsize size, GError **error);
/* Likewise, beyond any budget; without memory the call is left (ir/guard.h). */
void *tp_region_take (TpRegion *region, gint64 n, gsize size);
/* A copy of @n elements of @data. */
void *tp_region_dup (TpRegion *region, const void *data, gint64 n, gsize size,
                     GError **error);
/* Not aligned. */
char *tp_region_strdup (TpRegion *region, const char *string, GError **error);

/* Calls @destroy (@data) when the region is freed. */
void tp_region_own (TpRegion *region, gpointer data, GDestroyNotify destroy);

/* Whether nobody else has a reference. */
gboolean tp_region_is_sole (const TpRegion *region);
gint64 tp_region_get_used (const TpRegion *region); /* bytes */

#endif
