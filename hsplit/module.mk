# libtape-hsplit and libtape-hsplit-mpich: communicators along the hardware, for
# Open MPI and for the family of MPICH. No part of the tracer.
HSPLIT_SRC := $(wildcard hsplit/*.c)
$(eval $(call module,hsplit,catalogue levels hsplit,$(MPICC_OPENMPI)))
HSPLIT_MPICH := $(HSPLIT_SRC:hsplit/%.c=$(B)/obj/hsplit/mpich/%.o)
# the same sources, the other header
$(B)/obj/hsplit/mpich/%.o: hsplit/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) -Icatalogue -Ilevels -Ihsplit -I$(GEN) -MMD -MP -c $< -o $@

# $(call hsplit,NAME,COMPILER,OBJECTS): exports what tape_hsplit.h declares
define hsplit
$(LIB)/$(1).so: $(3) $(call objects,catalogue/position.c catalogue/error.c) $(LEVELS)
	@mkdir -p $$(@D)
	$(2) -shared $$(CFLAGS) $$^ $$(LDFLAGS) -Wl,-soname,$(1).so -Wl,-z,nodelete $(if $(LDSAN),,-Wl,-z,defs) $(HWLOC_LIBS) -ldl -lpthread -o $$@
all: $(LIB)/$(1).so
LIBHSPLIT += $(LIB)/$(1).so
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call hsplit,libtape-hsplit,$(MPICC_OPENMPI),$(call objects,$(HSPLIT_SRC))))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call hsplit,libtape-hsplit-mpich,$(MPICC_MPICH),$(HSPLIT_MPICH)))
endif

# tape-hsplit-smpi.o: the same for programs that SimGrid's MPI runs in simulated
# time. An object, so that each rank has its variables for itself; what
# tape_hsplit.h does not declare is nobody else's, for tape-smpi.o has some of it.
OBJCOPY ?= objcopy
HSPLIT_SMPI := $(patsubst %.c,$(B)/obj/hsplit/smpi/%.o,$(filter-out %/split_type_entry.c %/fortran.c,$(HSPLIT_SRC)) \
	$(wildcard levels/*.c) catalogue/position.c catalogue/error.c)
$(B)/obj/hsplit/smpi/%.o: %.c | catalogue-views
	@mkdir -p $(@D)
	SMPI_PRETEND_CC=1 $(SMPICC) -O2 -std=c11 -D_GNU_SOURCE -DTAPE_VERSION='"$(VERSION)"' -fPIC -fvisibility=hidden -w \
		-Icatalogue -Ilevels -Ihsplit -I$(GEN) -MMD -MP -c $(CURDIR)/$< -o $@ >/dev/null
$(LIB)/tape-hsplit-smpi.o: $(HSPLIT_SMPI)
	@mkdir -p $(@D)
	$(LD) -r $^ -o $@.tmp && $(OBJCOPY) --localize-hidden $@.tmp && mv $@.tmp $@
ifneq ($(HAVE_SMPI),)
all: $(LIB)/tape-hsplit-smpi.o
SMPI_PARTS += $(LIB)/tape-hsplit-smpi.o
endif
