/* render.h: DOT text to SVG or PNG, through libgvc. */
#ifndef TP_VIEW_RENDER_H
#define TP_VIEW_RENDER_H

#include "include/tplan.h"

/* @format: "svg" or "png". Laid out in a child process with a time limit. */
GBytes *tp_view_render (const char *dot, const char *format, gint64 limit_ns,
                        GError **error);

#endif
