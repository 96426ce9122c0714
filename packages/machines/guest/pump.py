"""Copies bytes in one direction between two descriptors that it owns, buffering at most one chunk."""
import fcntl
import os
import socket
import struct
import termios

from loop import GONE, READ, WRITE

CHUNK = 256 * 1024


class Pump:
    def __init__(self, loop, source, sink, sink_is_socket):
        self._loop, self._source, self._sink, self._sink_is_socket = loop, source, sink, sink_is_socket
        self._held, self._left, self._closed = b'', None, False
        os.set_blocking(source, False)
        os.set_blocking(sink, False)
        loop.watch(source, READ, self._readable)
        loop.watch(sink, 0, self._writable)

    def end_after_what_is_there(self):
        """Ends a pipe whose program has ended while processes that it left behind still hold the pipe. What they
        write is discarded."""
        if self._closed or self._left is not None:
            return
        self._left = unread_bytes(self._source)
        if not self._left and not self._held:
            self._end()

    def _readable(self, events):
        try:
            chunk = os.read(self._source, CHUNK if self._left is None else min(CHUNK, self._left))
        except BlockingIOError:
            return
        except OSError:
            # A terminal whose last program has ended reports an error instead of end of file.
            chunk = b''
        if not chunk:
            self._end()
            return
        self._held = chunk
        if self._left is not None:
            self._left -= len(chunk)
        # Usually everything is written immediately, and no other event has to be watched.
        if self._flush() and self._held:
            self._loop.watch(self._source, 0, self._source_gone)
            self._loop.watch(self._sink, WRITE, self._writable)

    def _writable(self, events):
        if events & GONE and not events & WRITE:
            self._abandon()
        elif self._held and self._flush() and not self._held:
            self._loop.watch(self._source, READ, self._readable)
            self._loop.watch(self._sink, 0, self._writable)

    def _flush(self):
        """Returns False if the sink is gone, or everything has been written."""
        try:
            self._held = self._held[os.write(self._sink, self._held):]
        except BlockingIOError:
            pass
        except OSError:
            self._abandon()
            return False
        if not self._held and self._left == 0:
            self._end()
            return False
        return True

    def _source_gone(self, events):
        """The buffered bytes still have to be written; the end of the source is read after that."""
        self._loop.forget(self._source)

    def _end(self):
        if self._sink_is_socket:
            try:
                socket.socket(fileno=os.dup(self._sink)).shutdown(socket.SHUT_WR)
            except OSError:
                pass
        self._abandon()

    def _abandon(self):
        self._closed = True
        self._loop.close(self._source)
        self._loop.close(self._sink)


class OutputPump(Pump):
    """Copies the output of a program. The program continues when nobody reads any more; its output is discarded
    then."""

    def __init__(self, loop, source, connection):
        super().__init__(loop, source, connection, True)

    def _abandon(self):
        self._closed = True
        self._loop.close(self._sink)
        self._loop.watch(self._source, READ, self._discard)

    def _discard(self, events):
        try:
            if os.read(self._source, CHUNK):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._loop.close(self._source)


class TerminalOutputPump(OutputPump):
    def __init__(self, loop, source, connection, end):
        self._end_of_input = end
        super().__init__(loop, source, connection)

    # Looks at the mode after reading, because a shell that has printed its prompt has switched the mode before.
    def _readable(self, events):
        super()._readable(events)
        self._end_of_input.send_again(self._source)

    def _discard(self, events):
        super()._discard(events)
        self._end_of_input.send_again(self._source)


class TerminalInputPump(Pump):
    def __init__(self, loop, connection, master, end):
        super().__init__(loop, connection, master, False)
        self._end_of_input, self._last = end, b'\n'

    def _flush(self):
        self._last = self._held[-1:]
        return super()._flush()

    def _end(self):
        self._end_of_input.send(self._sink, self._last == b'\n')
        super()._end()


class EndOfInput:
    """The end of input of a terminal, which is its end-of-file character after a whole line. A character that
    was sent in line mode is lost if a shell then switches to editing lines itself, so it is sent again after
    such a switch: shells print a prompt then."""

    def __init__(self):
        self._sent_in_line_mode = None

    def send(self, master, after_line=True):
        try:
            lines, end = mode_of(master)
            # In the middle of a line, the first character only flushes the line.
            os.write(master, end * 2 if lines and not after_line else end)
            self._sent_in_line_mode = lines
        except (OSError, termios.error):
            pass

    def send_again(self, master):
        try:
            if self._sent_in_line_mode is not None and mode_of(master)[0] != self._sent_in_line_mode:
                self.send(master)
        except termios.error:
            pass


def mode_of(master):
    """Returns whether the terminal is in line mode, and its end-of-file character."""
    _, _, _, local, _, _, characters = termios.tcgetattr(master)
    return bool(local & termios.ICANON), characters[termios.VEOF]


def unread_bytes(fd):
    return struct.unpack('i', fcntl.ioctl(fd, termios.FIONREAD, b'\0' * 4))[0]


def join(loop, one, other):
    """Copies bytes in both directions between two sockets, each of which can be half-closed."""
    a, b = one.detach(), other.detach()
    Pump(loop, os.dup(a), os.dup(b), True)
    Pump(loop, b, a, True)
