"""Calls of Sandglass' HTTP API, with the standard library only."""
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 5
CALL_SECONDS = 120


class ApiError(Exception):
    """What the service answered: its status, its code such as `sandbox.NOT_FOUND`, and why."""

    def __init__(self, status, code, message):
        super().__init__(f'{code}: {message}')
        self.status, self.code = status, code


class Api:
    """The operations of an organization. Without arguments, the credentials come from SANDGLASS_URL, SANDGLASS_ORG and
    SANDGLASS_API_KEY, or from the file that SANDGLASS_CREDENTIALS names (data/credentials.json of the service)."""

    def __init__(self, url=None, org=None, key=None):
        known = _credentials() if url is None else {'url': url, 'orgId': org, 'apiKey': key}
        self.url = known['url'].rstrip('/')
        self._base = f'{self.url}/api/orgs/{known["orgId"]}'
        self._key = known['apiKey']

    def get(self, path):
        return self._call('GET', path)

    def post(self, path, body):
        return self._call('POST', path, body)

    def delete(self, path):
        """Deletes something; what does not exist counts as deleted."""
        try:
            self._call('DELETE', path)
        except ApiError as error:
            if error.status != 404:
                raise

    def events(self, path, body):
        """Posts, and yields the events of the response as they come."""
        with self._open(self._request('POST', path, body), timeout=None) as response:
            for line in response:
                if line.startswith(b'data: '):
                    yield json.loads(line[len(b'data: '):])

    def _call(self, method, path, body=None):
        # A POST that is repeated must not create something twice.
        request = self._request(method, path, body, {'Idempotency-Key': os.urandom(16).hex()} if method == 'POST' else {})
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self._open(request, CALL_SECONDS) as response:
                    return json.loads(response.read() or b'null')
            except ApiError as error:
                if error.status not in (429, 503) or attempt == ATTEMPTS:
                    raise
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if attempt == ATTEMPTS:
                    raise
            time.sleep(attempt)

    def _request(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        head = {'X-Api-Key': self._key, 'Content-Type': 'application/json', **(headers or {})}
        return urllib.request.Request(self._base + path, data, head if data is not None else {'X-Api-Key': self._key}, method=method)

    @staticmethod
    def _open(request, timeout):
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise _error_of(error.code, error.read()) from None


def _error_of(status, body):
    try:
        told = json.loads(body)
        return ApiError(status, told['code'], told['message'])
    except (ValueError, KeyError, TypeError):
        return ApiError(status, f'HTTP {status}', body[:200].decode(errors='replace'))


def _credentials():
    if 'SANDGLASS_URL' in os.environ:
        names = {'url': 'SANDGLASS_URL', 'orgId': 'SANDGLASS_ORG', 'apiKey': 'SANDGLASS_API_KEY'}
        return {field: os.environ[name] for field, name in names.items()}
    with open(os.environ.get('SANDGLASS_CREDENTIALS', 'data/credentials.json')) as file:
        return json.load(file)
