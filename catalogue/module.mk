# The tables, and the program that turns them into every generated file.
TABLES := $(wildcard catalogue/*.tab)
VIEWS  := $(GEN)/tape_ids.h $(GEN)/tape_calls.h $(GEN)/tape_codec.h $(GEN)/tape_skip.h $(GEN)/tape_names.h $(GEN)/tape_layout.h $(GEN)/tape_class_uses.h

MKCATALOGUE := $(patsubst %,$(B)/obj/catalogue/%.o,mkcatalogue tables traits fields records groups wrap fortran fortran_names virtual pvm)
$(MKCATALOGUE): $(B)/obj/catalogue/%.o: catalogue/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ours) -MMD -MP -c $< -o $@
$(B)/mkcatalogue: $(MKCATALOGUE)
	$(CC) $(CFLAGS) $(LDSAN) $^ -o $@

# $(call view,VIEW,FILE): what it says as before keeps its time
define view
$(2): $(B)/mkcatalogue $(TABLES)
	@mkdir -p $$(@D)
	$(B)/mkcatalogue $(1) catalogue > $$@.tmp
	cmp -s $$@.tmp $$@ && rm $$@.tmp || mv $$@.tmp $$@
endef
$(eval $(call view,ids,$(GEN)/tape_ids.h))
$(eval $(call view,codec,$(GEN)/tape_codec.h))
$(eval $(call view,skip,$(GEN)/tape_skip.h))
$(eval $(call view,names,$(GEN)/tape_names.h))
$(eval $(call view,layout,$(GEN)/tape_layout.h))
$(eval $(call view,class-uses,$(GEN)/tape_class_uses.h))
$(eval $(call view,reroute,$(GEN)/tape_reroute.h))
$(eval $(call view,reroute-fortran,$(GEN)/tape_reroute_fortran.h))
$(eval $(call view,wrap-c,$(GEN)/tape_wrap.h))
$(eval $(call view,next,$(GEN)/tape_next.h))
$(eval $(call view,real-fortran,$(GEN)/tape_real_fortran.h))
$(eval $(call view,wrap-fortran,$(GEN)/tape_wrap_fortran.h))
$(eval $(call view,virtual,$(GEN)/tape_virtual.h))
$(eval $(call view,virtual-fortran,$(GEN)/tape_virtual_fortran.h))
$(eval $(call view,prototypes,$(GEN)/tape_prototypes.h))
$(eval $(call view,check,$(GEN)/tape_check.c))
$(eval $(call view,real-pvm,$(GEN)/tape_real_pvm.h))
$(eval $(call view,wrap-pvm,$(GEN)/tape_wrap_pvm.h))
$(eval $(call view,prototypes-pvm,$(GEN)/tape_prototypes_pvm.h))
$(eval $(call view,check-pvm,$(GEN)/tape_check_pvm.c))
$(eval $(call view,calls,$(GEN)/tape_calls.h))
$(eval $(call view,man,$(GEN)/tape-calls.7))

catalogue-views: $(VIEWS)

$(eval $(call module,catalogue,))
CATALOGUE := $(B)/obj/libcatalogue.a
$(eval $(call archive,$(CATALOGUE),catalogue/error.c catalogue/position.c catalogue/equal_texts.c catalogue/record.c catalogue/checksum.c catalogue/live_file.c catalogue/launcher_options.c))
