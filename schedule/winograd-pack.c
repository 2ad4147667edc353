/* winograd-pack.c: a nest that goes from the first weight of each filter and channel
 * to the first of the points that become of it. */
#include "config.h"

#include "schedule/winograd-pack.h"

static TpPackSquare
new_square (const TpWinograd *w, const TpWinogradForm *form,
            const TpWinogradPack *pack, const TpAccess *from)
{
  TpPackSquare square = { .n_from = form->filters.n_from,
                          .n_to = form->filters.n_to,
                          .matrix = form->filters.values };

  for (int i = 0; i < 2; i++)
    square.from_stride[i] = from->stride[w->window_axes[i]];
  square.to_stride[0] = pack->point * form->filters.n_to;
  square.to_stride[1] = pack->point;
  return square;
}

void
tp_winograd_pack (const TpWinograd *w, const TpWinogradForm *form,
                  const TpWinogradPack *pack, TpNest *nest, TpBuild *build)
{
  TpAccess *from = &nest->loads[w->c->w_load];
  gint64 step = from->stride[w->c->n_axis];
  g_autoptr (TpNest) copy = tp_nest_new ();
  TpAccess *load = tp_nest_add_load (copy, from->operand);
  TpPackSquare square = new_square (w, form, pack, from);

  tp_nest_add_axis (copy, w->n_channels, FALSE);
  tp_nest_add_axis (copy, pack->n_panels, FALSE);
  tp_nest_add_axis (copy, pack->width, FALSE);
  load->dtype = from->dtype;
  load->offset = from->offset;
  load->stride[0] = from->stride[w->channel_axis];
  load->stride[1] = pack->width * step;
  load->stride[2] = step;
  load->n_guards = 1;
  load->guards[0] = (TpGuard) { .coef = { 0, pack->width, 1 },
                                .extent = w->c->n_total };
  copy->store.stride[0] = pack->channel;
  copy->store.stride[1] = pack->panel;
  copy->store.stride[2] = 1;
  copy->result = tp_nest_load (copy, 0);
  from->operand = tp_build_add_pack (build, from->operand, pack->n_elements,
                                     g_steal_pointer (&copy), &square);
  from->dtype = TPLAN_DTYPE_FLOAT32;
}
