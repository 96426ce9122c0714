"""The server in the sandboxes of the tests. It listens on 127.0.0.1 and has a path for each kind of response."""
import asyncio
import base64
import hashlib
import json
import sys

PORT = int(sys.argv[1])
connections = 0
requests = 0


def text(body, head=''):
    return f'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n{head}\r\n{body}'.encode()


async def head_of(reader):
    lines = (await reader.readuntil(b'\r\n\r\n')).decode('latin1').split('\r\n')[:-2]
    method, target, _ = lines[0].split(' ')
    return method, target, [tuple(line.split(': ', 1)) for line in lines[1:]]


async def body_of(reader, headers):
    """Yields the body of a request, chunk by chunk."""
    named = {name.lower(): value for name, value in headers}
    if named.get('transfer-encoding') == 'chunked':
        while size := int(await reader.readline(), 16):
            yield await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    left = int(named.get('content-length', 0))
    while left:
        chunk = await reader.read(min(left, 65536))
        if not chunk:
            raise ConnectionError
        left -= len(chunk)
        yield chunk


async def websocket(reader, writer, headers):
    key = dict((name.lower(), value) for name, value in headers)['sec-websocket-key']
    accept = base64.b64encode(hashlib.sha1((key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').encode()).digest()).decode()
    writer.write(f'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n'.encode())
    while True:
        first, second = await reader.readexactly(2)
        size = second & 127
        if size == 126:
            size = int.from_bytes(await reader.readexactly(2), 'big')
        elif size == 127:
            size = int.from_bytes(await reader.readexactly(8), 'big')
        mask = await reader.readexactly(4)
        data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(await reader.readexactly(size)))
        size_bytes = bytes([size]) if size < 126 else bytes([126]) + size.to_bytes(2, 'big')
        # A close frame is echoed too, as the protocol requires.
        writer.write(bytes([first]) + size_bytes + data)
        await writer.drain()
        if first & 15 == 8:
            return


async def events(writer):
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
    # The second event is sent only after the test has seen the first.
    for number in ('one', 'two'):
        chunk = f'data: {number}\n\n'
        writer.write(f'{len(chunk):x}\r\n{chunk}\r\n'.encode())
        await writer.drain()
        await released.get()
    writer.write(b'0\r\n\r\n')


async def flood(writer, size):
    writer.write(f'HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n'.encode())
    global flooded
    for flooded in range(65536, size + 1, 65536):
        writer.write(b'x' * 65536)
        await writer.drain()


flooded = 0
released = None

HOSTILE = {
    '/garbage': b'\x00\x01\x02 this is no answer\r\n\r\n',
    '/both-lengths': b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '/two-lengths': b'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    '/bare-line-feeds': b'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello',
    '/smuggled': text('first') + text('second, which nobody asked for'),
    '/unasked-upgrade': b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    '/split-header': b'HTTP/1.1 200 OK\r\nX-A: b\r\n folded\r\nContent-Length: 0\r\n\r\n',
    '/truncated': b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
    '/odd-status': b'HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n',
    '/nothing': b'',
}


async def answer(reader, writer):
    """Returns False if the connection has to be closed."""
    global requests
    method, target, headers = await head_of(reader)
    requests += 1
    path = target.split('?')[0]
    if path in HOSTILE:
        writer.write(HOSTILE[path])
        return path == '/smuggled'
    if path == '/endless-headers':
        writer.write(b'HTTP/1.1 200 OK\r\n')
        while True:
            writer.write(b'X-More: ' + b'x' * 1000 + b'\r\n')
            await writer.drain()
    if path == '/never':
        await asyncio.Event().wait()
    if path == '/websocket':
        await websocket(reader, writer, headers)
        return False
    if path == '/events':
        await events(writer)
        return True
    if path == '/release':
        released.put_nowait(True)
    if path == '/flood':
        await flood(writer, 64 << 20)
        return True
    if path == '/early':
        writer.write(b'HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig')
        # Read the rest, because closing a socket with unread data would discard the response.
        while await reader.read(65536):
            pass
        return False
    if path == '/trailers':
        writer.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n')
        return True
    if path == '/headers':
        writer.write(text('ok', f'Set-Cookie: a=1; Domain=localhost; Path=/\r\nSet-Cookie: sandglass-mapping=mine\r\nX-Hop: 1\r\nConnection: keep-alive, X-Hop\r\nLocation: http://127.0.0.1:{PORT}/there\r\nX-Word: \xe9\r\n'.encode('latin1').decode('latin1')))
        return True
    if path == '/upload':
        # Responds to each chunk as it arrives.
        writer.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        async for chunk in body_of(reader, headers):
            line = f'{len(chunk)}\n'
            writer.write(f'{len(line):x}\r\n{line}\r\n'.encode())
            await writer.drain()
        writer.write(b'0\r\n\r\n')
        return True
    size, digest = 0, hashlib.sha256()
    async for chunk in body_of(reader, headers):
        size += len(chunk)
        digest.update(chunk)
    report = {'method': method, 'target': target, 'headers': headers, 'size': size, 'sha256': digest.hexdigest(),
              'connections': connections, 'requests': requests, 'flooded': flooded}
    writer.write(text('' if method == 'HEAD' else json.dumps(report)))
    return True


async def serve(reader, writer):
    global connections
    connections += 1
    try:
        while await answer(reader, writer):
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def main():
    global released
    released = asyncio.Queue()
    server = await asyncio.start_server(serve, '127.0.0.1', PORT)
    print('listening', flush=True)
    await server.serve_forever()


asyncio.run(main())
