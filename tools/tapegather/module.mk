$(eval $(call module,tools/tapegather,catalogue lib/common lib/model lib/live tools/tapegather))
# tape-gather, which tape live starts.
GATHER := $(B)/libexec/tape-gather
$(GATHER): $(call objects,$(wildcard tools/tapegather/*.c)) $(SPOOL) $(COMMON) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) -lm -o $@
LIBEXEC += $(GATHER)
all: $(GATHER)
