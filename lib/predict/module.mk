# Our own engine, which reads platforms with expat, and SimGrid's as a process.
$(eval $(call library,predict,catalogue reader lib/common lib/model lib/parallel lib/replay lib/actions))
PREDICT := $(predict_LIBRARY)
ifneq ($(shell $(CC) -include expat.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
$(B)/obj/lib/predict/sim_platform.o: ours += -DTAPE_HAVE_EXPAT
EXPAT_LIBS := -lexpat
else
all: without-expat
without-expat: ; @echo "no expat: tapesim's own engine reads no platforms (./deps installs libexpat1-dev)"
.PHONY: without-expat
endif
