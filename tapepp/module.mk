# tapepp, the rewriting library beneath it, tapecc and tapefc, which are one
# script, and the headers that rewritten sources include.
TAPEPP_GEN := $(GEN)/tapepp
$(eval $(call module,tapepp,options catalogue tapepp))
$(B)/obj/tapepp/reroute.o: $(GEN)/tape_reroute.h
$(B)/obj/tapepp/fortran.o: $(GEN)/tape_reroute_fortran.h

$(TAPEPP_GEN)/c.c: tapepp/c.l
	@mkdir -p $(@D)
	$(FLEX) -o $@ $<

# flex's own code is not written to our warnings
$(B)/obj/tapepp/c.o: $(TAPEPP_GEN)/c.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter-out -Werror -Wconversion,$(ours)) -Wno-sign-compare -Wno-unused-function -Icatalogue -Itapepp -MMD -MP -c $< -o $@

REROUTE := $(B)/obj/libreroute.a
$(REROUTE): $(call objects,$(addprefix tapepp/,reroute.c context.c declaration.c expanded.c c.c fortran.c insert.c lines.c units.c rerouted.c result.c text.c))
	@mkdir -p $(@D)
	rm -f $@ && ar crs $@ $^

$(eval $(call program,tapepp,$(B)/obj/tapepp/main.o $(REROUTE) $(OPTIONS) $(CATALOGUE)))

# $(call copied,TO,FROM,MODE)
define copied
$(1): $(2)
	@mkdir -p $$(@D)
	install -m $(3) $$< $$@
all: $(1)
endef
$(eval $(call copied,$(BIN)/tapecc,tapepp/tapecc,755))
$(eval $(call copied,$(BIN)/tapefc,tapepp/tapecc,755))
$(eval $(call copied,$(INC)/mpi.h,tapepp/include/mpi.h,644))
$(eval $(call copied,$(INC)/mpi_simulated.h,tapepp/include/mpi_simulated.h,644))
$(eval $(call copied,$(INC)/pvm3.h,tapepp/include/pvm3.h,644))
$(eval $(call copied,$(INC)/site.h,runtime/core/site.h,644))
$(eval $(call copied,$(INC)/tape.h,runtime/tape.h,644))
# for programs that are only linked with Tape, as it will be installed
$(eval $(call copied,$(B)/include/tape.h,runtime/tape.h,644))
$(eval $(call copied,$(B)/include/tape.f90,runtime/tape.f90,644))
$(eval $(call copied,$(INC)/tape_prototypes.h,$(GEN)/tape_prototypes.h,644))
$(eval $(call copied,$(INC)/tape_prototypes_pvm.h,$(GEN)/tape_prototypes_pvm.h,644))
HEADERS += $(addprefix $(INC)/,mpi.h mpi_simulated.h pvm3.h site.h tape.h tape_prototypes.h tape_prototypes_pvm.h)
PROGRAMS += $(BIN)/tapecc $(BIN)/tapefc
