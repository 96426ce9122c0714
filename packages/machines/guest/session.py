"""What both sides of a multiplexer have in common: the descriptor, and the order in which frames are sent over it."""
import os
import stat
from collections import deque

from frames import MAX_FRAME, Reader
from loop import READ, WRITE

MAX_STREAMS = 1024


class Session:
    def __init__(self, loop, fd):
        self._loop, self._fd = loop, fd
        self._reader, self._streams = Reader(), {}
        # What is to be sent, in this order: frames of the session, last frames of streams that were reset, streams with
        # control frames, streams with data. While it is silent, only the first are sent.
        self._silent = False
        self._said, self._last, self._hurried, self._turns = b'', deque(), {}, deque()
        self._frame, self._unsent = memoryview(bytearray(MAX_FRAME)), b''
        # No events are watched for while the other end of a port is closed.
        self._busy, self._ended, self._events = False, False, READ
        self._spaces = self._reader.pieces if stat.S_ISCHR(os.fstat(fd).st_mode) else self._reader.space
        os.set_blocking(fd, False)
        loop.watch(fd, READ, self._happened)

    def end(self, reason):
        """Closes the streams and the descriptor."""
        if not self._ended:
            self._ended = True
            self._close_streams()
            self._loop.close(self._fd)

    # What streams call.

    def queue(self, stream):
        self._turns.append(stream)

    def hurry(self, stream):
        self._hurried[stream] = None
        self.flush()

    def say_last(self, frames):
        self._last.append(frames)
        self.flush()

    def forget(self, stream):
        self._streams.pop(stream.number, None)
        self._hurried.pop(stream, None)

    def is_blocked(self):
        return bool(self._unsent)

    def flush(self):
        """Sends frames until the descriptor takes no more. While frames are received, it does nothing."""
        if self._busy or self._ended or self._events is None:
            return
        self._busy, failed = True, False
        try:
            while self._unsent or self._take():
                self._unsent = self._unsent[os.write(self._fd, self._unsent):]
                if self._unsent:
                    break
        except BlockingIOError:
            pass
        except OSError:
            failed = True
        finally:
            self._busy = False
        if failed:
            self._hung_up()
        else:
            self._watch(READ | WRITE if self._unsent else READ)

    def _take(self):
        """Takes the next bytes to send, which are whole frames. Returns whether there are any."""
        said, self._said = self._said, b''
        if not said and self._silent:
            return False
        if not said and (self._last or self._hurried):
            parts, size = [], 0
            while size < MAX_FRAME and (self._last or self._hurried):
                part = self._last.popleft() if self._last else self._first_hurried().control()
                parts.append(part)
                size += len(part)
            said = b''.join(parts)
        if said:
            self._unsent = memoryview(said)
            return True
        while self._turns:
            size = self._turns.popleft().fill(self._frame)
            if size:
                self._unsent = self._frame[:size]
                return True
        # A stream that had nothing to send may have been reset.
        return self._take() if self._last or self._hurried else False

    def _first_hurried(self):
        stream = next(iter(self._hurried))
        del self._hurried[stream]
        return stream

    def _happened(self, events):
        if events & ~WRITE:
            self._read()
        if events & WRITE:
            self.flush()

    def _read(self):
        try:
            count = os.readv(self._fd, self._spaces())
        except BlockingIOError:
            return
        except OSError:
            # A character device whose other end is closed may report an error instead of the end.
            count = 0
        if not count:
            self._hung_up()
            return
        self._busy = True
        try:
            self._received(count)
        finally:
            self._busy = False
        self.flush()

    def _close_streams(self):
        for stream in list(self._streams.values()):
            stream.close()
        self._last.clear()
        self._turns.clear()

    def _watch(self, events):
        """Calls of the loop are slow, so this makes them only for a change."""
        if events != self._events:
            self._events = events
            self._loop.watch(self._fd, events, self._happened)
