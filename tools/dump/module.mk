dump_PROGRAM := tapedump
dump_LIBS := $(SITES_LIBS)
