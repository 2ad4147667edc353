/* test-plan-lines.c: long lists read some lines at a time are what they are when the
 * whole is parsed at once. */
#include "config.h"

#include "format/plan-lines.h"

#include <string.h>

static const char *const lists[] = { "tensors", "ops", "op_costs", "flows" };

/* Elements of any length, with what could be taken for an end in them. */
static void
append_element (GString *text)
{
  int n = g_test_rand_int_range (0, 30);

  switch (g_test_rand_int_range (0, 3))
    {
    case 0:
      g_string_append_printf (text, "{\"op\": \"],\\\"%d\", \"n\": [%d]}", n, n);
      return;
    case 1:
      g_string_append_printf (text, "[\"s\", \"n%d\", %d]", n, n * n);
      return;
    default:
      g_string_append_c (text, '[');
      for (int i = 0; i < n * 10; i++)
        g_string_append_printf (text, "%s%d", i == 0 ? "" : ", ", i);
      g_string_append_c (text, ']');
    }
}

/* As plans are laid out: @n elements at the most in each list. */
static char *
write_text (int n)
{
  GString *text = g_string_new ("{\n \"format\": \"x\",\n");

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      int n_elements = g_test_rand_int_range (0, n + 1);

      g_string_append_printf (text, " \"before %s\": [1, 2],\n", lists[i]);
      g_string_append_printf (text, " \"%s\": [", lists[i]);
      for (int k = 0; k < n_elements; k++)
        {
          g_string_append (text, k == 0 ? "\n  " : ",\n  ");
          append_element (text);
        }
      g_string_append (text, "],\n");
    }
  g_string_append (text, " \"last\": null\n}\n");
  return g_string_free (text, FALSE);
}

static void
assert_same_list (const TpPlanLines *lines, const json_t *root,
                  const json_t *rest, const char *key)
{
  const json_t *want = json_object_get (root, key);
  g_auto (TpPlanRows) rows = { 0 };

  g_assert_cmpuint (json_array_size (json_object_get (rest, key)), ==, 0);
  if (!tp_plan_lines_find (lines, key, &rows))
    {
      g_assert_cmpuint (json_array_size (want), ==, 0);
      return;
    }
  g_assert_cmpuint (rows.n, ==, json_array_size (want));
  for (int i = 0; i < rows.n; i++)
    g_assert_true (json_equal (tp_plan_rows_next (&rows),
                               json_array_get (want, i)));
  g_assert_null (tp_plan_rows_next (&rows));
}

/* The text of an element, without the comma that stands behind it. */
static json_t *
parse_line (const TpPlanScan *line)
{
  gsize size = line->end - line->begin;

  g_assert_true (line->at == line->begin);
  while (size > 0 && strchr (",\n", line->begin[size - 1]) != NULL)
    size--;
  return json_loadb (line->begin, size, 0, NULL);
}

/* Some taken as text, some put back, some asked for at once. */
static void
assert_same_taken (const TpPlanLines *lines, const json_t *root,
                   const char *key)
{
  const json_t *want = json_object_get (root, key);
  g_auto (TpPlanRows) rows = { 0 };
  TpPlanScan line;

  if (!tp_plan_lines_find (lines, key, &rows))
    return;
  for (int i = 0; i < rows.n; i++)
    {
      json_t *have = NULL;

      if (g_test_rand_bit () && tp_plan_rows_take (&rows, &line))
        {
          if (g_test_rand_bit ())
            have = parse_line (&line);
          else
            g_assert_false (tp_plan_rows_put_back (&rows, &line));
        }
      g_assert_true (json_equal (
          have == NULL ? tp_plan_rows_next (&rows) : have,
          json_array_get (want, i)));
      json_decref (have);
    }
  g_assert_false (tp_plan_rows_take (&rows, &line));
}

