# Clocks with a known error under the real programs, without Tape's help: warp.c.
WARP := $(B)/obj/tests/rigs/warp
$(eval $(call module,tests/rigs/warp,))
$(B)/rig/warp.so: $(WARP)/warp.o
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $^ $(LDFLAGS) -ldl -lpthread -lm -o $@
ifneq ($(HAVE_MPI),)
tests: $(B)/rig/warp.so
endif
