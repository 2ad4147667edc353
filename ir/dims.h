/* dims.h: symbolic dimensions and their values; as many as a model names, so where
 * there is no memory for them the guarded call is left (ir/guard.h). */
#ifndef TP_IR_DIMS_H
#define TP_IR_DIMS_H

#include <glib.h>

#include "ir/array.h"

typedef struct TpDims TpDims;

TpDims *tp_dims_new (void);
TpDims *tp_dims_ref (TpDims *dims);
void tp_dims_unref (TpDims *dims); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDims, tp_dims_unref)

/* The last value counts. */
void tp_dims_set (TpDims *dims, const char *name, gint64 value);
/* (nullable); @dims too: none. */
const gint64 *tp_dims_find (const TpDims *dims, const char *name);
/* In the order in which they were set first; @i as far as there is one. */
int tp_dims_size (const TpDims *dims);
const char *tp_dims_get_name (const TpDims *dims, int i);
/* const char*, in the order of strcmp (). */
TpArray *tp_dims_sort_names (const TpDims *dims);

#endif
