# Installing, packing, and the list of compile commands.
#
#   make dist      a source archive     make compile_commands.json   for editors
#
# Everything has a fixed place below PREFIX, because programs find the library and
# the headers relative to themselves: bin/../lib, bin/../include.
DEST = $(DESTDIR)$(PREFIX)

# The reader as one archive: its own objects and the catalogue's.
READER_LIB := $(LIB)/libtape-reader.a
READER_HEADERS := reader/tape_reader.h reader/tape_follow.h reader/tape_call_in_progress.h $(GEN)/tape_ids.h catalogue/record.h \
	catalogue/error.h
$(eval $(call archive,$(READER_LIB),$(reader_SRC) catalogue/error.c catalogue/position.c catalogue/equal_texts.c catalogue/record.c))
all: $(READER_LIB)

# And as a shared library, which exports what tape_reader.h declares.
READER_VERSION := 0
comma := ,
READER_SO := $(LIB)/libtape-reader.so.$(READER_VERSION)
READER_LINK := $(LIB)/libtape-reader.so
$(READER_SO): $(call objects,$(reader_SRC) catalogue/error.c catalogue/position.c catalogue/equal_texts.c catalogue/record.c)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(LDFLAGS) -shared -Wl,-soname,$(@F) $^ -lm \
		-o $@
$(READER_LINK): $(READER_SO)
	ln -sf $(<F) $@
all: $(READER_LINK)

# This page has generated tables; head and tail are written by hand.
CALLS_PAGE := $(B)/man/tape-calls.7
$(CALLS_PAGE): doc/tape-calls.head $(GEN)/tape-calls.7 doc/tape-calls.tail
	@mkdir -p $(@D)
	{ echo "'\\\" t"; cat doc/tape-calls.head; \
	  sed -n '/^\.SH CALLS/,$$p' $(GEN)/tape-calls.7 | sed '/^\.SH SEE ALSO/,$$d'; \
	  cat doc/tape-calls.tail; } > $@.tmp && mv $@.tmp $@
all: $(CALLS_PAGE)

