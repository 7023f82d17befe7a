# Tape: builds everything below $(B), never inside the source tree.
#
#   make           build          make check     the tests
#   make V=1       and show all   make check-quick  those of a minute
#   make DEV=1     a warning is an error: for changes, and in make check
#   make CC=clang B=build-clang    by another compiler, in another folder
#   make demo      the whole way  make bench     the figures
#   make check-programs           more programs of others, and tests on aarch64
#   make check-all                all of these, and each fuzz target for long
#   bench/same OLD NEW            do the tools of two builds give the same
#   make install   PREFIX= DESTDIR=              make help

B        ?= build
PREFIX   ?= /usr/local
# Open MPI's and MPICH's mpicc call the compiler that CC names
ifeq ($(filter default,$(origin CC))$(findstring mpi,$(CC)),)
export OMPI_CC  ?= $(CC)
export MPICH_CC ?= $(CC)
endif
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
MPICC    ?= mpicc
FLEX     ?= flex
CFLAGS   ?= -O2 -g
VERSION  := 0.1.0
TOP      := $(CURDIR)
# as many jobs as there are processors, unless -j, or the make above, says so
ifeq ($(filter 0,$(MAKELEVEL))$(findstring -j,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

ifeq ($(strip $(B)),)
$(error B, the folder to build in, is empty)
endif
override B := $(abspath $(B))
GEN      := $(B)/gen
BIN      := $(B)/bin
LIB      := $(B)/lib
INC      := $(B)/include/tape
HAVE_MPI := $(shell command -v $(MPICC) 2>/dev/null)

# The family of MPI libraries that a compiler wrapper belongs to: "openmpi",
# "mpich" (all with that binary interface), or nothing.
mpi_family = $(shell $(1) -E -dM -include mpi.h -xc /dev/null 2>/dev/null | \
	awk '$$2 == "OPEN_MPI" { f = "openmpi" } \
	$$2 ~ /^(MPICH|I_MPI)_(NUM)?VERSION$$/ { f = "mpich" } \
	END { print f }')
# A library for each: by $(MPICC), or by the name that Debian gives the wrapper.
MPICC_FAMILY  := $(if $(HAVE_MPI),$(call mpi_family,$(MPICC)))
MPICC_OPENMPI ?= $(if $(filter openmpi,$(MPICC_FAMILY)),$(MPICC),mpicc.openmpi)
MPICC_MPICH   ?= $(if $(filter mpich,$(MPICC_FAMILY)),$(MPICC),mpicc.mpich)
# gcc takes MPICH's MPI_STATUSES_IGNORE, the address 1, for an array of that size
MPICH_FLAGS   := -Wno-stringop-overflow
MPICH_FLAGS   := $(shell $(CC) $(MPICH_FLAGS) -Werror -E -xc /dev/null >/dev/null 2>&1 && echo $(MPICH_FLAGS))
MPI_FLAGS     := $(if $(filter mpich,$(MPICC_FAMILY)),$(MPICH_FLAGS))
HAVE_OPENMPI  := $(shell command -v $(MPICC_OPENMPI) 2>/dev/null)
HAVE_MPICH    := $(shell command -v $(MPICC_MPICH) 2>/dev/null)
HAVE_PVM      := $(shell $(CC) -E -include pvm3.h -xc /dev/null >/dev/null 2>&1 && echo yes)
# SimGrid's compiler for MPI programs, whose runs are simulated
SMPICC        ?= smpicc
HAVE_SMPI     := $(shell command -v $(SMPICC) 2>/dev/null)
LIBTAPE := $(if $(HAVE_OPENMPI),$(LIB)/libtape-mpi.so) \
	$(if $(HAVE_MPICH),$(LIB)/libtape-mpich.so) \
	$(if $(HAVE_PVM),$(LIB)/libtape-pvm.so)

# One short line for each file that is made: the first shell that a target starts
# says so. V=1 shows the commands.
ifndef V
MAKEFLAGS += -s
said = $(if $(filter $(B)/%,$@),$(if $(said.$@),,$(eval said.$@ := 1)$(info $\
	$(patsubst $(B)/%,  %,$@))))
SHELL = $(said)/bin/sh
endif

# A newer compiler may warn of more: only DEV=1 makes that an error.
warnings := -Wall -Wextra -Wshadow -Wconversion $(if $(DEV),-Werror)
ours := -std=c11 -D_GNU_SOURCE -DTAPE_VERSION='"$(VERSION)"' -fPIC \
	-fvisibility=hidden -fno-math-errno $(warnings)
ifdef SAN
ours += -fsanitize=address,undefined -fno-sanitize-recover=all
LDSAN := -fsanitize=address,undefined
endif

all:

# Libraries whose files are in folders inside their own.
WITH_PARTS := reader lib/model
parts_of = $(1) $(if $(filter $(1),$(WITH_PARTS)),$(patsubst %/,%,$(wildcard $(1)/*/)))
# $(call include_flags,FOLDERS), $(call sources,FOLDER)
include_flags = $(foreach f,$(1),$(patsubst %,-I%,$(call parts_of,$(f))))
sources = $(wildcard $(patsubst %,%/*.c,$(call parts_of,$(1))))

# $(call module,DIR,INCLUDED FOLDERS[,COMPILER][,FLAGS]): how the sources of one
# folder are compiled. Only the folders named can be included from.
define module
$(B)/obj/$(1)/%.o: $(1)/%.c | catalogue-views
	@mkdir -p $$(@D)
	$(or $(3),$$(CC)) $$(CFLAGS) $$(ours) $(4) $(call include_flags,$(2)) -I$$(GEN) -MMD -MP -c $$< -o $$@
endef

# $(call objects,SOURCES)
objects = $(patsubst %.c,$(B)/obj/%.o,$(1))

# $(call archive,FILE,SOURCES): a static library
define archive
$(1): $(call objects,$(2))
	@mkdir -p $$(@D)
	rm -f $$@ && ar crs $$@ $$^
endef

# $(call embedded,HEADER,PREFIX,NAME=FILE...): $(GEN)/HEADER, where PREFIX_NAME is
# an array of the bytes of FILE; of several files, as $(call joined,FILES) has them.
blank :=
joined = $(subst $(blank) ,+,$(strip $(1)))
files_of = $(subst +, ,$(word 2,$(subst =, ,$(1))))
define embedded
$(GEN)/$(1): $(foreach p,$(3),$(call files_of,$(p)))
	@mkdir -p $$(@D)
	{ $(foreach p,$(3),echo "static const unsigned char $(2)_$(firstword $(subst =, ,$(p)))[] = {"; \
		cat $(call files_of,$(p)) | od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "};";) } > $$@.tmp && mv $$@.tmp $$@
endef

# $(call program,NAME,OBJECTS AND ARCHIVES,LIBRARIES): a program in $(BIN)
define program
$(BIN)/$(1): $(2)
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(LDSAN) $$(filter %.o,$$^) $$(filter %.a,$$^) $$(LDFLAGS) $(3) -o $$@
all: $(BIN)/$(1)
PROGRAMS += $(BIN)/$(1)
endef

MODULES := options catalogue levels reader lib tapepp tools front python
ifneq ($(HAVE_MPI)$(HAVE_PVM),)
MODULES += runtime
endif
ifneq ($(HAVE_MPI),)
MODULES += stream hsplit
endif
MODULES += tests examples
ifneq ($(HAVE_MPI),)
MODULES += bench
endif
-include $(MODULES:%=%/module.mk)
-include install.mk

# What is left out where a library is not there: a line each.
left_out := $(if $(HAVE_MPI),,"no $(MPICC): libtape-mpi is left out (./deps installs Open MPI)") \
	$(if $(HAVE_MPI),$(if $(HAVE_OPENMPI),,"no $(MPICC_OPENMPI): libtape-mpi is left out (./deps installs Open MPI)")) \
	$(if $(HAVE_MPI),$(if $(HAVE_MPICH),,"no $(MPICC_MPICH): libtape-mpich is left out (./deps installs MPICH)")) \
	$(if $(HAVE_PVM),,"no pvm3.h: libtape-pvm is left out (./deps installs PVM)") \
	$(if $(HAVE_SMPI),,"no $(SMPICC): simulation is left out (./deps installs SimGrid)")
ifneq ($(strip $(left_out)),)
all: ; @printf '%s\n' $(left_out)
endif

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

check check-quick check-programs check-all demo: export TAPE_TOP := $(TOP)
check: deps-installed
	@$(MAKE) --no-print-directory DEV=1 all tests
	@tests/run $(B)

# What needs no network and installs nothing: the pure parts, and a traced run.
QUICK := $(wildcard tests/lint/*.sh) tests/golden/run.sh tests/fuzz/replay.sh tests/e2e/replay.sh
check-quick:
	@$(MAKE) --no-print-directory all tests
	@tests/run $(B) $(UNITS) $(QUICK)

# Programs of others that are large or take long, and the tests on aarch64.
check-programs:
	@./deps programs aarch64
	@$(MAKE) --no-print-directory all tests
	@TEST_TIMEOUT=5400 tests/run $(B) tests/programs/*.sh

# All of these, with what make check leaves to it (ALL=1), and ten minutes of
# each fuzz target: some four hours.
check-all: export ALL := 1
check-all: check check-programs
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=$(call minutes_of_each,10)

demo: deps-installed
	@$(MAKE) --no-print-directory all
	@bench/demo $(B)

bench:
	@./deps bench
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory benches

deps-installed:
	@./deps

clean:
	rm -rf $(B)

help:
	@sed -n 's/^#   //p' Makefile

.PHONY: all check check-quick check-programs check-all demo bench deps-installed clean help install uninstall \
	tests catalogue-views dist golden-update compile_commands.json
.DELETE_ON_ERROR:
