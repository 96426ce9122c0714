"""A port of this computer that leads a browser to the live view of a sandbox, in the place of OSWorld's VNC page."""
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LivePage:
    def __init__(self, link):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302)
                self.send_header('Location', link)
                self.send_header('Content-Length', '0')
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
