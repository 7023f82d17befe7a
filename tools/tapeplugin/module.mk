$(eval $(call module,tools/tapeplugin,catalogue plugin reader lib/common lib/model lib/parallel lib/replay lib/waits lib/plugin tools/tapeplugin))
# tape-plugin, the process of a plug-in: plug-ins find the functions of tape_plugin.h in it.
PLUGIN_PROCESS := $(B)/libexec/tape-plugin
$(PLUGIN_PROCESS): $(call objects,$(wildcard tools/tapeplugin/*.c)) $(WAITS) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) -rdynamic -pthread -ldl $(SITES_LIBS) -lm -o $@
LIBEXEC += $(PLUGIN_PROCESS)
all: $(PLUGIN_PROCESS)
