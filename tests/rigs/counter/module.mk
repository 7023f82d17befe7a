# counter.so (counter-pvm.so for PVM) counts calls, count runs a program with it,
# counted compares (counter.h).
$(eval $(call module,tests/rigs/counter,catalogue reader lib/common tests/rigs/counter))
COUNTER := $(B)/obj/tests/rigs/counter

$(COUNTER)/symbols: tests/rigs/counter/symbols $(LIB)/libtape-mpi.so
	@mkdir -p $(@D)
	$< $(LIB)/libtape-mpi.so >$@
$(COUNTER)/symbols-pvm: tests/rigs/counter/module.mk
	@mkdir -p $(@D)
	nm -D --defined-only $$($(CC) -print-file-name=libpvm3.so) \
		$$($(CC) -print-file-name=libgpvm3.so) | \
		awk '$$2 == "T" && $$3 ~ /^pvm_/ { print $$3 }' | sort -u >$@
$(COUNTER)/trampolines%.s: tests/rigs/counter/trampolines $(COUNTER)/symbols%
	$< <$(word 2,$^) >$@
$(COUNTER)/trampolines.s: tests/rigs/counter/trampolines $(COUNTER)/symbols
	$< <$(word 2,$^) >$@
$(B)/rig/counter.so: $(COUNTER)/counter.o $(COUNTER)/trampolines.s
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $^ $(LDFLAGS) -ldl -lpthread -o $@
$(B)/rig/counter-pvm.so: $(COUNTER)/counter.o $(COUNTER)/bytes.o \
		$(COUNTER)/trampolines-pvm.s
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $^ $(LDFLAGS) -ldl -lpthread -o $@
$(B)/rig/count: tests/rigs/counter/count
	@mkdir -p $(@D)
	cp $< $@
$(B)/rig/counted: $(COUNTER)/counted.o $(COMMON) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@
ifneq ($(HAVE_MPI),)
tests: $(B)/rig/counter.so $(B)/rig/count $(B)/rig/counted
endif
ifneq ($(HAVE_PVM),)
tests: $(B)/rig/counter-pvm.so $(B)/rig/count $(B)/rig/counted
endif
