# The library of each folder, followed by those it stands on.
IR = $(top_builddir)/ir/libir.la
NEST = $(top_builddir)/nest/libnest.la $(IR)
OPS = $(top_builddir)/ops/libops.la $(NEST)
MACHINE = $(top_builddir)/machine/libmachine.la $(OPS)
GRAPH = $(top_builddir)/graph/libgraph.la $(OPS)
FORMAT = $(top_builddir)/format/libformat.la $(GRAPH)
KERNEL = $(top_builddir)/kernel/libkernel.la $(IR)
SCHEDULE = $(top_builddir)/schedule/libschedule.la $(KERNEL) $(NEST)
PLANNER = $(top_builddir)/planner/libplanner.la $(IR)
RUNTIME = $(top_builddir)/runtime/libruntime.la $(SCHEDULE) $(MACHINE)
CALIB = $(top_builddir)/calib/libcalib.la $(RUNTIME) $(GRAPH)
VIEW = $(top_builddir)/view/libview.la $(IR)
# What libtplan is made of, each once.
EVERYTHING = $(top_builddir)/calib/libcalib.la \
  $(top_builddir)/runtime/libruntime.la $(top_builddir)/planner/libplanner.la \
  $(top_builddir)/schedule/libschedule.la $(top_builddir)/kernel/libkernel.la \
  $(top_builddir)/format/libformat.la $(top_builddir)/graph/libgraph.la \
  $(top_builddir)/machine/libmachine.la $(top_builddir)/ops/libops.la \
  $(top_builddir)/nest/libnest.la $(top_builddir)/ir/libir.la
API = $(top_builddir)/api/libapi.la $(EVERYTHING)
