/* Choices of schedules and their text. */
#include "config.h"

#include "schedule/choice.h"

#include "ir/types.h"

#include <string.h>

static const TpParam tile_params[] = {
  { "lanes", 1, 1, 16, 0 },
  { "tile", 2, 1, 99, 0 },
  { "stage", 1, 0, 1, 0 },
  { NULL },
};
static const TpParam grown_params[] = {
  { "local", 1, 1, 99, 0 },
  { "lanes", 1, 1, 4, 1 },
  { "cut", 2, 1, 9, 2 },
  { NULL },
};
static const TpParam no_params[] = { { NULL } };
static const TpForm tile_form = { "tile", tile_params };
static const TpForm bare_form = { "bare", no_params };
static const TpForm grown_form = { "grown", grown_params };
static const TpForm *const forms[]
    = { &tile_form, &bare_form, &grown_form, NULL };

static void
test_parse (void)
{
  g_autoptr (GError) error = NULL;
  TpChoice choice;

  g_assert_true (tp_choice_parse ("tile stage=1 tile=3x14 lanes=8", forms,
                                  &choice, &error));
  g_assert_no_error (error);
  g_assert_true (choice.form == &tile_form);
  g_assert_cmpint (choice.values[0], ==, 8);
  g_assert_cmpint (choice.values[1], ==, 3);
  g_assert_cmpint (choice.values[2], ==, 14);
  g_assert_cmpint (choice.values[3], ==, 1);
}

/* Text, parsed, written: always the one order. */
static void
test_round_trip (void)
{
  static const char *const texts[][2] = {
    { "", "" },
    { "bare", "bare" },
    { "tile lanes=4 tile=1x2 stage=0", "tile lanes=4 tile=1x2 stage=0" },
    { "tile stage=0 tile=1x2 lanes=4; bare; bare",
      "tile lanes=4 tile=1x2 stage=0; bare; bare" },
    { "grown local=64", "grown local=64" },
    { "grown lanes=1 cut=2x2 local=64", "grown local=64" },
    { "grown cut=2x3 lanes=4 local=64", "grown local=64 lanes=4 cut=2x3" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpArray) choices = tp_choices_parse (texts[i][0], forms,
                                                     &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      text = tp_choices_to_text (choices);
      g_assert_cmpstr (text, ==, texts[i][1]);
    }
}

/* What came to a family later is not in the texts from before. */
static void
test_unsaid (void)
{
  g_autoptr (GError) error = NULL;
  TpChoice choice;

  g_assert_true (tp_choice_parse ("grown local=64", forms, &choice, &error));
  g_assert_no_error (error);
  g_assert_cmpint (choice.values[0], ==, 64);
  g_assert_cmpint (choice.values[1], ==, 1);
  g_assert_cmpint (choice.values[2], ==, 2);
  g_assert_cmpint (choice.values[3], ==, 2);
}

static void
test_equal (void)
{
  TpChoice a = { &tile_form, { 8, 3, 14, 1, 5 } }, b = a;

  b.values[4] = 6;            /* of no parameter */
  g_assert_true (tp_choice_equal (&a, &b));
  b.values[3] = 0;
  g_assert_false (tp_choice_equal (&a, &b));
  b = a;
  b.form = &bare_form;
  g_assert_false (tp_choice_equal (&a, &b));
}

/* Each with a word of the complaint. */
static void
test_refuse (void)
{
  static const char *const bad[][2] = {
    { "roof", "no family 'roof'" },
    { " bare", "no family ''" },
    { "bare; ", "no family ''" },
    { "bare  ", "''" },
    { "bare lanes=4", "'lanes=4' is no parameter of 'bare'" },
    { "tile lanes=4 tile=1x2", "'stage' is missing" },
    { "tile lanes=4 tile=1x2 stage=0 stage=0", "'stage' is given twice" },
    { "tile lanes=4 tile=1x2 stage", "'stage' is no parameter" },
    { "tile lanes=17 tile=1x2 stage=0", "1 number from 1 to 16" },
    { "tile lanes=0 tile=1x2 stage=0", "'lanes=0'" },
    { "tile lanes= tile=1x2 stage=0", "'lanes='" },
    { "tile lanes=+4 tile=1x2 stage=0", "'lanes=+4'" },
    { "tile lanes=4x4 tile=1x2 stage=0", "'lanes=4x4'" },
    { "tile lanes=4 tile=1 stage=0", "2 numbers from 1 to 99" },
    { "tile lanes=4 tile=1x2x3 stage=0", "'tile=1x2x3'" },
    { "tile lanes=4 tile=1x stage=0", "'tile=1x'" },
    { "grown lanes=4", "'local' is missing" },
    { "grown local=4 lanes=1 lanes=1", "'lanes' is given twice" },
    { "tile lanes=99999999999999999999 tile=1x1 stage=0", "'lanes=9" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (tp_choices_parse (bad[i][0], forms, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i][1]));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/choice/parse", test_parse);
  g_test_add_func ("/choice/round-trip", test_round_trip);
  g_test_add_func ("/choice/unsaid", test_unsaid);
  g_test_add_func ("/choice/equal", test_equal);
  g_test_add_func ("/choice/refuse", test_refuse);
  return g_test_run ();
}
