# tape-plugin: plug-ins find the functions of tape_plugin.h in it.
PLUGIN_PROCESS := $(B)/libexec/tape-plugin
$(PLUGIN_PROCESS): $(call objects,$(wildcard tools/board/*.c)) $(ANALYSE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) -rdynamic -pthread -ldl $(SITES_LIBS) -lm -o $@
LIBEXEC += $(PLUGIN_PROCESS)
all: $(PLUGIN_PROCESS)
