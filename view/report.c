/* report.c: see report.h.
 *
 * Text from models is kept out of the page three times: it is escaped here, the
 * script makes text of it and never markup, and the policy at the top of the page
 * names the one script and the one style sheet that may run, by their digests. */
#include "config.h"

#include "view/report.h"

#include "ir/foreign-text.h"

#include <string.h>

/* Made of report.js and report.css. */
extern const char tp_report_script[];
extern const char tp_report_style[];

/* "sha256-..." as a policy has it. */
static char *
digest (const char *text)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 bytes[32];
  gsize size = sizeof bytes;
  g_autofree char *coded = NULL;

  g_checksum_update (sum, (const guchar *) text, (gssize) strlen (text));
  g_checksum_get_digest (sum, bytes, &size);
  coded = g_base64_encode (bytes, size);
  return g_strconcat ("sha256-", coded, NULL);
}

static void
append_text (GString *page, const char *text)
{
  g_autofree char *clean = tp_foreign_text_clean (text);
  g_autofree char *escaped = g_markup_escape_text (clean, -1);

  g_string_append (page, escaped);
}

/* JSON in which no markup can end or begin: the characters that could stand only
 * in its strings. */
static void
append_json (GString *page, const char *json)
{
  for (const char *at = json; *at != '\0'; at++)
    if (*at == '<' || *at == '>' || *at == '&')
      g_string_append_printf (page, "\\u%04x", (guint) (guchar) *at);
    else if (*at == '\n' || (guchar) *at >= 0x20)
      g_string_append_c (page, *at);
}

static void
append_head (GString *page, const char *title)
{
  g_autofree char *script = digest (tp_report_script);
  g_autofree char *style = digest (tp_report_style);

  g_string_append_printf (
      page,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action "
      "'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
      TP_REPORT_MARK PACKAGE_VERSION "\">\n<title>",
      script, style);
  append_text (page, title);
  g_string_append_printf (page, "</title>\n<style>%s</style>\n</head>\n",
                          tp_report_style);
}

char *
tp_report_page_new (const char *title, const char *const *lines,
                    const char *json)
{
  GString *page = g_string_sized_new (strlen (json) + 65536);

  append_head (page, title);
  g_string_append (page, "<body>\n<header>\n<h1>");
  append_text (page, title);
  g_string_append (page, "</h1>\n<ul id=\"lines\">\n");
  for (int i = 0; lines[i] != NULL; i++)
    {
      g_string_append (page, "<li>");
      append_text (page, lines[i]);
      g_string_append (page, "</li>\n");
    }
  g_string_append (
      page,
      "</ul>\n</header>\n<main id=\"report\">\n<noscript><p>The charts and the "
      "table of ops are drawn by the script in this file, which is not allowed "
      "to run.</p></noscript>\n</main>\n<footer>Made by tplan " PACKAGE_VERSION
      ". This file needs no network.</footer>\n<script type=\"application/json\" "
      "id=\"data\">");
  append_json (page, json);
  g_string_append_printf (page, "</script>\n<script>%s</script>\n</body>\n"
                                "</html>\n",
                          tp_report_script);
  return g_string_free (page, FALSE);
}
