#!/bin/bash
# What is of one machine is in runtime/arch, and nowhere else in what users run:
# questions which machine it is, assembler, the functions of one processor. The
# size of a page is the system's.
# Truth: rules of the folder runtime/arch (runtime/arch/arch.h).
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash

git rev-parse --git-dir >/dev/null 2>&1 || {
	skip "machine" "git is missing, or this is no clone"
	finish
}

# Lines of files that are of one machine: macros of processors in directives,
# assembler, builtins and headers of x86 and ARM. Comments and the words of
# sources that tapepp reads (texts) are not looked at.
of_one_machine()
{
	awk '
	FNR == 1 { inside = 0 }
	{
		s = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", s)
		gsub(/\/\*[^*]*\*\//, " ", s)
		if (inside && !sub(/^.*\*\//, "", s))
			next
		inside = sub(/\/\*.*$/, "", s)
		sub(/\/\/.*$/, "", s)
		directive = s ~ /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)/
		if ((directive && s ~ processors) || s ~ assembler ||
		    s ~ builtins || s ~ headers)
			print FILENAME ":" FNR ": " $0
	}' processors='(__|_M_)(x86_64|amd64|i[3-6]86|X64|IX86|aarch64|arm|ARM|ARM64|powerpc|ppc|riscv|s390|mips|sparc|loongarch|ia64)' \
		assembler='(^|[^A-Za-z0-9_])(__asm__|__asm|asm)[ \t]*(volatile|__volatile__|goto)?[ \t]*\(' \
		builtins='__builtin_(ia32|arm|aarch64|ppc|altivec)_|(^|[^A-Za-z0-9_])_mm(256|512)?_[a-z]|__rdtscp?[ \t]*\(' \
		headers='#[ \t]*include[ \t]*<(.*intrin|cpuid|arm_.*|sys/io|asm/.*)\.h>' \
		"$@"
}

{
	printf '%s\n' '#ifdef __x86_64__' '#endif' '#if defined(__aarch64__)' \
		'	__asm__ volatile("");' 'asm("nop");' \
		't = __builtin_ia32_rdtsc();' '#include <x86intrin.h>' \
		'/* asm("x") */' 'a = "__asm__(";' ' * of __x86_64__' >"$work/x.c"
	of_one_machine "$work/x.c" | cut -d: -f2 | xargs >"$work/found"
	grep -qx '1 3 4 5 6 7' "$work/found" || cat "$work/found"
} | none "what is of one machine would be seen, comments and texts would not"

git ls-files -co --exclude-standard '*.[chly]' |
	grep -vE '^(tests|bench|examples)/|^runtime/arch/' |
	while IFS= read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done \
		>"$work/files"
{ [ "$(wc -l <"$work/files")" -gt 300 ] || wc -l <"$work/files"; } |
	none "files are found"
mapfile -t files <"$work/files"
of_one_machine "${files[@]}" | none "what is of one machine is in runtime/arch"

# generated wrappers are compiled, too
shopt -s nullglob
generated=("$TAPE_BUILD"/gen/*.[ch] "$TAPE_BUILD"/gen-smpi/*.[ch])
if [ ${#generated[@]} -gt 0 ]; then
	of_one_machine "${generated[@]}" | none "and in no generated source"
else
	skip "generated sources" "there are none"
fi

# the sizes of pages: 4096 less one as a mask or to round up; madvise, mprotect
# or a hole of 4096 bytes
xargs grep -nE '[&+~)][ ]*4095([^0-9]|$)|[&~)][ ]*0xfff([^0-9a-f]|$)|(madvise|mprotect|munmap|fallocate|mmap)\([^;]*[^0-9]4096[^0-9]|getpagesize|(^|[^A-Z_])PAGE_SIZE' \
	<"$work/files" /dev/null | none "the system says how large a page is"

finish
