# Unit tests: one program per tests/unit/NAME.c, linked with every library. What
# is within one tool has its name in front, and that tool's objects.
TEST_FOLDERS := options catalogue levels reader $(patsubst %/,%,$(wildcard lib/*/)) tapepp plugin $(RUNTIME_FOLDERS) runtime/taperun runtime/mpi \
	front tools/tapegather tools/tapeplugin tools/tapeview tests/unit tests/rigs
TEST_LIBRARIES := $(LIVE) $(WHERE) $(RACES) $(PAGE) $(PROFILE) $(PLUGIN) $(PREDICT) $(PLACEMENT) $(CORRECT) $(CLOCKS) $(WAITS) $(WINDOW) $(EXPORT) $(ACTIONS) \
	$(REPLAY) $(COMMON) $(MODEL) $(READER) $(REROUTE) $(LEVELS) $(CATALOGUE)
$(eval $(call module,tests/unit,$(TEST_FOLDERS),,$(SITES_FLAGS)))
$(eval $(call module,tests/rigs,catalogue reader lib/common lib/model lib/parallel lib/replay lib/waits lib/page lib/actions lib/predict tests/rigs))
RIGS := $(B)/obj/librigs.a
$(eval $(call archive,$(RIGS),$(wildcard tests/rigs/*.c)))
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
# the settings are those of the runtime, which is built where there is an MPI
ifeq ($(HAVE_MPI),)
UNITS := $(filter-out %/config %/filter %/several_hosts %/shared_file %/sampling_tree,$(UNITS))
endif
ifneq ($(HAVE_SCOTCH),)
$(B)/unit/place_order: SCOTCH_LIBS := -lscotch -lscotcherr
else
UNITS := $(filter-out %/place_order,$(UNITS))
endif
$(UNITS): $(B)/unit/%: $(B)/obj/tests/unit/%.o $(RIGS) $(TEST_LIBRARIES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) $(ACTIONS_LIBS) $(HWLOC_LIBS) $(SCOTCH_LIBS) $(LUA_LIBS) $(EXPAT_LIBS) $(LIVE_PAGE_LIBS) -lgsl -lgslcblas -lpthread -lm -o $@
$(B)/unit/alpha: $(call objects,runtime/records/alpha.c)
$(B)/unit/order_file: $(call objects,catalogue/order_file.c)
$(B)/unit/pairs: $(call objects,runtime/records/pairs.c runtime/core/ticks.c)
$(B)/unit/python_code: $(call objects,runtime/events/python_code.c)
$(B)/unit/config $(B)/unit/filter: $(call objects,runtime/core/filter.c runtime/core/config.c runtime/core/settings_of_job.c)
$(B)/unit/several_hosts: $(call objects,$(addprefix runtime/taperun/,several_hosts.c launcher.c program_file.c) runtime/core/library_family.c)
$(B)/unit/shared_file: $(call objects,runtime/transport/shared_file.c runtime/core/file.c runtime/core/core.c)
$(B)/unit/board: $(call objects,$(addprefix tools/tapeplugin/,jobs.c packs.c types.c))
$(B)/unit/front_guard: $(call objects,$(addprefix front/,argument_list.c called_programs.c guard.c live_spool.c pass_signals.c trace_name.c))
$(B)/unit/gather_port: $(call objects,tools/tapegather/port.c)
$(B)/unit/sampling_tree: $(B)/obj/runtime/$(if $(HAVE_OPENMPI),mpi,mpich)/sampling_tree.o
$(B)/unit/view_bins: $(call objects,tools/tapeview/bins.c tools/tapeview/column.c)
tests: $(UNITS)

# Writes the expected output of every golden case anew; read the difference.
golden-update: all
	PATH=$(BIN):$$PATH tests/golden/run.sh -u

# Rigs are programs of their own: des, the simulation with a known truth; live,
# global dates compared with the true ones; stamps, the estimators of clocks on
# recorded rounds; swap, a hostile owner of the directory that a tool works in.
$(B)/rig/des: $(B)/obj/tests/rigs/des.o $(RIGS) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@
# races, programs whose receives from any source take what comes first; phases,
# the same, recorded lightly and replayed; orders, small programs of which all
# orders are tried; certificates, programs without races.
$(B)/rig/races $(B)/rig/phases $(B)/rig/orders $(B)/rig/certificates: $(B)/rig/%: $(B)/obj/tests/rigs/%.o $(RIGS) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@
$(B)/rig/live: $(B)/obj/tests/rigs/live.o $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lgsl -lgslcblas -lm -o $@
$(B)/rig/stamps: $(B)/obj/tests/rigs/stamps.o $(RIGS) $(MODEL) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lgsl -lgslcblas -lm -o $@
$(B)/rig/swap: $(B)/obj/tests/rigs/swap.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< -o $@
# followed, what a reader of a trace under way sees; consume, who takes it away.
$(B)/rig/followed: $(B)/obj/tests/rigs/followed.o $(WAITS) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) $(SITES_LIBS) -lm -o $@
# live_feed, a live page that shows given snapshots.
$(B)/rig/live_feed: $(B)/obj/tests/rigs/live_feed.o $(PAGE) $(COMMON)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) $(LIVE_PAGE_LIBS) -lm -o $@
$(B)/rig/consume: $(B)/obj/tests/rigs/consume.o $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $^ $(LDFLAGS) -o $@
# engines, collectives of both engines of tapesim.
$(B)/rig/engines: $(B)/obj/tests/rigs/engines.o $(PREDICT) $(ACTIONS) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) $(ACTIONS_LIBS) $(EXPAT_LIBS) -lgsl -lgslcblas -lpthread -lm -o $@
tests: $(B)/rig/engines $(B)/rig/races $(B)/rig/phases $(B)/rig/orders $(B)/rig/certificates $(B)/rig/consume $(B)/rig/live_feed $(B)/rig/des $(B)/rig/followed $(B)/rig/live $(B)/rig/stamps $(B)/rig/swap
-include tests/rigs/counter/module.mk tests/rigs/hsplit/module.mk tests/rigs/warp/module.mk tests/rigs/clock_runs/module.mk tests/rigs/scale/module.mk tests/rigs/other/module.mk tests/rigs/smpi/module.mk tests/fuzz/module.mk
