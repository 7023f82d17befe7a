# Runs of several hosts with known clocks, made up (made.py) and real (real).
$(eval $(call module,tests/rigs/clock_runs,))
$(B)/rig/slow_port: $(B)/obj/tests/rigs/clock_runs/slow_port.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@
tests: $(B)/rig/slow_port
