$(eval $(call module,reader,catalogue reader))
READER := $(B)/obj/libreader.a
reader_SRC := $(wildcard reader/*.c)
$(eval $(call archive,$(READER),$(reader_SRC)))