static void
test_scan (void)
{
  static const struct
  {
    const char *text;
    gint64 low, number;       /* G_MININT64: none */
  } cases[] = {
    { "0", 0, 0 },
    { "0,", 0, 0 },
    { "-1]", -1, -1 },
    { "-1", 0, G_MININT64 },
    { "-", -1, G_MININT64 },
    { "", 0, G_MININT64 },
    { "x", 0, G_MININT64 },
    { "01", 0, G_MININT64 },
    { "999999999999999999", 0, 999999999999999999 },
    { "1000000000000000000", 0, G_MININT64 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *text = cases[i].text;
      TpPlanScan scan = { text, text, text + strlen (text) };
      gint64 number;

      if (tp_plan_scan_number (&scan, cases[i].low, &number))
        g_assert_cmpint (number, ==, cases[i].number);
      else
        g_assert_true (cases[i].number == G_MININT64);
    }
}

static void
test_scan_line (void)
{
  char a[] = "a", ab[] = "ab", *const names[] = { a, ab };
  const char *text = ", \"n\": 7, \"ab\"[";
  TpPlanScan scan = { text, text, text + strlen (text) };
  gint64 number;
  int index;

  g_assert_false (tp_plan_scan_text (&scan, ", \"m"));
  g_assert_true (tp_plan_scan_member (&scan, "n", 7, &number));
  g_assert_cmpint (number, ==, 7);
  g_assert_true (tp_plan_scan_text (&scan, ", "));
  g_assert_false (tp_plan_scan_any (&scan, names, 1, &index));
  g_assert_true (tp_plan_scan_any (&scan, names, 2, &index));
  g_assert_cmpint (index, ==, 1);
  g_assert_true (tp_plan_scan_text (&scan, "["));
  g_assert_true (scan.at == scan.end);
  g_assert_false (tp_plan_scan_text (&scan, "\""));
}

static void
test_same (void)
{
  int n_found = 0;

  for (int round = 0; round < 60; round++)
    {
      g_autofree char *text = write_text (round % 3 == 0 ? 2 : 300);
      g_autoptr (TpPlanLines) lines
          = tp_plan_lines_new (text, strlen (text));
      json_t *root = json_loads (text, 0, NULL), *rest;

      g_assert_nonnull (root);
      if (lines != NULL)
        {
          rest = json_loads (tp_plan_lines_get_rest (lines)->str, 0, NULL);
          g_assert_nonnull (rest);
          for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
            {
              assert_same_list (lines, root, rest, lists[i]);
              assert_same_taken (lines, root, lists[i]);
            }
          g_assert_cmpuint (json_object_size (rest), ==,
                            json_object_size (root));
          json_decref (rest);
          n_found++;
        }
      json_decref (root);
    }
  g_assert_cmpint (n_found, >, 40);
}

/* Whatever it is, no more elements come than were promised, and it ends. */
static void
use (const char *text, gsize size)
{
  g_autoptr (TpPlanLines) lines = tp_plan_lines_new (text, size);

  for (gsize i = 0; lines != NULL && i < G_N_ELEMENTS (lists); i++)
    {
      g_auto (TpPlanRows) rows = { 0 };
      int n_read = 0;

      if (!tp_plan_lines_find (lines, lists[i], &rows))
        continue;
      g_assert_cmpuint (rows.n, <=, size);
      while (n_read < rows.n && tp_plan_rows_next (&rows) != NULL)
        n_read++;
    }
}

static void
test_cut (void)
{
  g_autofree char *text = write_text (6);

  for (gsize size = 0; size <= strlen (text); size++)
    {
      g_autofree char *copy = g_memdup2 (text, size);

      use (copy, size);
    }
}

static void
test_changed (void)
{
  static const char signs[] = "[]{},\" \n\\0";
  g_autofree char *text = write_text (20);
  gsize size = strlen (text);

  for (int round = 0; round < 1000; round++)
    {
      g_autofree char *copy = g_memdup2 (text, size);

      for (int k = g_test_rand_int_range (1, 4); k > 0; k--)
        copy[g_test_rand_int_range (0, (int) size)]
            = signs[g_test_rand_int_range (0, sizeof signs)];
      use (copy, size);
    }
}

/* Text of another layout is not looked through for ever. */
static void
test_many_lines (void)
{
  g_autofree char *lines = g_strnfill (1 << 20, '\n');
  g_autofree char *text
      = g_strconcat ("{\n \"ops\": [\n  1],\n", lines, "}\n", NULL);
  g_autoptr (TpPlanLines) found = tp_plan_lines_new (text, strlen (text));

  g_assert_null (found);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-lines/same", test_same);
  g_test_add_func ("/plan-lines/cut", test_cut);
  g_test_add_func ("/plan-lines/changed", test_changed);
  g_test_add_func ("/plan-lines/many-lines", test_many_lines);
  g_test_add_func ("/plan-lines/scan", test_scan);
  g_test_add_func ("/plan-lines/scan-line", test_scan_line);
  return g_test_run ();
}
