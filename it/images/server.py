"""Serves its working directory, and says who it is."""

import http.server
import os
import signal
import sys

signal.signal(signal.SIGTERM, lambda *_: sys.exit(42))
print("python: uid", os.getuid(), "in", os.getcwd(), "says", os.environ["GREETING"], flush=True)
handler = http.server.SimpleHTTPRequestHandler
http.server.ThreadingHTTPServer(("", 8080), handler).serve_forever()
