/* Macros that tapepp does not see. */
#define SHOW(x) printf("%s: %d\n", #x, x)
#define SPELL(x) #x
#define EXPAND(x) SPELL(x)
#define PROFILED(x) P##x
#define QUIET(x) do { if ((x) != MPI_SUCCESS) return 1; } while (0)
