/* See launcher_options.h. */
#include <string.h>

#include "launcher_options.h"

static const char *const two_values[] = { "mca", "gmca", "pmca", "prtemca",
					  "env", "genv", NULL };

static const char *const one_value[] = {
	/* both */
	"H", "bind-to", "c", "host", "hosts", "launcher-exec", "map-by", "n",
	"np", "path", "wd", "wdir",
	/* Open MPI */
	"N", "add-host", "add-hostfile", "am", "app", "cartofile", "cf",
	"cpu-list", "cpu-set", "cpus-per-proc", "cpus-per-rank", "debugger",
	"default-hostfile", "dvm", "hnp", "hostfile", "launch-agent",
	"machinefile", "max-restarts", "max-vm-size", "npernode", "npersocket",
	"ompi-server", "output-filename", "personality", "ppr", "prefix",
	"preload-files", "rank-by", "rankfile", "report-events", "report-pid",
	"report-uri", "rf", "server-wait-time", "slot-list", "stdin", "timeout",
	"tune", "x", "xml-file", "xterm",
	/* Hydra */
	"bootstrap", "bootstrap-exec", "configfile", "demux", "envlist",
	"errfile-pattern", "f", "genvlist", "gpus-per-proc", "hostlist",
	"iface", "launcher", "localhost", "membind", "nameserver",
	"order-nodes", "outfile-pattern", "perhost", "ppn", "prepend-pattern",
	"rmk", "topolib", "usize", NULL
};

static const char *const no_value[] = {
	/* both */
	"V", "h", "help", "v", "verbose", "version",
	/* Open MPI */
	"allow-run-as-root", "bind-to-core", "bind-to-none", "bind-to-socket",
	"bycore", "bynode", "byslot", "bysocket", "continuous", "d",
	"debug-daemons", "debug-daemons-file", "debug-devel",
	"disable-recovery", "display-allocation", "display-devel-allocation",
	"display-devel-map", "display-diffable-map", "display-map",
	"display-topo", "do-not-launch", "do-not-resolve", "enable-recovery",
	"get-stack-traces", "index-argv-by-rank", "leave-session-attached",
	"merge-stderr-to-stdout", "nolocal", "nooversubscribe", "novm", "nw",
	"oversubscribe", "p", "preload-binary", "q", "quiet",
	"report-bindings", "report-child-jobs-separately",
	"report-state-on-timeout", "s", "show-progress", "staged",
	"tag-output", "timestamp-output", "tv", "use-hwthread-cpus",
	"use-regexp",
	/* Hydra */
	"disable-auto-cleanup", "disable-hostname-propagation", "disable-x",
	"enable-x", "envall", "envnone", "genvall", "genvnone", "info", "l",
	"pmi-port", "prepend-rank", "print-all-exitcodes", "profile",
	"skip-launch-node", NULL
};

static int is_listed(const char *word, const char *const *names)
{
	while (*names && strcmp(word, *names))
		names++;
	return *names != NULL;
}

int tape_launcher_values(const char *option)
{
	if (*option != '-')
		return 0;
	option += 1 + (option[1] == '-');
	return is_listed(option, two_values)  ? 2
	       : is_listed(option, one_value) ? 1
	       : is_listed(option, no_value) || strchr(option, '=')
		   ? 0
		   : TAPE_LAUNCHER_UNKNOWN;
}
