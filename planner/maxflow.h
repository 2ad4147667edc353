/* maxflow.h: minimum cuts of capacitated graphs with two terminals.
 *
 * Deterministic: equal calls give equal flows. Capacities are >= 0. The caller
 * sees to it that all capacities that can be on one finite cut add up to less
 * than 2^62, so that no residual overflows. */
#ifndef TP_PLANNER_MAXFLOW_H
#define TP_PLANNER_MAXFLOW_H

#include <glib.h>

typedef struct TpFlow TpFlow;

/* @n_vertices: without the two terminals. */
TpFlow *tp_flow_new (int n_vertices);
void tp_flow_free (TpFlow *flow);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpFlow, tp_flow_free)

/* Adds to the capacities of the arcs source->v and v->sink. */
void tp_flow_add_terminal (TpFlow *flow, int v, gint64 from_source,
                           gint64 to_sink);
/* Adds the arcs u->v and v->u. Pairs are numbered in order of adding. */
void tp_flow_add_pair (TpFlow *flow, int u, int v, gint64 capacity,
                       gint64 reverse);

/* Arc scans per vertex and arc that the first method may use before the second
 * takes over. 0: only the second. Results are equal but for which of several
 * maximum flows is found. */
#define TP_FLOW_EFFORT 64
void tp_flow_set_effort (TpFlow *flow, gint64 scans_per_item);

/* Finds a maximum flow and returns its value. Once. */
gint64 tp_flow_solve (TpFlow *flow);
/* Whether the second method was needed. */
gboolean tp_flow_has_switched (const TpFlow *flow);

/* After solve: a copy, with the flow found. Capacities may then be raised, and the
 * flow, which still fits, be carried on to a maximum: its value. */
TpFlow *tp_flow_dup (const TpFlow *flow);
void tp_flow_raise_terminal (TpFlow *flow, int v, gint64 from_source,
                             gint64 to_sink);
void tp_flow_raise_pair (TpFlow *flow, int pair, gint64 capacity,
                         gint64 reverse);
gint64 tp_flow_resume (TpFlow *flow);

/* Likewise other capacities, of all terminals and pairs: nothing flows until the flow is
 * carried on. */
void tp_flow_set_terminal (TpFlow *flow, int v, gint64 from_source,
                           gint64 to_sink);
void tp_flow_set_pair (TpFlow *flow, int pair, gint64 capacity,
                       gint64 reverse);

/* After solve: net flow of pair @pair in the direction u->v. */
gint64 tp_flow_get_pair (const TpFlow *flow, int pair);
void tp_flow_get_terminal (const TpFlow *flow, int v, gint64 *out_from_source,
                           gint64 *out_to_sink);

/* After solve: frees what only a search needs. Nothing is asked for then but
 * tp_flow_get_pair() and tp_flow_get_terminal(). */
void tp_flow_settle (TpFlow *flow);

/* After solve: @out_is_sink[v] is set for the vertices that can still reach the
 * sink: of all minimum cuts the one with the smallest sink side; unique,
 * whatever flow was found. */
void tp_flow_get_sink_side (const TpFlow *flow, guint8 *out_is_sink);

#endif
