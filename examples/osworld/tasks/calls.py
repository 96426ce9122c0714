"""Calls of the server in the machine, as OSWorld's controllers make them."""
import json
import os
import urllib.error
import urllib.request

CALL_SECONDS = 1800


class Calls:
    def __init__(self, address):
        host, server, *_ = address.split(':')
        self._base = f'http://{host}:{server}'

    def get(self, path):
        return self._body(urllib.request.Request(self._base + path))

    def post(self, path, asked):
        head = {'Content-Type': 'application/json'}
        return json.loads(self._body(urllib.request.Request(self._base + path, json.dumps(asked).encode(), head)))

    def upload(self, source, path):
        with open(source, 'rb') as file:
            data = file.read()
        edge = os.urandom(16).hex()
        parts = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file_path"\r\n\r\n{path}\r\n'
            f'--{edge}\r\nContent-Disposition: form-data; name="file_data"; filename="file"\r\n\r\n'
        )
        body = parts.encode() + data + f'\r\n--{edge}--\r\n'.encode()
        head = {'Content-Type': f'multipart/form-data; boundary={edge}'}
        self._body(urllib.request.Request(f'{self._base}/setup/upload', body, head))

    @staticmethod
    def _body(request):
        try:
            with urllib.request.urlopen(request, timeout=CALL_SECONDS) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(f'{request.full_url}: {error.code} {error.read()[:500]!r}') from None
