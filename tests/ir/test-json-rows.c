/* test-json-rows.c: a document read by rows is the document, or is not read so;
 * whatever is done to its text. */
#include "config.h"

#include "format/json-read.h"
#include "format/json-rows.h"

#include <string.h>

/* The document put together again, or NULL. */
static json_t *
read_rows (const char *text, gsize size)
{
  g_auto (TpJsonRows) rows = { 0 };
  g_autoptr (json_t) root = NULL;
  json_t *list;
  const json_t *element;

  if (!tp_json_rows_init (&rows, text, size, "ops"))
    return NULL;
  root = json_loadb (rows.rest->str, rows.rest->len, JSON_REJECT_DUPLICATES,
                     NULL);
  list = json_object_get (root, "ops");
  if (list == NULL)
    return NULL;
  g_assert_cmpint (json_array_size (list), ==, 0);
  do
    {
      if (!tp_json_rows_next (&rows, &element))
        return NULL;
      if (element != NULL)
        json_array_append_new (list, json_deep_copy (element));
    }
  while (element != NULL);
  return g_steal_pointer (&root);
}

static gboolean
equal_whole (const char *text, gsize size)
{
  g_autoptr (json_t) rows = read_rows (text, size);
  g_autoptr (json_t) whole
      = json_loadb (text, size, JSON_REJECT_DUPLICATES, NULL);

  if (rows == NULL)
    return FALSE;
  if (whole == NULL || !json_equal (rows, whole))
    g_error ("read by rows only: %.*s", (int) size, text);
  return TRUE;
}

static const struct
{
  const char *text;
  gboolean is_read;
} cases[] = {
  { "{\"ops\":[]}", TRUE },
  { "{\"ops\" : [ ] }", TRUE },
  { "{\"ops\":[1]}", TRUE },
  { " {\n\"a\": {\"ops\": [7]}, \"ops\" :\t[ {\"b\": [\"]\"]} , 2\n] , "
    "\"c\": [3, \"x,y\"] } ",
    TRUE },
  { "{\"ops\":[\"\\\"\", \"\\\\\", \"[{\"], \"z\":\"]\"}", TRUE },
  { "{\"ops\":[[[[1,2],[3]]],{}]}", TRUE },
  /* no JSON */
  { "{\"ops\":[1,]}", FALSE },
  { "{\"ops\":[1, ]}", FALSE },
  { "{\"ops\":[,1]}", FALSE },
  { "{\"ops\":[1,,2]}", FALSE },
  { "{\"ops\":[1 2]}", FALSE },
  { "{\"ops\":[{\"a\":1]}]}", FALSE },
  { "{\"ops\":[1}", FALSE },
  { "{\"ops\":[1]", FALSE },
  { "{\"ops\":[1]]", FALSE },
  { "{\"ops\":[1] x}", FALSE },
  { "{\"ops\":[1]} x", FALSE },
  { "{\"ops\":[{\"a\":1,\"a\":2}]}", FALSE },
  { "{\"ops\":[\"a]}", FALSE },
  { "{\"ops\":[\"\\", FALSE },
  { "{\"ops\":[1],\"ops\":[2]}", FALSE },
  { "{\"ops\":[1],\"ops\":2}", FALSE },
  { "{\"ops\"[1]}", FALSE },
  { "{ops:[1]}", FALSE },
  { "[\"ops\",[1]]", FALSE },
  { "", FALSE },
  { "{", FALSE },
  { "{\"", FALSE },
  /* for the parser as a whole */
  { "{\"ops\":7}", FALSE },
  { "{\"ops\":{}}", FALSE },
  { "{\"a\":[1]}", FALSE },
  { "{\"\\u006fps\":[1]}", FALSE },
};

static void
test_cases (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize size = strlen (cases[i].text);
      g_autofree char *exact = g_memdup2 (cases[i].text, size);

      if (equal_whole (exact, size) != cases[i].is_read)
        g_error ("%s", cases[i].text);
    }
}

/* Nested deeper than the parser takes it: as a whole it is refused. */
static void
test_depth (void)
{
  for (int depth = 1; depth < 5000; depth += depth < 70 ? 1 : 500)
    {
      g_autoptr (GString) text = g_string_new ("{\"ops\":[");

      for (int i = 0; i < depth; i++)
        g_string_append_c (text, '[');
      for (int i = 0; i < depth; i++)
        g_string_append_c (text, ']');
      g_string_append (text, "]}");
      g_assert_true (equal_whole (text->str, text->len) == (depth < 64));
    }
}

static void
append_value (GString *text, int depth)
{
  static const char *const values[]
      = { "1", "-2.5e3", "true", "null", "\"a,b\"", "\"\\\"]\"", "\"\"" };
  int n = g_test_rand_int_range (0, 4);
  gboolean is_list = g_test_rand_bit ();

  if (depth == 0 || g_test_rand_int_range (0, 3) == 0)
    {
      g_string_append (
          text, values[g_test_rand_int_range (0, G_N_ELEMENTS (values))]);
      return;
    }
  g_string_append_c (text, is_list ? '[' : '{');
  for (int i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ", " : " ");
      if (!is_list)
        g_string_append_printf (text, "\"k%d\":", i);
      append_value (text, depth - 1);
    }
  g_string_append_c (text, is_list ? ']' : '}');
}

/* Some of them longer than is parsed at once. */
static GString *
make_document (void)
{
  GString *text = g_string_new ("{ \"name\": \"ops\", \"ops\": [");
  int n = g_test_rand_int_range (0, g_test_rand_int_range (0, 20) > 0 ? 9 : 4000);

  for (int i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? ",\n" : "");
      append_value (text, 3);
    }
  g_string_append (text, "],\"rest\":");
  append_value (text, 2);
  g_string_append_c (text, '}');
  return text;
}

static void
mutate (GString *text)
{
  static const char bytes[] = "[]{},:\"\\ 1x";
  gsize at = g_test_rand_int_range (0, (int) text->len);

  switch (g_test_rand_int_range (0, 3))
    {
    case 0:
      g_string_erase (text, at, 1);
      break;
    case 1:
      g_string_insert_c (text, at,
                         bytes[g_test_rand_int_range (0, sizeof bytes)]);
      break;
    default:
      text->str[at] = bytes[g_test_rand_int_range (0, sizeof bytes)];
    }
}

/* What is no comma is none where what is parsed at once ends, either. */
static void
test_boundary (void)
{
  static const char *const signs[] = { ",", "}", "]", "}," };

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    {
      g_autofree char *space = g_strnfill (1 << 15, ' ');
      g_autofree char *text = g_strconcat ("{\"ops\":[{", space, "}", signs[i],
                                           " {}]}", NULL);

      g_assert_true (equal_whole (text, strlen (text)) == (i == 0));
    }
}

static void
test_random (void)
{
  int n_read = 0, n = g_test_quick () ? 2000 : 100000;

  for (int i = 0; i < n; i++)
    {
      g_autoptr (GString) text = make_document ();

      g_assert_true (equal_whole (text->str, text->len));
      mutate (text);
      n_read += equal_whole (text->str, text->len);
    }
  g_assert_cmpint (n_read, >, n / 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-rows/cases", test_cases);
  g_test_add_func ("/json-rows/depth", test_depth);
  g_test_add_func ("/json-rows/boundary", test_boundary);
  g_test_add_func ("/json-rows/random", test_random);
  return g_test_run ();
}
