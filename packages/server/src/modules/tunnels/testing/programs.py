"""Programs that listen on TCP ports of a machine. Prints a line when all of them listen."""
import hashlib, socket, struct, threading, time


def echo(peer):
    while piece := peer.recv(65536):
        peer.sendall(piece)
    peer.shutdown(socket.SHUT_WR)


def digest(peer):
    """Answers with the hash of everything until the end."""
    sha = hashlib.sha256()
    while piece := peer.recv(1 << 20):
        sha.update(piece)
    peer.sendall(sha.hexdigest().encode())


def source(peer):
    """Sends as many bytes as asked, ends, and then counts what still comes."""
    wanted = int(peer.makefile().readline())
    piece = bytes(range(256)) * 4096
    while wanted > 0:
        peer.sendall(piece[:wanted])
        wanted -= len(piece)
    peer.shutdown(socket.SHUT_WR)
    count = 0
    while more := peer.recv(65536):
        count += len(more)
    with open('counted', 'w') as file:
        file.write(str(count))


def deaf(peer):
    time.sleep(3600)


def reset(peer):
    peer.recv(1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))


def dribble(peer):
    """Sends single bytes as fast as possible."""
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while True:
        peer.send(b'x')


def shut(peer):
    """Says something and closes."""
    peer.sendall(b'bye')


def serve(port, program):
    listener = socket.create_server(('127.0.0.1', port), backlog=512)

    def run(peer):
        try:
            with peer:
                program(peer)
        except OSError:
            pass

    def accept():
        while True:
            threading.Thread(target=run, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept).start()


for at, each in enumerate([echo, digest, source, deaf, reset, dribble, shut]):
    serve(7001 + at, each)
print('listening', flush=True)
