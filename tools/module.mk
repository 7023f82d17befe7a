# Libraries shared by the tools, then one program per remaining folder.
# A folder's own module.mk may set NAME_PROGRAM and NAME_LIBS.
$(eval $(call module,tools/common,catalogue reader tools/model tools/common))
COMMON := $(B)/obj/libcommon.a
$(eval $(call archive,$(COMMON),$(wildcard tools/common/*.c)))

$(eval $(call module,tools/model,catalogue tools/model))
MODEL := $(B)/obj/libmodel.a
$(eval $(call archive,$(MODEL),$(wildcard tools/model/*.c)))

TOOLS := $(filter-out common model,$(patsubst tools/%/,%,$(sort $(dir $(wildcard tools/*/*.c)))))
-include $(wildcard $(TOOLS:%=tools/%/module.mk))
define tool
$(call module,tools/$(1),reader tools/common tools/model catalogue tools/$(1))
$(call program,$(or $($(1)_PROGRAM),$(1)),$(call objects,$(wildcard tools/$(1)/*.c)) $(COMMON) $(MODEL) $(READER) $(CATALOGUE),$($(1)_LIBS) -lm)
endef
$(foreach t,$(TOOLS),$(eval $(call tool,$(t))))
