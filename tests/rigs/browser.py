#!/usr/bin/env python3
"""Looks at a page in Chromium without a screen, as somebody at it would.

browser.py [-s WIDTHxHEIGHT] [-d] PAGE STEP...

PAGE is a file or an address.

Waits until the page is loaded (data-load-ms), then does the steps in order:
  js:EXPRESSION     prints its value; a promise is waited for
  key:KEY           presses it
  click:X,Y         on the page; also move:X,Y and drag:X,Y,X,Y
  wheel:X,Y,DELTA
  png:FILE          a picture of the window
-d: dark. Complaints of the page (errors, console) go to standard error, and the
status is then 1.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

NAMES = "chromium", "chromium-browser", "google-chrome"


class Browser:
    def __init__(self, size):
        self.folder = tempfile.mkdtemp()
        down, up = os.pipe(), os.pipe()
        self.out, self.into = down[1], up[0]
        self.buffer, self.count, self.complaints = b"", 0, []
        program = next(filter(None, map(shutil.which, NAMES)))

        def fds():
            # as --remote-debugging-pipe wants them, above each other first
            a, b = os.dup2(down[0], 13), os.dup2(up[1], 14)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--user-data-dir=" + self.folder,
             "--window-size=%d,%d" % size, "--remote-debugging-pipe",
             "about:blank"], preexec_fn=fds, close_fds=False,
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(down[0])
        os.close(up[1])
        target = next(t for t in self.call("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target[
            "targetId"], flatten=True)["sessionId"]

    session = None

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.into, 1 << 20)
            if not more:
                raise SystemExit("browser.py: the browser is gone")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit("browser.py: %s" % answer["error"])
                return answer["result"]
            self.event(answer)

    def event(self, answer):
        what, params = answer.get("method"), answer.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        if what == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(params["args"]))
        if what == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])

    def value(self, expression):
        r = self.call("Runtime.evaluate", expression=expression,
                      awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            self.complaints.append(json.dumps(r["exceptionDetails"]))
        return r["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def frame(self):
        self.value("new Promise(r => requestAnimationFrame(() =>"
                   "setTimeout(r, 5)))")

    def step(self, step):
        kind, _, rest = step.partition(":")
        numbers = [] if kind in ("js", "key", "png") else [
            float(v) for v in rest.split(",")]
        if kind == "js":
            print(self.value(rest))
        elif kind == "key":
            text = rest if len(rest) == 1 else ""
            self.call("Input.dispatchKeyEvent", type="keyDown", key=rest,
                      text=text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=rest)
        elif kind == "move":
            self.mouse("mouseMoved", *numbers)
        elif kind == "wheel":
            self.mouse("mouseWheel", *numbers[:2], deltaX=0,
                       deltaY=numbers[2])
        elif kind in ("click", "drag"):
            self.mouse("mouseMoved", *numbers[:2])
            self.mouse("mousePressed", *numbers[:2], button="left",
                       clickCount=1)
            if kind == "drag":
                self.mouse("mouseMoved", *numbers[2:], button="left",
                           buttons=1)
            self.mouse("mouseReleased", *numbers[-2:], button="left",
                       clickCount=1)
        elif kind == "png":
            data = self.call("Page.captureScreenshot")["data"]
            with open(rest, "wb") as f:
                f.write(base64.b64decode(data))
        self.frame()

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    args, size, dark = sys.argv[1:], (1400, 1000), False
    while args and args[0] in ("-s", "-d"):
        if args[0] == "-d":
            dark = True
        else:
            size = tuple(map(int, args.pop(1).split("x")))
        args.pop(0)
    b = Browser(size)
    try:
        for domain in "Page", "Runtime", "Log":
            b.call(domain + ".enable")
        if dark:
            b.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark"}])
        page, _, part = args[0].partition("#")
        if "://" not in page:
            page = "file://" + os.path.abspath(page)
        b.call("Page.navigate", url=page + ("#" + part if part else ""))
        end = time.time() + 60
        while not b.value("document.documentElement?.dataset.loadMs"):
            if time.time() > end or b.complaints:
                break
            time.sleep(0.05)
        for step in args[1:]:
            b.step(step)
    finally:
        b.close()
    for c in b.complaints:
        print("complaint:", c, file=sys.stderr)
    return bool(b.complaints)


sys.exit(main())
