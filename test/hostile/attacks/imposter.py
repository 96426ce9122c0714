"""Takes the place of a socket that the service connects to, for a number of seconds from the first connection, and gives it back."""
import os
import signal
import socket
import threading
import time

PATIENCE = 60


def serve(path, seconds, answer):
    """Calls answer(connection) in a thread for each connection. The original socket keeps its listener."""
    kept = path + '.kept'
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + '.imposter')
    os.chmod(path + '.imposter', 0o666)
    listener.listen(1024)
    os.rename(path, kept)
    os.rename(path + '.imposter', path)
    with open('/tmp/attacking', 'w'):
        pass
    connections = 0
    # On a busy host, the first call may come later than the attack is to take.
    end = time.monotonic() + PATIENCE
    listener.settimeout(0.1)
    try:
        while time.monotonic() < end:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            connections += 1
            if connections == 1:
                end = time.monotonic() + seconds
            threading.Thread(target=_answer, args=(answer, connection, end), daemon=True).start()
    finally:
        os.rename(kept, path)
        listener.close()
        # The test reads how many connections were lied to.
        with open('/tmp/attacked.new', 'w') as file:
            file.write(str(connections))
        os.rename('/tmp/attacked.new', '/tmp/attacked')
        # The threads of the connections end with the process.
        os.kill(os.getpid(), signal.SIGKILL)


def _answer(answer, connection, end):
    connection.settimeout(1)
    try:
        answer(connection, lambda: time.monotonic() < end)
    except OSError:
        pass
    finally:
        connection.close()


def receive(connection, size):
    received = b''
    while len(received) < size:
        part = connection.recv(size - len(received))
        if not part:
            raise OSError('closed')
        received += part
    return received
