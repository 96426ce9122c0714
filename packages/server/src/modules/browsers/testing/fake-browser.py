#!/usr/bin/env python3
"""Behaves as a browser with a debugging port does, and shows what reaches it."""
import base64, hashlib, http.server, json, os, signal, socket, struct, sys, uuid

flags = dict(flag.split('=', 1) for flag in sys.argv[1:] if '=' in flag)
profile, port = flags['--user-data-dir'], int(flags['--remote-debugging-port'])
browser = f'/devtools/browser/{uuid.uuid4()}'
page = '/devtools/page/ABC'
own = f'127.0.0.1:{port}'
with open(os.path.expanduser('~/starts'), 'a') as starts:
    starts.write(' '.join(sys.argv[1:]) + '\n')


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        if self.headers['host'] != own:
            return self.answer(500, 'text/plain', 'the Host header is wrong')
        path = self.path.split('?')[0].rstrip('/')
        if self.headers['upgrade']:
            return self.web_socket(path)
        target = {'id': 'ABC', 'title': f'ws://{own}{page}', 'url': 'about:blank',
                  'webSocketDebuggerUrl': f'ws://{own}{page}',
                  'devtoolsFrontendUrl': f'https://devtools.example/inspector.html?ws={own}{page}'}
        answers = {
            '/json/version': {'Browser': 'Fake/1', 'webSocketDebuggerUrl': f'ws://{own}{browser}',
                              'headers': {name.lower(): value for name, value in self.headers.items()}},
            '/json': [target], '/json/list': [target], '/json/new': {**target, 'asked': self.path},
        }
        if path in answers:
            return self.answer(200, 'application/json', json.dumps(answers[path]))
        if path == '/json/protocol':
            return self.answer(200, 'text/html', '<script>alert(1)</script>')
        if path == '/json/close/ABC':
            return self.answer(200, 'text/html', 'Target is closing')
        self.answer(404, 'text/html', f'No such target: {path}')

    do_PUT = do_GET

    def answer(self, status, kind, text):
        body = text.encode()
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Set-Cookie', 'guest=1')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def web_socket(self, path):
        self.close_connection = True
        if 'origin' in self.headers:
            return self.answer(403, 'text/plain', 'Rejected')
        if path not in (browser, page):
            return self.answer(404, 'text/plain', 'No such target')
        digest = hashlib.sha1((self.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest()
        self.send_response(101)
        self.send_header('Upgrade', 'websocket')
        self.send_header('Connection', 'Upgrade')
        self.send_header('Set-Cookie', 'guest=1')
        self.send_header('Sec-WebSocket-Accept', base64.b64encode(digest).decode())
        self.end_headers()
        while self.echo(path):
            pass

    def echo(self, path):
        """Answers a short text message with the path and the message."""
        head = self.rfile.read(2)
        if len(head) < 2 or head[0] & 0x0F == 8:
            return False
        length = head[1] & 0x7F
        mask = self.rfile.read(4)
        text = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(length)))
        answer = path.split('/')[2].encode() + b' ' + text
        self.wfile.write(struct.pack('BB', 0x81, len(answer)) + answer)
        return True

    def log_message(self, *_):
        pass


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
os.symlink(f'{socket.gethostname()}-{os.getpid()}', f'{profile}/SingletonLock')
print(f'DevTools listening on ws://{own}{browser}', file=sys.stderr, flush=True)
server.serve_forever()
