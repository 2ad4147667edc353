# What every test folder shares: GTest programs speak TAP.
AM_CPPFLAGS = $(BASE_CPPFLAGS) $(JANSSON_CFLAGS)
AM_CFLAGS = $(BASE_CFLAGS)
AM_TESTS_ENVIRONMENT = G_DEBUG=fatal-warnings; export G_DEBUG; \
  G_TEST_SRCDIR='$(abs_srcdir)'; export G_TEST_SRCDIR; \
  G_TEST_BUILDDIR='$(abs_builddir)'; export G_TEST_BUILDDIR; \
  TPLAN_MODULE_DIR='$(abs_top_builddir)/kernel/.libs'; export TPLAN_MODULE_DIR; \
  TPLAN='$(abs_top_builddir)/cli/tplan'; export TPLAN; \
  TPLAN_CALIBRATE_WAIT=0; export TPLAN_CALIBRATE_WAIT; \
  TPLAN_CALIBRATE_MOST=0.2; export TPLAN_CALIBRATE_MOST; \
  top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
  top_builddir='$(abs_top_builddir)'; export top_builddir;
# Where many kernels are compiled by PoCL once, to be run on little: not optimized it
# takes half as long. All of check-full has them as users do.
COMPILE_QUICKLY = test -n "$$TPLAN_TEST_FULL" \
  || { : "$${POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable}"; export POCL_EXTRA_BUILD_FLAGS; };
# A report is an exit status that no test expects; leaks of other libraries are
# in lsan.supp. What asks for too much memory is told so, as without sanitizers.
# intercept_tls_get_addr=0: up to GCC 13 LeakSanitizer takes some blocks of
# thread-local memory for what glibc had until 2.24, and crashes.
if HAVE_ASAN
AM_TESTS_ENVIRONMENT += \
  ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:intercept_tls_get_addr=0; \
  export ASAN_OPTIONS; \
  UBSAN_OPTIONS=halt_on_error=1:exitcode=99:print_stacktrace=1; export UBSAN_OPTIONS; \
  LSAN_OPTIONS='exitcode=99:print_suppressions=0:suppressions=$(abs_top_srcdir)/tests/lsan.supp'; \
  export LSAN_OPTIONS;
endif
# TIMED: what runs each test; see `make check-times`.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(TIMED) $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-seeded.sh
TEST_EXTENSIONS = .sh
include $(top_srcdir)/folders.mk
check_PROGRAMS =
dist_check_SCRIPTS =
EXTRA_DIST =
TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)
-include $(top_srcdir)/tests/chosen.mk
