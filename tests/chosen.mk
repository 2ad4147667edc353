# TESTS="a b" in the folder above asks every folder for those that it has.
ifeq ($(origin TESTS),command line)
ifneq ($(ASKED_FROM_ABOVE),)
TESTS_ASKED := $(TESTS)
override TESTS := $(filter $(check_PROGRAMS) $(notdir $(wildcard $(srcdir)/*.sh)),$(TESTS))
endif
endif
