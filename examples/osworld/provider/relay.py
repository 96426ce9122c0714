"""Ports of this computer that lead to mapped ports of a sandbox.

OSWorld's controllers call `http://host:port` and know nothing of names and tokens of mappings. A relay listens on 127.0.0.1,
and adds both to each request; the rest passes as it is, WebSockets included."""
import re
import socket
import socketserver
import ssl
import threading
import urllib.parse

CONNECT_SECONDS = 30
MAX_HEAD = 65536
#: What a client says about its own connection, and what only this relay may say.
REPLACED = {b'host', b'connection', b'keep-alive', b'proxy-connection', b'x-gateway-access-token'}


class Relay:
    """`own_address` writes the address of the relay into JSON that names the port's address, as Chromium's does."""

    def __init__(self, service_url, mapping, own_address=False):
        relay = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                relay.serve(self.request)

        self._reached_at = _reached_at(service_url, mapping['domain'])
        self._host, self._token = mapping['domain'].encode(), mapping['accessToken'].encode()
        self._own_address = own_address
        self._server = _Server(('127.0.0.1', 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def serve(self, client):
        """One request of a client, or one upgraded connection. A client opens another connection for the next request."""
        head, rest = _read_head(client)
        if not head:
            return
        first, *lines = head.split(b'\r\n')
        kept = [line for line in lines if line.split(b':', 1)[0].strip().lower() not in REPLACED]
        upgrades = any(re.match(rb'upgrade\s*:', line, re.I) for line in lines)
        added = [b'Host: ' + self._host, b'X-Gateway-Access-Token: ' + self._token]
        added.append(b'Connection: Upgrade' if upgrades else b'Connection: close')
        try:
            upstream = _connected(*self._reached_at)
        except OSError:
            client.sendall(b'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
            return
        with upstream:
            upstream.sendall(b'\r\n'.join([first, *added, *kept]) + b'\r\n\r\n' + rest)
            if self._own_address and not upgrades and first.split(b' ')[1].startswith(b'/json'):
                client.sendall(self._with_own_address(_read_all(upstream)))
                return
            sending = threading.Thread(target=_copy, args=(client, upstream), daemon=True)
            sending.start()
            _copy(upstream, client)
            # The client's direction ends with the connection.
            _shut(client)
            sending.join()

    def _with_own_address(self, answer):
        head, _, body = answer.partition(b'\r\n\r\n')
        own = b'127.0.0.1:%d' % self.port
        body = re.sub(rb'(wss?://|wss?=)[^/"]+/', lambda match: match[1].replace(b'wss', b'ws') + own + b'/', body)
        head = re.sub(rb'(?im)^content-length:[^\r\n]*', b'Content-Length: %d' % len(body), head)
        return head + b'\r\n\r\n' + body


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        """A client or a machine that ends a connection early is nothing to report."""


def _reached_at(service_url, domain):
    """Where a mapping is reached: its host, its port, and with TLS its name. Names below localhost are those of the service
    itself, and do not resolve everywhere."""
    service, mapped = urllib.parse.urlsplit(service_url), urllib.parse.urlsplit(f'//{domain}')
    secure = service.scheme == 'https'
    at = service if mapped.hostname.endswith('.localhost') else mapped
    return at.hostname, at.port or (443 if secure else 80), mapped.hostname if secure else None


def _connected(host, port, tls_name):
    connection = socket.create_connection((host, port), CONNECT_SECONDS)
    connection.settimeout(None)
    return ssl.create_default_context().wrap_socket(connection, server_hostname=tls_name) if tls_name else connection


def _read_head(client):
    """The head of a request without its last empty line, and what came after it."""
    data = b''
    while b'\r\n\r\n' not in data:
        chunk = client.recv(65536)
        if not chunk or len(data) > MAX_HEAD:
            return b'', b''
        data += chunk
    head, _, rest = data.partition(b'\r\n\r\n')
    return head, rest


def _read_all(connection):
    return b''.join(iter(lambda: connection.recv(65536), b''))


def _copy(source, target):
    try:
        while chunk := source.recv(65536):
            target.sendall(chunk)
    except OSError:
        # One side has gone, so the other has nobody to talk to.
        _shut(source)
    _shut(target)


def _shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
