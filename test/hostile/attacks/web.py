"""A web server that lies. Arguments: what it does, for how many seconds, a seed, and its port."""
import random
import socket
import sys
import threading
import time

what, seconds, seed, port = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(seed)
end = time.monotonic() + seconds
words = [b'HTTP/1.1 200 OK\r\n', b'HTTP/1.1 101 Switching Protocols\r\n', b'Content-Length: 5\r\n', b'Transfer-Encoding: chunked\r\n',
         b'Set-Cookie: a=b\r\n', b'\r\n', b'ffffffff\r\n', b'0\r\n\r\n', b'\0', b'x' * 9000, b'Connection: upgrade\r\n', b'Location: /\r\n', b'\xff\xfe']


def tiny_chunks(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    for _ in range(4):
        connection.sendall(b'1\r\nx\r\n' * 10_000)
    connection.sendall(b'0\r\n\r\n')


def endless_headers(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\n')
    while time.monotonic() < end:
        connection.sendall(b'X-More: ' + b'y' * 4000 + b'\r\n')


def long_body(connection):
    connection.sendall(b'HTTP/1.1 200 OK\r\n\r\n')
    for _ in range(128):
        connection.sendall(b'z' * 65536)


def random_words(connection):
    while time.monotonic() < end:
        connection.sendall(b''.join(chance.choices(words, k=50)))


behaviours = {f.__name__: f for f in (tiny_chunks, endless_headers, long_body, random_words)}


def answer(connection):
    connection.settimeout(1)
    try:
        connection.recv(65536)
        behaviours[what](connection)
    except OSError:
        pass
    finally:
        connection.close()


listener = socket.create_server(('127.0.0.1', port))
listener.settimeout(0.1)
open('/tmp/attacking', 'w').close()
while time.monotonic() < end:
    try:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()
    except TimeoutError:
        pass
