# tape-replay, by which tapesim has SimGrid replay actions. It names things of
# SimGrid that its headers do not declare, as 3.32 has them (data.cpp).
CXX := $(if $(filter default,$(origin CXX)),g++,$(CXX))
HAVE_SIMGRID := $(shell echo found SIMGRID_VERSION_MAJOR SIMGRID_VERSION_MINOR | \
	$(CXX) -include simgrid/version.h -include smpi/mpi.h -E -P -xc++ - 2>/dev/null | sed -n 's/^found 3 32$$/yes/p')

REPLAYER := $(B)/libexec/tape-replay
REPLAYER_OBJ := $(patsubst %.cpp,$(B)/obj/%.o,$(wildcard tools/tapereplay/*.cpp))
# no sanitizer: ranks are coroutines
$(REPLAYER_OBJ): $(B)/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g -Wall -Wextra -Wshadow $(if $(DEV),-Werror) -MMD -MP -c $< -o $@
$(REPLAYER): $(REPLAYER_OBJ)
	@mkdir -p $(@D)
	$(CXX) $^ $(LDFLAGS) -lsimgrid -ldl -o $@

ifneq ($(HAVE_SIMGRID),)
LIBEXEC += $(REPLAYER)
all: $(REPLAYER)
else
all: without-simgrid
without-simgrid: ; @echo "no SimGrid 3.32: tapesim has its own engine only (./deps installs libsimgrid-dev)"
.PHONY: without-simgrid
endif
