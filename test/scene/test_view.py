"""cordage view: the server that it is for one browser on this machine, and for nothing else."""

import http.client
import os
import random
import resource
import signal
import socket
import subprocess
import time
import unittest

from program import PROGRAM, ROPE, SceneTest, needs, prepare

PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>Cordage</title></head><body>
<script type="application/x-cordage-reel" id="reel"></script>
</body></html>
"""


class View(SceneTest):
    files = {"cordage.html": PAGE, "rope.json": ROPE}

    def view(self, *arguments, env=None):
        """Starts it, and returns the process, the port and the address."""
        environment = dict(os.environ, CORDAGE_WEB=self.dir, TMPDIR=self.dir, **(env or {}))
        process = subprocess.Popen(
            [PROGRAM, "view", *arguments], cwd=self.dir, env=environment, **prepare()
        )
        self.addCleanup(self.end, process)
        address = process.stdout.readline().decode().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/(#reel=data\.reel)?$")
        return process, int(address.split(":")[2].split("/")[0]), address

    def ask(self, port, method="GET", path="/", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def raw(self, port, request):
        """The first line of the answer to these bytes; empty: it hung up."""
        with socket.create_connection(("127.0.0.1", port), timeout=60) as caller:
            try:
                caller.sendall(request)
                caller.shutdown(socket.SHUT_WR)
                text = b""
                while True:
                    piece = caller.recv(65536)
                    if not piece:
                        break
                    text += piece
            except (BrokenPipeError, ConnectionResetError):
                return ""
        return text.split(b"\r\n")[0].decode("latin-1")

    def stop(self, process, how=signal.SIGINT):
        process.send_signal(how)
        process.wait(timeout=60)
        err = process.stderr.read().decode()
        self.assertNotIn("Sanitizer", err)
        self.assertNotIn("runtime error", err)
        return process.returncode, err

    def test_the_page_alone(self):
        process, port, address = self.view("--no-browser")
        self.assertTrue(address.endswith("/"))
        answer, body = self.ask(port)
        self.assertEqual((answer.status, body.decode()), (200, PAGE))
        self.assertEqual(answer.getheader("Content-Type"), "text/html; charset=utf-8")
        self.assertEqual(self.ask(port, path="/data.reel")[0].status, 404)
        status, err = self.stop(process)
        self.assertEqual(status, 0)
        self.assertIn("Ctrl-C ends it", err)

    def test_a_scene_is_served_as_it_is(self):
        process, port, address = self.view("rope.json", "--no-browser", "--set", "gravity=[0,0,-1]")
        self.assertTrue(address.endswith("/#reel=data.reel"))
        answer, body = self.ask(port, path="/data.reel")
        self.assertEqual(answer.status, 200)
        self.assertEqual(body[:8], b"CORDREEL")
        self.assertIn(b"gravity=[0,0,-1]", body)
        self.assertIn(b'"title": "test rope"', body)
        self.assertNotIn(b"FRAM", body)
        self.assertNotIn(self.dir.encode(), body)  # folders of this machine are nobody's business
        self.assertEqual(self.stop(process, signal.SIGTERM)[0], 0)

    @needs("hdf5")
    def test_a_recording_is_served_with_its_frames(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "-o", "rope.reel")
        process, port, _ = self.view("rope.h5", "--no-browser")
        body = self.ask(port, path="/data.reel")[1]
        self.assertEqual(body, self.read_bytes("rope.reel"))
        left = [name for name in os.listdir(self.dir) if name.startswith("cordage-")]
        self.assertEqual(left, [])  # what was written has no name any more
        self.stop(process)

    @needs("hdf5")
    def test_part_of_a_recording(self):
        self.good("run", "rope.json", "--until", "0.1")
        self.good("export", "rope.h5", "--frames", "1:2", "-o", "part.reel")
        process, port, _ = self.view("rope.h5", "--no-browser", "--frames", "1:2")
        self.assertEqual(self.ask(port, path="/data.reel")[1], self.read_bytes("part.reel"))
        self.stop(process)
        self.assertIn("--frames", self.wrong("view", "rope.h5", "--frames", "3:2", env={"CORDAGE_WEB": self.dir}).err)

    def test_head_has_no_body(self):
        _, port, _ = self.view("rope.json", "--no-browser")
        for path in ("/", "/data.reel", "/?a=b"):
            whole, body = self.ask(port, path=path)
            head, nothing = self.ask(port, "HEAD", path)
            self.assertEqual((head.status, nothing), (200, b""))
            self.assertEqual(head.getheader("Content-Length"), str(len(body)))
            self.assertEqual(whole.getheader("Content-Length"), str(len(body)))

    def test_only_this_machine_by_its_own_name(self):
        _, port, _ = self.view("rope.json", "--no-browser")
        for host in ("127.0.0.1:%d" % port, "localhost:%d" % port, "LOCALHOST:%d" % port):
            self.assertEqual(self.ask(port, headers={"Host": host})[0].status, 200)
        for host in ("evil.example", "evil.example:%d" % port, "127.0.0.1", "127.0.0.1:%d.evil.example" % port,
                     "localhost.evil.example:%d" % port, "127.0.0.1:1", "[::1]:%d" % port, "127.0.0.1:%d:%d" % (port, port)):
            for path in ("/", "/data.reel", "/nothing"):
                self.assertEqual(self.ask(port, path=path, headers={"Host": host})[0].status, 403, host)
        self.assertIn(" 400 ", self.raw(port, b"GET / HTTP/1.1\r\n\r\n"))
        self.assertIn(" 400 ", self.raw(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: 127.0.0.1:%d\r\n\r\n" % (port, port)))
        self.assertIn(" 403 ", self.raw(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil.example\r\n\r\n" % port))

    def test_other_machines_are_not_listened_to(self):
        _, port, _ = self.view("--no-browser")
        with open("/proc/net/tcp") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
        self.assertIn("0100007F:%04X" % port, listening)
        self.assertNotIn("00000000:%04X" % port, listening)

    def test_bad_requests(self):
        _, port, _ = self.view("rope.json", "--no-browser")
        host = b"Host: 127.0.0.1:%d\r\n" % port
        for request, status in (
            (b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 3\r\n\r\nabc", 405),
            (b"DELETE /data.reel HTTP/1.1\r\n" + host + b"\r\n", 405),
            (b"get / HTTP/1.1\r\n" + host + b"\r\n", 405),
            (b"GET / HTTP/2.0\r\n" + host + b"\r\n", 505),
            (b"GET /\r\n" + host + b"\r\n", 400),
            (b"GET http://127.0.0.1/ HTTP/1.1\r\n" + host + b"\r\n", 400),
            (b"GET  / HTTP/1.1\r\n" + host + b"\r\n", 400),
            (b"\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nno colon\r\n" + host + b"\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n" + host + b"\r\n", 400),
            (b"GET / HTTP/1.1\r\n" + host + b" folded: yes\r\n\r\n", 400),
            (b"GET /\0 HTTP/1.1\r\n" + host + b"\r\n", 400),
            (b"GET /../rope.json HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"GET /rope.json HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"GET /%2e%2e/etc/passwd HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"GET //etc/passwd HTTP/1.1\r\n" + host + b"\r\n", 404),
            (b"GET /" + b"a" * 1000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
            (b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 10000 + b"\r\n\r\n", 431),
        ):
            self.assertRegex(self.raw(port, request), "^HTTP/1.1 %d " % status, request)
        answer, _ = self.ask(port, "PUT")
        self.assertEqual((answer.status, answer.getheader("Allow")), (405, "GET, HEAD"))
        self.assertEqual(self.ask(port)[0].status, 200)

    def test_a_thousand_hostile_requests(self):
        process, port, _ = self.view("rope.json", "--no-browser")
        chance = random.Random(1)
        words = [b"GET", b"HEAD", b"/", b"/data.reel", b" ", b"\r\n", b"\n", b"\0", b":", b"Host", b"HTTP/1.1", b"\xff", b"%s%n",
                 b"..", b"127.0.0.1:%d" % port, b"?", b"A" * 300, b"\r\n\r\n", b"Content-Length: -1", b"Transfer-Encoding: chunked"]
        for _ in range(1000):
            request = b"".join(chance.choice(words) for _ in range(chance.randrange(1, 40)))
            if chance.random() < 0.5:
                request = b"GET " + request + b"\r\n\r\n"
            line = self.raw(port, request)
            self.assertRegex(line, r"^(HTTP/1\.1 (200|400|403|404|405|414|431|505) .*)?$")
        self.assertIsNone(process.poll())
        self.assertEqual(self.ask(port)[0].status, 200)
        self.assertEqual(self.stop(process)[0], 0)

    def callers(self, port, count):
        """Callers who say nothing, or stop in the middle of a word."""
        for i in range(count):
            caller = socket.create_connection(("127.0.0.1", port), timeout=60)
            self.addCleanup(caller.close)
            caller.sendall(b"GET / HT"[: i % 8])
            yield caller

    def is_open(self, caller):
        caller.setblocking(False)
        try:
            return len(caller.recv(1)) > 0
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False

    def limit_descriptors(self, process, spare):
        """Leaves it so many more than it has."""
        most = max(int(name) for name in os.listdir(f"/proc/{process.pid}/fd"))
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (most + 1 + spare, most + 1 + spare))

    def test_callers_who_say_nothing_do_not_keep_others_out(self):
        for count in (40, 129):
            process, port, _ = self.view("rope.json", "--no-browser")
            silent = list(self.callers(port, count))
            self.assertEqual(self.ask(port, path="/data.reel")[0].status, 200)
            # 64 are served at a time, the last one among them; none has lost its place but to a later one
            self.assertGreaterEqual(sum(map(self.is_open, silent)), min(count, 63))
            self.assertEqual(self.stop(process)[0], 0)

    def test_callers_who_say_nothing_give_back_descriptors(self):
        process, port, _ = self.view("rope.json", "--no-browser")
        self.limit_descriptors(process, 4)
        silent = list(self.callers(port, 30))
        self.assertEqual(self.ask(port, path="/data.reel")[0].status, 200)
        self.assertGreaterEqual(sum(map(self.is_open, silent)), 3)
        self.assertEqual(self.stop(process)[0], 0)

    def test_it_does_not_spin_without_descriptors(self):
        with open(self.path("cordage.html"), "ab") as file:
            file.write(b" " * 8000000)  # more than the system takes off our hands
        process, port, _ = self.view("--no-browser")
        self.limit_descriptors(process, 1)
        request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
        served, waiting = (socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(2))
        served.sendall(request), served.recv(1000)
        waiting.sendall(request)

        def used():  # processor time [s]
            with open(f"/proc/{process.pid}/stat") as file:
                return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(0.6)
        self.assertLess(used() - before, 0.3)  # one that spins takes all it can get
        served.close()
        self.assertIn(b" 200 ", waiting.recv(1000))
        waiting.close()
        self.assertEqual(self.stop(process)[0], 0)

    def test_callers_who_hang_up_in_the_middle(self):
        with open(self.path("cordage.html"), "ab") as file:
            file.write(b" " * 8000000)  # more than the system takes off our hands
        process, port, _ = self.view("--no-browser")
        request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port), timeout=60) as caller:
                caller.sendall(request)
                caller.recv(1000)
        answer, body = self.ask(port)
        self.assertEqual((answer.status, len(body)), (200, len(PAGE) + 8000000))
        self.assertEqual(self.stop(process)[0], 0)

    def test_the_browser_is_asked_for_if_there_is_a_desktop(self):
        opener = self.write("xdg-open", '#!/bin/sh\nprintf "%s" "$*" > "$0.asked"\n')
        os.chmod(opener, 0o755)
        path = self.dir + ":" + os.environ["PATH"]
        for display, wanted in (({"DISPLAY": ":9", "WAYLAND_DISPLAY": ""}, True), ({"DISPLAY": "", "WAYLAND_DISPLAY": "w"}, True),
                                ({"DISPLAY": "", "WAYLAND_DISPLAY": ""}, False)):
            process, _, address = self.view("rope.json", env=dict(display, PATH=path))
            err = process.stderr.readline().decode()
            self.assertEqual("the browser opens it" in err, wanted, err)
            asked = opener + ".asked"
            for _ in range(600):
                if not wanted or (os.path.exists(asked) and os.path.getsize(asked) > 0):
                    break
                time.sleep(0.1)
            self.assertEqual(os.path.exists(asked), wanted)
            if wanted:
                self.assertEqual(self.read("xdg-open.asked"), address)
                os.remove(asked)
            self.stop(process)

    def test_mistakes(self):
        here = {"CORDAGE_WEB": self.dir}
        self.assertIn("no shipped scene of that name", self.wrong("view", "nothing_such", env=here).err)
        self.assertIn("name one", self.wrong("view", "--set", "gravity=[0,0,0]", env=here).err)
        self.assertIn("from 1 to 65535", self.wrong("view", "--port", "65536", env=here).err)
        self.write("bad.json", '{ "cordage": 1, "rods": 5 }')
        self.assertIn("bad.json:1:25: error", self.wrong("view", "bad.json", env=here).err)
        outcome = self.cordage("view", "rope.json", env={"CORDAGE_WEB": self.path("nowhere")})
        self.assertEqual(outcome.status, 1)
        self.assertIn('"make web" makes it', outcome.err)

    def test_a_port_that_is_taken(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            outcome = self.cordage("view", "--no-browser", "--port", str(port), env={"CORDAGE_WEB": self.dir})
            self.assertEqual(outcome.status, 1)
            self.assertIn("nothing can listen on port %d" % port, outcome.err)

    def test_the_port_that_is_asked_for(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
        self.assertEqual(self.view("--no-browser", "--port", str(port))[1], port)


if __name__ == "__main__":
    unittest.main()
