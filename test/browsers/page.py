"""Serves the pages of the tests on port 8000, and says with which paths ports 8001 and 6666 were called."""
import http.server, json, os, threading

calls = {8001: [], 6666: []}
form = b"""<!doctype html><title>form</title><body style="margin:0;background:#fff">
<form onsubmit="document.body.style.background='#00aa44';document.title=name_.value;return false">
<input id="name_" name="name"><button>Send</button></form>"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        port = self.server.server_port
        if port != 8000:
            calls[port].append(f'{self.command} {self.path}')
            return self.answer(b'{"reached": true}', 'application/json')
        if self.path == '/calls':
            return self.answer(json.dumps(calls).encode(), 'application/json')
        if self.path.startswith('/redirect?'):
            self.send_response(302)
            self.send_header('Location', self.path.split('?', 1)[1])
            self.send_header('Access-Control-Allow-Origin', '*')
            self.end_headers()
            return None
        return self.answer(form, 'text/html')

    do_POST = do_PUT = do_OPTIONS = do_GET

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Access-Control-Allow-Origin', '*')
        self.send_header('Access-Control-Allow-Methods', '*')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


servers = [http.server.ThreadingHTTPServer(('127.0.0.1', port), Page) for port in (8000, 8001, 6666)]
for server in servers[1:]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
print('ready', flush=True)
servers[0].serve_forever()
