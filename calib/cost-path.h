/* cost-path.h: where the cost table is when nobody says. */
#ifndef TP_CALIB_COST_PATH_H
#define TP_CALIB_COST_PATH_H

#include <glib.h>

/* $TPLAN_COST, else $XDG_STATE_HOME/tplan/cost.db, else below the home folder of
 * the user; the caller frees. */
char *tp_cost_path_choose (void);

#endif
