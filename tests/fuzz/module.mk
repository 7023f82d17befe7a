# The fuzz targets: replayed by make check with the compiler's sanitizers, and
# run for long by make fuzz, which needs clang.
FUZZ_TARGETS := flow trace followed analyse actions reroute fortran network
FUZZ_SECONDS ?= 1800
# $(call minutes_of_each,N): the seconds that give each target N minutes
minutes_of_each = $(shell expr 60 \* $(1) \* $(words $(FUZZ_TARGETS)))
CLANG        ?= clang
FUZZ_CHECKS  := -fsanitize=address,undefined
# folders of what tools have in common
FUZZ_TOOLS   := options lib/common lib/model lib/parallel lib/replay lib/waits lib/where lib/export lib/actions
FUZZ_FLAGS   := $(filter-out -fsanitize=%,$(ours)) -g -O1 -DTAPE_HELD_UP=2 -DTAPE_FOLLOW_TASKS=16 $(FUZZ_CHECKS) -fno-sanitize-recover=all \
	$(call include_flags,catalogue levels reader tapepp $(FUZZ_TOOLS) tests/unit tests/fuzz $(GEN))
# what the targets are linked with, beside their own file
FUZZ_READER  := $(reader_SRC) catalogue/error.c catalogue/position.c catalogue/equal_texts.c catalogue/record.c \
	$(addprefix tests/fuzz/,input.c walk.c base.c input_trace.c)
FUZZ_ANALYSE := $(reader_SRC) catalogue/error.c catalogue/position.c catalogue/equal_texts.c catalogue/checksum.c catalogue/record.c $(foreach f,$(FUZZ_TOOLS),$(call sources,$(f))) \
	$(addprefix tests/fuzz/,input.c base.c input_trace.c steps.c)
FUZZ_LEVELS  := $(addprefix levels/,network.c network_file.c host_list.c slurm.c) catalogue/error.c catalogue/position.c
FUZZ_TAPEPP  := $(addprefix tapepp/,reroute.c context.c declaration.c expanded.c fortran.c insert.c lines.c units.c rerouted.c result.c text.c)

$(B)/san/%.o: %.c | catalogue-views
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
$(B)/san/lib/actions/action_file.o: FUZZ_FLAGS += $(if $(ACTIONS_LIBS),-DTAPE_HAVE_ZLIB)
$(B)/san/tapepp/reroute.o: $(GEN)/tape_reroute.h
$(B)/san/tapepp/fortran.o: $(GEN)/tape_reroute_fortran.h
# flex's own code is not written to our warnings
$(B)/san/tapepp/c.o: $(TAPEPP_GEN)/c.c
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -w -MMD -MP -c $< -o $@

FUZZ_READER_O := $(FUZZ_READER:%.c=$(B)/san/%.o)
FUZZ_ANALYSE_O := $(FUZZ_ANALYSE:%.c=$(B)/san/%.o)
FUZZ_LEVELS_O := $(FUZZ_LEVELS:%.c=$(B)/san/%.o)
FUZZ_TAPEPP_O := $(FUZZ_TAPEPP:%.c=$(B)/san/%.o) $(B)/san/tapepp/c.o
FUZZ_REPLAY_O := $(B)/san/tests/fuzz/replay.o
FUZZ_BIN := $(FUZZ_TARGETS:%=$(B)/fuzz/replay-%) $(B)/fuzz/damage $(B)/fuzz/pack

$(B)/fuzz/replay-flow $(B)/fuzz/replay-trace: $(B)/fuzz/replay-%: $(B)/san/tests/fuzz/%.o $(FUZZ_REPLAY_O) $(FUZZ_READER_O)
$(B)/fuzz/replay-followed: $(B)/san/tests/fuzz/followed.o $(B)/san/tests/fuzz/walk.o $(FUZZ_REPLAY_O) $(FUZZ_ANALYSE_O)
$(B)/fuzz/replay-analyse: $(B)/san/tests/fuzz/analyse.o $(FUZZ_REPLAY_O) $(FUZZ_ANALYSE_O)
$(B)/fuzz/replay-actions: $(B)/san/tests/fuzz/actions.o $(FUZZ_REPLAY_O) $(FUZZ_ANALYSE_O)
$(B)/fuzz/replay-reroute $(B)/fuzz/replay-fortran: $(B)/fuzz/replay-%: $(B)/san/tests/fuzz/%.o $(FUZZ_REPLAY_O) $(FUZZ_TAPEPP_O)
$(B)/fuzz/replay-network: $(B)/san/tests/fuzz/network.o $(FUZZ_REPLAY_O) $(FUZZ_LEVELS_O)
$(B)/fuzz/damage $(B)/fuzz/pack: $(B)/fuzz/%: $(B)/san/tests/fuzz/%.o $(FUZZ_READER_O)
$(FUZZ_BIN):
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CHECKS) $^ $(ACTIONS_LIBS) -lgsl -lgslcblas -lm -o $@
tests: $(FUZZ_BIN)
-include $(shell find $(B)/san -name '*.d' 2>/dev/null)

FUZZERS := $(FUZZ_TARGETS:%=$(B)/fuzz/%)
$(B)/fuzz/flow $(B)/fuzz/trace: $(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_READER)
$(B)/fuzz/followed: tests/fuzz/followed.c tests/fuzz/walk.c $(FUZZ_ANALYSE)
$(B)/fuzz/analyse $(B)/fuzz/actions: $(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_ANALYSE)
$(B)/fuzz/reroute $(B)/fuzz/fortran: $(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_TAPEPP) $(TAPEPP_GEN)/c.c $(GEN)/tape_reroute.h $(GEN)/tape_reroute_fortran.h
$(B)/fuzz/network: tests/fuzz/network.c $(FUZZ_LEVELS)
$(FUZZERS): | catalogue-views
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_FLAGS) -w -fsanitize=fuzzer $(filter %.c,$^) $(ACTIONS_LIBS) -lgsl -lgslcblas -lm -o $@

# Each target for its share of FUZZ_SECONDS; what is new is kept in $(B)/fuzz.
fuzz:
	@./deps fuzz
	@$(MAKE) --no-print-directory $(FUZZERS)
	tests/fuzz/run.sh $(B) $(FUZZ_SECONDS) $(FUZZ_TARGETS)
.PHONY: fuzz