PAGES := $(wildcard reader/*.[1357] runtime/*.[1357] runtime/taperun/*.[1357] tapepp/*.[1357] tools/*/*.[1357] front/*.[1357] \
	doc/*.[1357] hsplit/*.[1357] plugin/*.[1357] stream/*.[1357]) $(CALLS_PAGE)
# where `tape help` finds them that is not installed
$(B)/man/%: ; @mkdir -p $(@D) && ln -sf $(TOP)/$(filter %/$*,$(PAGES)) $@
all: $(addprefix $(B)/man/,$(notdir $(PAGES)))

# tape.3 under the names of its functions
ALIASES := tape_off.3 tape_on.3 tape_enter.3 tape_leave.3
# and tape_hsplit.3
HSPLIT_ALIASES := tape_hsplit_with_roots.3 tape_hsplit_all.3 tape_get_hlevel_info.3 tape_get_min_hlevel.3
# and tape_hierarchy.3
HIERARCHY_ALIASES := tape_hierarchy_create.3 tape_hierarchy_free.3 tape_hbcast.3 tape_hreduce.3 tape_hallreduce.3 tape_hbarrier.3
# and tape_stream.3
STREAM_ALIASES := $(foreach n,start stop text open open_map write read room put look done count close,tape_stream_$(n).3) \
	$(foreach n,count mine find name size rank,tape_partition_$(n).3) \
	$(foreach n,create clear free partition with rank size get,tape_map_$(n).3)
# and tape_plugin.3
PLUGIN_ALIASES := $(foreach n,add remove board type submit arguments say figure status fail,tape_ks_$(n).3) \
	tape_entry_keep.3 tape_entry_drop.3
TEXTS := $(wildcard README.md doc/*.md) LICENSE
LICENCES := $(wildcard LICENSES/*.txt)
PICTURES := $(wildcard doc/pictures/*.svg)

# $(call page,SECTION,PAGES)
page = $(filter %.$(1),$(2))
# $(call below,FOLDER,FILES): where files of that name are installed
below = $(addprefix $(1)/,$(notdir $(2)))

SECTIONS := 1 3 5 7
# programs whose command lines the shells complete: they find a script by its name
COMPLETED := $(notdir $(PROGRAMS))
TRACERS := $(patsubst lib%.so,%,$(notdir $(LIBTAPE)))
HSPLITS := $(patsubst lib%.so,%,$(notdir $(LIBHSPLIT)))
STREAMS := $(patsubst lib%.so,%,$(notdir $(LIBSTREAM)))
PACKAGES := tape-reader.pc tape-plugin.pc $(TRACERS:=.pc) $(HSPLITS:=.pc) $(STREAMS:=.pc)
INSTALLED = $(call below,bin,$(PROGRAMS)) $(call below,libexec,$(LIBEXEC)) \
	$(call below,lib,$(LIBTAPE) $(LIBHSPLIT) $(LIBSTREAM) $(READER_LIB) $(READER_SO) $(READER_LINK) $(PVM_ARCHIVE) $(PVM_LINK) $(PVM_CLOCK) \
		$(SMPI_PARTS) $(SMPI_HOSTS)) \
	$(call below,lib/python3/dist-packages,$(PYTHON_MODULE)) \
	$(call below,lib/pkgconfig,$(PACKAGES)) \
	$(call below,include,$(PUBLIC_HEADER) $(HSPLIT_HEADERS) $(STREAM_HEADER) $(PLUGIN_HEADER)) \
	$(call below,include/tape,$(HEADERS)) \
	$(call below,include/tape-reader,$(READER_HEADERS)) \
	$(foreach s,$(SECTIONS),$(call below,share/man/man$(s),$(call page,$(s),$(PAGES) $(ALIASES) $(HSPLIT_ALIASES) $(HIERARCHY_ALIASES) $(STREAM_ALIASES) $(PLUGIN_ALIASES)))) \
	$(call below,share/bash-completion/completions,$(COMPLETED)) share/zsh/site-functions/_tape \
	$(call below,share/fish/vendor_completions.d,$(COMPLETED:=.fish)) \
	$(call below,share/doc/tape,$(TEXTS)) \
	$(call below,share/doc/tape/LICENSES,$(LICENCES)) \
	$(call below,share/doc/tape/pictures,$(PICTURES))
OWN_FOLDERS := include/tape include/tape-reader share/doc/tape/LICENSES \
	share/doc/tape/pictures share/doc/tape

# include/tape belongs to tapecc: its mpi.h comes before the real one, and programs
# that are only linked with Tape must not see it.
PUBLIC_HEADER := $(if $(LIBTAPE),runtime/tape.h runtime/tape.f90)
PLUGIN_HEADER := plugin/tape_plugin.h
STREAM_HEADER := $(if $(LIBSTREAM),stream/tape_stream.h)
# modules for Fortran are compiled with the program
HSPLIT_HEADERS := $(if $(LIBHSPLIT),hsplit/tape_hsplit.h hsplit/tape_hsplit.f90)

# $(call put,MODE,FOLDER,FILES)
put = $(if $(strip $(3)),install -d "$(DEST)/$(2)" && install -m $(1) $(3) "$(DEST)/$(2)")

# $(call package,NAME,DESCRIPTION,HEADERS,LIBRARIES)
define package
printf '%s\n' 'prefix=$${pcfiledir}/../..' 'libdir=$${prefix}/lib' \
	'includedir=$${prefix}/$(3)' '' 'Name: $(1)' \
	'Description: $(2)' 'Version: $(VERSION)' \
	'Cflags: -I$${includedir}' 'Libs: -L$${libdir} $(4)' > "$(DEST)/lib/pkgconfig/$(1).pc"
endef

install: all
	$(call put,755,bin,$(PROGRAMS))
	$(call put,755,libexec,$(LIBEXEC))
	$(call put,644,lib,$(LIBTAPE) $(LIBHSPLIT) $(LIBSTREAM) $(READER_LIB) $(PVM_ARCHIVE) $(PVM_LINK) $(SMPI_PARTS))
	$(call put,755,lib,$(PVM_CLOCK) $(READER_SO) $(SMPI_HOSTS))
	ln -sf $(notdir $(READER_SO)) "$(DEST)/lib/$(notdir $(READER_LINK))"
	$(call put,644,lib/python3/dist-packages,$(PYTHON_MODULE))
	$(call put,644,include,$(PUBLIC_HEADER) $(HSPLIT_HEADERS) $(STREAM_HEADER) $(PLUGIN_HEADER))
	$(call put,644,include/tape,$(HEADERS))
	$(call put,644,include/tape-reader,$(READER_HEADERS))
	$(call put,644,share/man/man1,$(call page,1,$(PAGES)))
	$(call put,644,share/man/man3,$(call page,3,$(PAGES)))
	$(call put,644,share/man/man5,$(call page,5,$(PAGES)))
	$(call put,644,share/man/man7,$(call page,7,$(PAGES)))
	for a in $(ALIASES); do \
		echo .so man3/tape.3 > "$(DEST)/share/man/man3/$$a" || exit 1; \
	done
	for a in $(HSPLIT_ALIASES); do \
		echo .so man3/tape_hsplit.3 > "$(DEST)/share/man/man3/$$a" || exit 1; \
	done
	for a in $(HIERARCHY_ALIASES); do \
		echo .so man3/tape_hierarchy.3 > "$(DEST)/share/man/man3/$$a" || exit 1; \
	done
	for a in $(STREAM_ALIASES); do \
		echo .so man3/tape_stream.3 > "$(DEST)/share/man/man3/$$a" || exit 1; \
	done
	for a in $(PLUGIN_ALIASES); do \
		echo .so man3/tape_plugin.3 > "$(DEST)/share/man/man3/$$a" || exit 1; \
	done
	install -D -m 644 $(COMPLETION)/bash "$(DEST)/share/bash-completion/completions/tape"
	install -D -m 644 $(COMPLETION)/zsh "$(DEST)/share/zsh/site-functions/_tape"
	install -D -m 644 $(COMPLETION)/fish "$(DEST)/share/fish/vendor_completions.d/tape.fish"
	for c in $(filter-out tape,$(COMPLETED)); do \
		ln -sf tape "$(DEST)/share/bash-completion/completions/$$c" && \
		ln -sf tape.fish "$(DEST)/share/fish/vendor_completions.d/$$c.fish" || exit 1; \
	done
	$(call put,644,share/doc/tape,$(TEXTS))
	$(call put,644,share/doc/tape/LICENSES,$(LICENCES))
	$(call put,644,share/doc/tape/pictures,$(PICTURES))
	install -d "$(DEST)/lib/pkgconfig"
	$(call package,tape-reader,reads the traces of Tape,include/tape-reader,-Wl$(comma)-rpath$(comma)$${libdir} -ltape-reader)
	$(call package,tape-plugin,analyses that tools of Tape load,include,)
	$(if $(filter tape-mpi,$(TRACERS)),$(call package,tape-mpi,traces a program of Open MPI that is linked with it,include,-ltape-mpi))
	$(if $(filter tape-mpich,$(TRACERS)),$(call package,tape-mpich,traces a program of MPICH that is linked with it,include,-ltape-mpich))
	$(if $(filter tape-pvm,$(TRACERS)),$(call package,tape-pvm,traces a program of PVM that is linked with it,include,-ltape-pvm))

	$(if $(filter tape-hsplit,$(HSPLITS)),$(call package,tape-hsplit,communicators along the hardware for Open MPI,include,-Wl$(comma)-rpath$(comma)$${libdir} -ltape-hsplit))
	$(if $(filter tape-hsplit-mpich,$(HSPLITS)),$(call package,tape-hsplit-mpich,communicators along the hardware for MPICH,include,-Wl$(comma)-rpath$(comma)$${libdir} -ltape-hsplit-mpich))
	$(if $(filter tape-stream,$(STREAMS)),$(call package,tape-stream,streams between programs of one job for Open MPI,include,-Wl$(comma)-rpath$(comma)$${libdir} -ltape-stream))
	$(if $(filter tape-stream-mpich,$(STREAMS)),$(call package,tape-stream-mpich,streams between programs of one job for MPICH,include,-Wl$(comma)-rpath$(comma)$${libdir} -ltape-stream-mpich))

uninstall:
	rm -f $(patsubst %,"$(DEST)/%",$(INSTALLED))
	for d in $(OWN_FOLDERS); do \
		[ ! -d "$(DEST)/$$d" ] || \
		rmdir --ignore-fail-on-non-empty "$(DEST)/$$d"; \
	done

dist:
	@mkdir -p $(B)
	git archive --prefix=tape-$(VERSION)/ -o $(B)/tape-$(VERSION).tar.gz HEAD

# What make would run to compile everything; in $(B), where clangd looks.
compile_commands.json:
	@mkdir -p $(B)
	@$(MAKE) -nB --no-print-directory all tests | \
	awk -v dir='$(TOP)' 'BEGIN { printf "[" } \
	/ -c [^ ]+\.c / && / -o [^ ]+\.o$$/ { \
		match($$0, / -c [^ ]+\.c /); \
		file = substr($$0, RSTART + 4, RLENGTH - 5); \
		gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, " "); \
		printf "%s\n{\"directory\":\"%s\",\"file\":\"%s\",\"command\":\"%s\"}", \
			n++ ? "," : "", dir, file, $$0; } \
	END { print "\n]" }' > $(B)/compile_commands.json
	@echo $(B)/compile_commands.json
