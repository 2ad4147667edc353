/* run-errors.h: how far the outputs of a run are from the references in double, and how
 * far they may be. */
#ifndef TP_CLI_RUN_ERRORS_H
#define TP_CLI_RUN_ERRORS_H

#include "ir/graph.h"

#define TP_RUN_LIMIT 1e-4     /* what is let pass whatever rounding can do */
#define TP_RUN_ROUNDINGS 8    /* and of a single op */
#define TP_RUN_RELAXED 10     /* both, times that, where larger errors are allowed */
#define TP_RUN_DERIVED (-G_MAXDOUBLE) /* no limit was given */

/* What an element may be off: @limit of itself, or more where rounding can do it. */
typedef struct
{
  double limit;
  double rounding_rel, rounding_abs; /* the lesser counts; 0: unknown */
  double n_roundings;         /* of the tensor's largest value, which are let pass */
} TpRunBounds;

/* How far outputs are from the references in double. */
typedef struct
{
  TpRunBounds bounds;
  double max_abs_error;
  double max_rel_error;       /* |got - want| / max (|want|, largest |want| of
                               * the tensor / 100, least normal number), where it is
                               * the farthest beyond what it may be */
  double limit;               /* which is that, of the same element */
  gint64 n_flushed;           /* denormals that came out as 0: no error */
  const char *worst_op;       /* the producer of the worst output; (unowned) */
  const char *worst_output;
} TpRunErrors;

/* "good: relative error 1e-07 (limit 0.0001), ..."; g_free (). */
char *tp_run_errors_format (const TpRunErrors *errors);

/* What came out for @tensor. */
typedef struct
{
  const TpTensor *tensor;
  TpDtype dtype;              /* of the values: the tensor's, or double */
  const void *values;         /* row-major */
  const char *op;             /* the producer */
  double rounding;            /* of the coarsest type that it read, or 0 */
} TpRunAnswer;

/* Compares @got with @want; keeps the worst in @errors. */
void tp_run_errors_add (TpRunErrors *errors, const TpRunAnswer *got,
                        const double *want);
gboolean tp_run_errors_are_good (const TpRunErrors *errors);
/* Adds the errors of another tensor. */
void tp_run_errors_join (TpRunErrors *errors, const TpRunErrors *other);

/* Raises @each, one per output, to what rounding can do to it: the references are
 * run four more times. @wanted: what they give for @inputs. */
gboolean tp_run_bounds_find (const TpGraph *graph,
                             const double *const *inputs,
                             const GPtrArray *wanted, TpRunBounds *each,
                             GError **error);

#endif
