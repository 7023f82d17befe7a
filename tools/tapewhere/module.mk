tapewhere_LIBS := $(SITES_LIBS)
