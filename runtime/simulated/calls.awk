# From tape_has_smpi.h, then what "mkcatalogue check" prints: the declarations
# of the calls that SimGrid's mpi.h has, by both of their names.
NR == FNR {
	has[$2] = 1
	next
}
# int (*tape_check_MPI_Init)(int * argc, char *** argv) = MPI_Init;
!/^extern/ && split($0, part, /\(\*tape_check_/) == 2 {
	name = part[2]
	sub(/\).*/, "", name)
	parameters = substr(part[2], length(name) + 2)
	sub(/ = .*/, ";", parameters)
	if (!("TAPE_HAS_" name in has))
		next
	print "#undef " name
	print part[1] name parameters
	print part[1] "P" name parameters
}
