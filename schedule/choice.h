/* choice.h: how a nest is computed, as data: a family of schedules and its
 * numbers, which have a text that parses back:
 *
 *   contract lanes=16 vectors=2 tile=1x14 stage=0 pack=1 block=1x98x4 unroll=8
 */
#ifndef TP_SCHEDULE_CHOICE_H
#define TP_SCHEDULE_CHOICE_H

#include "ir/array.h"

#define TP_CHOICE_MAX_VALUES 16

/* @n numbers, joined by 'x' in text, each in [@min, @max]. Texts from before a
 * family had the parameter do without it: it is then @unsaid, and where it is so,
 * it is not written; 0: no text may. */
typedef struct
{
  const char *name;
  int n;
  gint64 min, max, unsaid;
} TpParam;

/* What the choices of a family look like. */
typedef struct
{
  const char *name;
  const TpParam *params;      /* the last has no name */
} TpForm;

typedef struct
{
  const TpForm *form;
  gint64 values[TP_CHOICE_MAX_VALUES]; /* those of the parameters, in order */
} TpChoice;

/* As sizes of groups and tiles have to be. */
gboolean tp_choice_is_power_of_two (gint64 value);
gboolean tp_choice_equal (const TpChoice *a, const TpChoice *b);
/* "FAMILY NAME=VALUE NAME=VALUExVALUE ...": equal text, equal choice. */
void tp_choice_append_text (const TpChoice *choice, GString *text);

/**
 * tp_choice_parse:
 * @forms: of all families; ends with %NULL
 *
 * Every parameter of the family once, in any order; what may go unsaid at most
 * once. Whether the choice fits a
 * nest is the family's question.
 * TPLAN_ERROR_INPUT: an unknown family or parameter, one that is missing or
 * given twice, a number that is none or out of range.
 */
gboolean tp_choice_parse (const char *text, const TpForm *const *forms,
                          TpChoice *out_choice, GError **error);

/* Choices joined by "; ": TpProgram.schedule. */
char *tp_choices_to_text (const TpArray *choices);
TpArray *tp_choices_parse (const char *text, const TpForm *const *forms,
                          GError **error);

#endif
