"""Serve a folder on this machine only, and print its address. `python -m tools.book.serve FOLDER [PORT]`"""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Pages(SimpleHTTPRequestHandler):
    """Answers a missing page with the book's own 404 page, and keeps quiet about the rest."""

    def send_error(self, code, message=None, explain=None):
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.exists():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1; port 0 takes any free one."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(Pages, directory=str(folder)))


if __name__ == "__main__":
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 8000
    try:
        pages = server(Path(sys.argv[1]), wanted)
    except OSError:  # the port is taken: any other will do
        pages = server(Path(sys.argv[1]))
    print(f"The book is at http://127.0.0.1:{pages.server_port}/ (stop with Ctrl-C)", flush=True)
    try:
        pages.serve_forever()
    except KeyboardInterrupt:
        print()
