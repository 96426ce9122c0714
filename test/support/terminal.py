"""Runs a program in a terminal. Lines on stdin are what a person does: type bytes, or change the size of the window."""
import base64, fcntl, json, os, pty, select, signal, struct, sys, termios

rows, columns, *command = sys.argv[1:]


def set_size(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', int(rows), int(columns), 0, 0))


child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)

signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
pending = b''
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            output = os.read(terminal, 65536)
        except OSError:
            break
        if not output:
            break
        os.write(1, output)
    if 0 in ready:
        read = os.read(0, 65536)
        if not read:
            sources.remove(0)
        *lines, pending = (pending + read).split(b'\n')
        for line in lines:
            done = json.loads(line)
            if 'type' in done:
                os.write(terminal, base64.b64decode(done['type']))
            if 'size' in done:
                set_size(*done['size'])
            if 'isRaw' in done:
                is_raw = not termios.tcgetattr(terminal)[3] & termios.ICANON
                os.write(1, b'<raw>' if is_raw else b'<cooked>')
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
