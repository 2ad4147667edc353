/* test-frontier.c: points in a picture: all of them, inside it, in their order. */
#include "config.h"

#include "view/frontier.h"

#include <string.h>

#define MAX_POINTS 32

/* What was met in the text of a picture. */
typedef struct
{
  int n_circles, n_lines;
  double x[MAX_POINTS], y[MAX_POINTS];
  GString *texts;
} Picture;

/* @key="12.34" */
static double
get_number (const char *text, const char *key)
{
  const char *at = strstr (text, key);

  g_assert_nonnull (at);
  return g_ascii_strtod (at + strlen (key), NULL);
}

static void
find_circles (Picture *picture, const char *svg)
{
  const char *at = svg;

  while ((at = strstr (at, "<circle ")) != NULL)
    {
      g_assert_cmpint (picture->n_circles, <, MAX_POINTS);
      picture->x[picture->n_circles] = get_number (at, "cx=\"");
      picture->y[picture->n_circles++] = get_number (at, "cy=\"");
      at++;
    }
}

static void
meet_text (GMarkupParseContext *context, const char *text, gsize length,
           gpointer data, GError **error)
{
  g_string_append_len (((Picture *) data)->texts, text, length);
}

static char *
format (double value)
{
  return g_strdup_printf ("%.4g <s>", value);
}

/* What is to be shown beside them; the number of lines is counted. */
static void
draw_frontier (Picture *picture, const TpFrontier *frontier, int width)
{
  static const GMarkupParser parser = { .text = meet_text };
  g_autofree char *svg = tp_view_frontier_to_svg (frontier);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMarkupParseContext) context
      = g_markup_parse_context_new (&parser, 0, picture, NULL);

  *picture = (Picture){ .texts = g_string_new (NULL) };
  g_markup_parse_context_parse (context, svg, -1, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  find_circles (picture, svg);
  for (const char *at = svg; (at = strstr (at, "class=\"line\"")) != NULL; at++)
    picture->n_lines++;
  g_assert_cmpint (picture->n_circles, ==, frontier->n);
  for (int i = 0; i < frontier->n; i++)
    {
      g_assert_cmpfloat (picture->x[i], >=, 0);
      g_assert_cmpfloat (picture->x[i], <=, width);
      g_assert_cmpfloat (picture->y[i], >=, 0);
      g_assert_cmpfloat (picture->y[i], <=, 480);
    }
}

static void
draw (Picture *picture, const char *title, int n, const double *x,
      const double *y)
{
  const TpFrontier frontier
      = { .title = title, .x_name = "x & x", .y_name = "y", .n = n,
          .x = x, .y = y, .format_x = format, .format_y = format };

  draw_frontier (picture, &frontier, 720);
  g_assert_cmpint (picture->n_lines, ==, 1);
}

/* To the right what takes more of the one, and below what takes less of the other. */
static void
test_order (void)
{
  for (int round = 0; round < 100; round++)
    {
      int n = g_test_rand_int_range (2, MAX_POINTS);
      double x[MAX_POINTS], y[MAX_POINTS], at = 0;
      Picture picture;

      for (int i = 0; i < n; i++)
        {
          at += g_test_rand_double_range (1, 1000);
          x[i] = at;
          y[i] = 1e-6 / at;
        }
      draw (&picture, "points", n, x, y);
      for (int i = 1; i < n; i++)
        {
          g_assert_cmpfloat (picture.x[i], >, picture.x[i - 1]);
          g_assert_cmpfloat (picture.y[i], >=, picture.y[i - 1]);
        }
      g_string_free (picture.texts, TRUE);
    }
}

/* One point, one of nothing, and two of the same height. */
static void
test_few (void)
{
  const double cases[][2] = { { 5, 7 }, { 0, 0 }, { 1e15, 1e-15 } };
  const double x[] = { 1, 2 }, y[] = { 3, 3 };
  Picture picture;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      draw (&picture, "one", 1, &cases[i][0], &cases[i][1]);
      g_string_free (picture.texts, TRUE);
    }
  draw (&picture, "two", 2, x, y);
  g_assert_cmpfloat (picture.y[0], ==, picture.y[1]);
  g_string_free (picture.texts, TRUE);
}

/* The third is in colours, which are told; lines are those that are given. */
static void
test_colours (void)
{
  const double x[] = { 1, 2, 3 }, y[] = { 3, 2, 1 }, z[] = { 7, 0.5, 7 };
  const int lines[] = { 0, 2, 1, 2 };
  const TpFrontier frontier
      = { .title = "three", .x_name = "x", .y_name = "y", .n = 3,
          .x = x, .y = y, .format_x = format, .format_y = format,
          .z_name = "z & z", .z = z, .format_z = format,
          .n_lines = 2, .lines = lines };
  g_autofree char *svg = tp_view_frontier_to_svg (&frontier);
  const char *circles[3], *at = svg;
  Picture picture;

  draw_frontier (&picture, &frontier, 830);
  g_assert_cmpint (picture.n_lines, ==, 2);
  g_assert_nonnull (strstr (picture.texts->str, "z & z"));
  g_string_free (picture.texts, TRUE);
  for (int i = 0; i < 3; i++)
    circles[i] = at = strstr (at + 1, "<circle r=\"6\" fill=");
  g_assert_true (strncmp (circles[0], circles[2], 29) == 0);
  g_assert_false (strncmp (circles[0], circles[1], 29) == 0);
}

/* A title is text, whatever is in it. */
static void
test_strangers (void)
{
  const double x[] = { 1, 2 }, y[] = { 2, 1 };
  Picture picture;

  draw (&picture, "</text><circle/>&\x1b[2J\"model\"", 2, x, y);
  g_assert_nonnull (strstr (picture.texts->str, "</text><circle/>&"));
  g_assert_null (strchr (picture.texts->str, '\x1b'));
  g_assert_nonnull (strstr (picture.texts->str, "x & x"));
  g_string_free (picture.texts, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frontier/order", test_order);
  g_test_add_func ("/frontier/few", test_few);
  g_test_add_func ("/frontier/colours", test_colours);
  g_test_add_func ("/frontier/strangers", test_strangers);
  return g_test_run ();
}
