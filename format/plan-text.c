/* plan-text.c: see plan-text.h. */
#include "config.h"

#include "format/plan-text.h"

#include "ir/text.h"

#define PIECE_BYTES (64 << 10)

void
tp_plan_text_keep (gpointer text, const char *bytes, gsize size)
{
  tp_text_append_len (text, bytes, size);
}

void
tp_plan_text_init (TpPlanText *out, TpPlanTake take, gpointer data)
{
  *out = (TpPlanText){ .take = take, .data = data };
  out->text = g_string_new (NULL);
}

void
tp_plan_text_init_signed (TpPlanText *out, TpPlanTake take, gpointer data)
{
  tp_plan_text_init (out, take, data);
  out->digest = tp_digest_new ();
}

void
tp_plan_text_clear (TpPlanText *out)
{
  if (out->text != NULL)
    g_string_free (out->text, TRUE);
  g_clear_pointer (&out->digest, tp_digest_free);
  out->text = NULL;
}

void
tp_plan_text_hand_on (TpPlanText *out)
{
  if (out->digest != NULL)
    tp_digest_add_bytes (out->digest, out->text->str, out->text->len);
  out->take (out->data, out->text->str, out->text->len);
  g_string_truncate (out->text, 0);
}

void
tp_plan_text_pass (TpPlanText *out)
{
  if (out->text->len >= PIECE_BYTES)
    tp_plan_text_hand_on (out);
}

void
tp_plan_text_sign (TpPlanText *out)
{
  g_autofree char *hex = NULL;

  tp_digest_add_bytes (out->digest, out->text->str, out->text->len);
  hex = tp_digest_finish (out->digest);
  g_clear_pointer (&out->digest, tp_digest_free);
  tp_text_append (out->text, TP_PLAN_DIGEST_KEY);
  tp_text_append (out->text, hex);
  tp_text_append (out->text, TP_PLAN_TAIL);
  tp_plan_text_hand_on (out);
}
