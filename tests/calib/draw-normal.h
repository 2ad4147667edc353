/* draw-normal.h: noise for figures made up by tests. */
#ifndef TP_TEST_DRAW_NORMAL_H
#define TP_TEST_DRAW_NORMAL_H

#include <glib.h>

/* Of a normal distribution, nearly: twelve of a uniform one. */
static inline double
tp_test_draw_normal (double sd)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += g_test_rand_double ();
  return sum * sd;
}

#endif
