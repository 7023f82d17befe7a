# tape_signals.py TAPE PROGRAM RUNS SEED: `tape live PROGRAM` (signalled.c) gets
# signals at random moments: it and its group, again and again, before, while and
# after the program runs; its terminal closes; it is killed. Prints a line for
# each run that left a spool or a process, hung, or whose status is not the
# program's; and counts of what happened.
import collections, concurrent.futures, os, pty, random, re, resource, signal
import subprocess, sys, tempfile, threading, time

tape, program, runs, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
HANG_S = 100
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
forking = threading.Lock()


class Run:
    def __init__(self, number):
        self.r = r = random.Random(f"{seed}.{number}")
        self.number = number
        self.kind = r.choices(["signals", "kill", "kill all", "terminal"],
                              [16, 2, 1, 2])[0]
        self.counts = self.kind in ("signals", "kill") and r.random() < 0.4
        self.moment = r.uniform(0, 2.5)
        self.sent = []
        self.wrong = []
        self.happened = []

    def say(self, what):
        self.wrong.append(what)

    # Processes of the session, but for those that have ended.
    def processes(self):
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                words = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            if int(words[3]) == self.pid and words[0] not in "ZX":
                found.append(int(name))
        return found

    # Waits until the condition holds.
    def until(self, holds, what):
        end = time.monotonic() + HANG_S
        while not holds():
            if time.monotonic() > end:
                self.say(what)
                return False
            time.sleep(0.02)
        return True

    def start(self):
        self.folder = tempfile.mkdtemp(dir="/dev/shm", prefix="tape-e2e.")
        self.file = f"{self.folder}/file"
        self.spools = f"{self.folder}/spools"
        os.mkdir(self.spools)
        self.env = {**os.environ, "TAPE_SPOOL": self.spools,
                    # Open MPI: no daemon, which gets the signals, too, and
                    # none of the folders that another run removes
                    "OMPI_MCA_ess_singleton_isolated": "1",
                    "OMPI_MCA_orte_tmpdir_base": self.folder}
        seconds = f"{self.r.uniform(0.1, 1.5):.2f}"
        command = [tape, "live", program, self.file, seconds]
        if self.counts:
            command.append("count")
        self.err = open(self.folder + "/err", "w+")
        # a process that is forked while others are has their descriptors
        with forking:
            if self.kind == "terminal":
                if self.r.random() < 0.5:
                    command = ["sh", "-c", '"$@"; exit $?', "sh", *command]
                self.pid, self.terminal = pty.fork()
                if not self.pid:
                    os.closerange(3, 256)
                    os.execvpe(command[0], command, self.env)
                os.set_inheritable(self.terminal, False)
            else:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=self.err,
                    stderr=self.err, env=self.env, start_new_session=True)
                self.pid = self.process.pid

    def poll(self):
        if self.kind == "terminal":
            got, status = os.waitpid(self.pid, os.WNOHANG)
            if got:
                self.rc = os.waitstatus_to_exitcode(status)
            return bool(got)
        self.rc = self.process.poll()
        return self.rc is not None

    def left(self):
        return os.listdir(self.spools)

    def send(self, number, to_all):
        try:
            (os.killpg if to_all else os.kill)(self.pid, number)
            self.sent.append(number)
        except ProcessLookupError:
            pass

    def act(self):
        r = self.r
        time.sleep(self.moment)
        if self.kind == "kill":
            self.send(signal.SIGKILL, False)
        elif self.kind == "kill all":
            self.send(signal.SIGKILL, True)
        elif self.kind == "terminal":
            os.close(self.terminal)
        else:
            first, to_all = r.choice(SIGNALS), r.random() < 0.6
            mixed = r.random() < 0.3
            for i in range(r.randint(1, 6)):
                # an ended process that nobody waited for has its number still
                if i and self.poll():
                    break
                self.send(r.choice(SIGNALS) if mixed else first,
                          r.random() < 0.6 if mixed else to_all)
                time.sleep(r.uniform(0, 0.25))

    def text(self, name):
        try:
            return open(f"{self.folder}/{name}").read()
        except OSError:
            return ""

    def check_status(self):
        how = self.text("file")
        # -n: tape had only just been started
        ended = [128 + n for n in self.sent]
        if "begun" not in how:
            ended += [-n for n in self.sent]
        if self.kind == "terminal":
            ended = [129, -signal.SIGHUP]
        if "finished" in how:
            self.happened.append("the program finished")
            if self.rc != (5 if self.counts else 0) and self.kind != "terminal":
                self.say(f"status {self.rc} of a program that finished")
        else:
            self.happened.append("the program was ended " + (
                "while it was traced" if "traced" in how else
                "while it began" if "begun" in how else "before it began"))
            if self.counts and "begun" in how:
                self.say(f"a program that counts signals was ended: {self.rc}")
            # a terminal may be gone before it is the process's
            if self.rc not in ended and (
                    "begun" in how or self.kind != "terminal"):
                self.say(f"status {self.rc} of a program that was ended")
        got = re.search("got ([0-9]+)", how)
        if got and int(got[1]) > len(self.sent):
            self.say(f"got {got[1]} signals of {len(self.sent)}")
        if got and self.counts and self.sent:
            self.happened.append("signals were counted")
        if ("traced" in how and "finished" not in how and len(self.sent) == 1
                and not re.search("(?m)^" + re.escape(os.path.basename(program)) +
                                  "  1 rank", self.text("err"))):
            self.say("no report of what came")

    def check_killed(self):
        how = self.text("file")
        if self.kind == "kill" and "begun" in how and (
                "finished" not in how or "got 0" not in how):
            self.say(f"tape was killed: the program said {how!r}")
        if self.kind == "kill" and "begun" in how:
            # whoever outlives tape removes the spool
            self.until(lambda: not self.left(), "tape was killed: a spool is left")
        elif self.left():
            self.happened.append("a spool was left by SIGKILL to all")
            said = subprocess.run([tape, "live", "true"], env=self.env,
                                  capture_output=True, text=True).stderr
            if "left by a killed tape live" not in said:
                self.say(f"nothing was said of what was left: {said!r}")

    def run(self):
        self.start()
        actor = threading.Thread(target=self.act)
        actor.start()
        self.until(self.poll, "tape hung")
        actor.join()
        if self.until(lambda: not self.processes(), "processes are left"):
            if self.kind.startswith("kill"):
                if self.rc == -signal.SIGKILL:
                    self.check_killed()
            else:
                self.check_status()
        if self.left():
            self.say(f"left: {self.left()}")
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        if self.wrong:
            print(f"run {self.number}, {self.kind}, "
                  f"{'counting, ' if self.counts else ''}moment {self.moment:.2f}, sent "
                  f"{[s.name for s in self.sent]}: {'; '.join(self.wrong)}\n{self.text('err')[:1500]}",
                  flush=True)
        self.err.close()
        subprocess.run(["rm", "-rf", self.folder])
        return self.happened + [self.kind]


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    happened = collections.Counter(
        what for all_ in pool.map(lambda n: Run(n).run(), range(runs)) for what in all_)
for what, n in sorted(happened.items()):
    print(f"{n} times: {what}", file=sys.stderr)
