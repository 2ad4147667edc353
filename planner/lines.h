/* lines.h: costs that change with x along straight lines, and the cheapest placement
 * for one x. */
#ifndef TP_PLANNER_LINES_H
#define TP_PLANNER_LINES_H

#include "ir/envelope.h"
#include "planner/problem.h"

/* x = p / q, neither below 0, q not 0. */
typedef struct
{
  gint64 p, q;
} TpRatio;

/* Every figure is fixed + x * scaled: times, or what devices draw or are rented for, by
 * times that stay. What any placement costs is such a line then. */
typedef struct
{
  const TpGraph *graph;       /* (unowned), as is @groups */
  const TpGroups *groups;
  TpCosts *fixed;             /* times; NULL: rates change */
  TpCosts *scaled;            /* likewise, of the same rows: what is added may be
                               * below 0, if for no x that is asked for the sum is; where
                               * a device cannot, @fixed says so */
  const TpCosts *times;       /* (unowned) where rates change */
  TpRate *fixed_rates, *scaled_rates; /* [device]; of what is not asked for nothing is
                               * stated */
  const char *objective;      /* what is the least */
  gint64 sum;                 /* where rates change: of all times there are */
  struct TpLinesKept *kept;   /* (nullable): from one x to the next */
} TpLines;

/* Zeroed at first. */
void tp_lines_clear (TpLines *lines);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLines, tp_lines_clear)

/* Makes @fixed and @scaled for devices and ops of @costs: where a device can run an op,
 * that takes nothing, and no group can be one kernel. */
void tp_lines_init_times (TpLines *lines, const TpCosts *costs);

/* Has what is the same for all x made once, on two devices; for costs of which groups that
 * save at one x save at all. Does nothing where that is not so. */
void tp_lines_keep (TpLines *lines);

/* Whether sums of all costs remain exact with such terms. */
gboolean tp_lines_fits (const TpLines *lines, TpRatio x);

/**
 * tp_lines_place:
 * @out: all but its ends; the caller frees its devices
 * @out_is_proved: that no placement costs less for @x
 *
 * FALSE: errors are those of tp_place_with ().
 */
gboolean tp_lines_place (const TpLines *lines, TpRatio x, TpPiece *out,
                         gboolean *out_is_proved, GError **error);

#endif
