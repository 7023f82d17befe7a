$(eval $(call module,tools/tapeorder,catalogue reader lib/common tools/tapeorder))
# tape-order, which taperun starts.
TAPEORDER := $(B)/libexec/tape-order
$(TAPEORDER): $(call objects,$(wildcard tools/tapeorder/*.c) catalogue/order_file.c) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) $(SITES_LIBS) -lm -o $@
LIBEXEC += $(TAPEORDER)
all: $(TAPEORDER)
