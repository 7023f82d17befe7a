# The fuzz targets: replayed by make check with the compiler's sanitizers, and
# run for long by make fuzz, which needs clang.
FUZZ_TARGETS := flow trace
FUZZ_SECONDS ?= 1800
CLANG        ?= clang
FUZZ_SRC     := $(reader_SRC) catalogue/error.c catalogue/record.c \
	$(addprefix tests/fuzz/,input.c walk.c base.c)
FUZZ_FLAGS   := $(filter-out -fsanitize=%,$(ours)) -g -O1 -fsanitize=address,undefined \
	-fno-sanitize-recover=all -Icatalogue -Ireader -Itests/unit -Itests/fuzz -I$(GEN)

$(B)/san/%.o: %.c | catalogue-views
	@mkdir -p $(@D)
	$(CC) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(B)/san/%.o)
FUZZ_BIN := $(FUZZ_TARGETS:%=$(B)/fuzz/replay-%) $(B)/fuzz/damage $(B)/fuzz/pack

$(B)/fuzz/replay-%: $(B)/san/tests/fuzz/%.o $(B)/san/tests/fuzz/replay.o $(FUZZ_OBJ)
	@mkdir -p $(@D)
	$(CC) -fsanitize=address,undefined $^ -lm -o $@
$(B)/fuzz/damage $(B)/fuzz/pack: $(B)/fuzz/%: $(B)/san/tests/fuzz/%.o $(FUZZ_OBJ)
	@mkdir -p $(@D)
	$(CC) -fsanitize=address,undefined $^ -lm -o $@
.SECONDARY: $(FUZZ_OBJ) $(FUZZ_TARGETS:%=$(B)/san/tests/fuzz/%.o) $(B)/san/tests/fuzz/replay.o
tests: $(FUZZ_BIN)
-include $(shell find $(B)/san -name '*.d' 2>/dev/null)

$(FUZZ_TARGETS:%=$(B)/fuzz/%): $(B)/fuzz/%: tests/fuzz/%.c $(FUZZ_SRC) | catalogue-views
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_FLAGS) -Wno-error -fsanitize=fuzzer $^ -lm -o $@

# Each target for its share of FUZZ_SECONDS; what is new is kept in $(B)/fuzz.
fuzz: $(FUZZ_TARGETS:%=$(B)/fuzz/%)
	tests/fuzz/run.sh $(B) $(FUZZ_SECONDS) $(FUZZ_TARGETS)
.PHONY: fuzz
