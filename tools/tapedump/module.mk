tapedump_LIBS := $(SITES_LIBS)
