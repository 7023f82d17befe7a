# Unit tests: one program per tests/unit/NAME.c, linked with every archive. What
# is within one tool has its name in front, and that tool's objects.
$(eval $(call module,tests/unit,options catalogue reader tools/common tools/model tools/replay tools/analyse tools/actions tapepp tests/unit tests/rigs runtime levels plugin tools tools/sums tools/plugin tools/live .,,$(SITES_FLAGS)))
$(eval $(call module,tests/rigs,catalogue reader tools/common tools/model tools/replay tools/analyse tools/live_page tests/rigs))
RIGS := $(B)/obj/librigs.a
$(eval $(call archive,$(RIGS),$(wildcard tests/rigs/*.c)))
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
# the settings are those of the runtime, which is built where there is an MPI
ifeq ($(HAVE_MPI),)
UNITS := $(filter-out %/config %/filter %/several_hosts %/shared_file %/sampling_tree,$(UNITS))
endif
ifneq ($(filter place,$(TOOLS)),)
$(B)/unit/place_order: $(call objects,$(addprefix tools/place/,costs.c order.c partition.c partners.c slots.c))
$(B)/unit/place_order: SCOTCH_LIBS := -lscotch -lscotcherr
else
UNITS := $(filter-out %/place_order,$(UNITS))
endif
$(UNITS): $(B)/unit/%: $(B)/obj/tests/unit/%.o $(RIGS) $(ANALYSE) $(ACTIONS) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(REROUTE) $(LEVELS) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) $(ACTIONS_LIBS) $(HWLOC_LIBS) $(SCOTCH_LIBS) -lgsl -lgslcblas -lm -o $@
$(B)/unit/alpha: $(call objects,runtime/alpha.c)
$(B)/unit/pairs: $(call objects,runtime/pairs.c runtime/ticks.c)
$(B)/unit/config $(B)/unit/filter: $(call objects,runtime/filter.c runtime/config.c runtime/settings_of_job.c)
$(B)/unit/several_hosts: $(call objects,$(addprefix runtime/,several_hosts.c launcher.c program_file.c library_family.c))
$(B)/unit/shared_file: $(call objects,runtime/shared_file.c runtime/file.c runtime/core.c)
$(B)/unit/sba_bounds $(B)/unit/sba_causal $(B)/unit/sba_merge_tracks $(B)/unit/sba_rounds: \
	$(call objects,$(filter-out %/sba.c,$(wildcard tools/sba/*.c))) $(JOB)
$(B)/unit/correct_causality: $(call objects,tools/correct/causality.c tools/correct/collective_entries.c)
$(B)/unit/correct_order: $(call objects,$(filter-out %/lua_model.c %/inputs.c %/model_report.c,$(wildcard tools/correct/*.c)))
$(B)/unit/board: $(call objects,$(addprefix tools/board/,jobs.c packs.c types.c))
$(B)/unit/front_guard: $(call objects,$(addprefix front/,argument_list.c called_programs.c guard.c live_spool.c pass_signals.c trace_name.c))
$(B)/unit/gather_port: $(call objects,tools/gather/port.c)
$(B)/unit/sampling_tree: $(call objects,runtime/mpi/sampling_tree.c)
$(B)/unit/live_snapshot: $(call objects,tools/live/snapshot.c $(wildcard tools/sums/*.c tools/plugin/*.c)) $(JOB)
$(B)/unit/view_bins: $(call objects,tools/view/bins.c tools/view/column.c)
$(B)/unit/sim_own: $(call objects,$(wildcard tools/sim/own_*.c) tools/sim/queues.c tools/sim/requests.c)
$(B)/unit/sim_own $(B)/unit/sim_net: $(call objects,tools/sim/net.c tools/sim/size_factors.c)
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
$(B)/rig/followed: $(B)/obj/tests/rigs/followed.o $(ANALYSE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) $(SITES_LIBS) -lm -o $@
# live_feed, a live page that shows given snapshots.
$(B)/rig/live_feed: $(B)/obj/tests/rigs/live_feed.o $(LIVE_PAGE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) $(LIVE_PAGE_LIBS) -o $@
$(B)/rig/consume: $(B)/obj/tests/rigs/consume.o $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $^ $(LDFLAGS) -o $@
# engines, collectives of both engines of tapesim.
$(B)/obj/tests/rigs/engines.o: ours += -Itools/sim -Itools/actions
$(B)/rig/engines: $(B)/obj/tests/rigs/engines.o $(call objects,$(filter tools/sim/own_%.c tools/sim/simgrid%.c,$(wildcard tools/sim/*.c)) $(addprefix tools/sim/,net.c size_factors.c queues.c requests.c sim_platform.c quantity.c)) $(ACTIONS) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) $(ACTIONS_LIBS) $(EXPAT_LIBS) -lgsl -lgslcblas -lpthread -lm -o $@
tests: $(B)/rig/engines $(B)/rig/consume $(B)/rig/live_feed $(B)/rig/des $(B)/rig/followed $(B)/rig/live $(B)/rig/stamps $(B)/rig/swap
-include tests/rigs/counter/module.mk tests/rigs/hsplit/module.mk tests/rigs/warp/module.mk tests/rigs/clock_runs/module.mk tests/rigs/scale/module.mk tests/rigs/other/module.mk tests/rigs/smpi/module.mk tests/fuzz/module.mk
