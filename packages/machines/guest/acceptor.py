"""The side of a multiplexer that accepts streams. Its byte stream may outlast the other side, and be used by another."""
import select

from frames import (CREDIT, DATA, END, HELLO, MAX_FRAME, NAMES, NONCE_SIZE, OPEN, PING, PONG, RESET, ZEROS, ProtocolError, hello,
                    pack)
from loop import GONE, READ, WRITE
from session import MAX_STREAMS, Session
from streams import Stream

# Tells an opener that its session is over.
OVER = hello(bytes(NONCE_SIZE))


class Acceptor(Session):
    """Waits for a greeting, and then for another one.

    `on_open(stream)` must call `stream.accept(socket)` or `stream.refuse(message)`, now or later, depending on
    `stream.target`. Without `on_end`, the descriptor is a port whose other end can be closed and opened again."""

    def __init__(self, loop, fd, on_open, on_end=None):
        super().__init__(loop, fd)
        self._on_open, self._on_end = on_open, on_end
        self._lost, self._run, self._greeted, self._number = True, 0, False, 0
        # An opener of an earlier acceptor may still be there, in the middle of a frame.
        self._said = ZEROS[:MAX_FRAME] + OVER
        self.flush()

    def end(self, reason):
        if not self._ended:
            super().end(reason)
            if self._on_end:
                self._on_end(reason)

    def _received(self, count):
        while True:
            if self._lost:
                self._run, found = self._reader.skip(self._run, count)
                if not found:
                    return
                self._lost, self._run, count = False, 0, 0
            frames = self._reader.frames(count)
            try:
                for kind, number, payload in frames:
                    self._handle(kind, number, payload)
                return
            except ProtocolError:
                # What was half sent is completed, so that the opener understands the rest.
                frames.close()
                self._start_over()
                self._said, count = OVER, 0

    def _handle(self, kind, number, payload):
        if kind == HELLO:
            self._start_over()
            self._lost, self._greeted, self._number = False, True, 0
            # The opener searches for the answer, so what was half sent may stay so.
            self._unsent, self._said = b'', hello(bytes(payload[:NONCE_SIZE]))
        elif not self._greeted:
            raise ProtocolError('%s before HELLO' % NAMES[kind])
        elif kind == OPEN:
            self._opened(number, bytes(payload))
        elif kind == PING:
            if len(self._said) > MAX_FRAME:
                raise ProtocolError('more PINGs than answers were read')
            self._said += pack(PONG, 0, bytes(payload))
        elif kind in (DATA, CREDIT, END, RESET):
            stream = self._streams.get(number)
            if stream is not None:
                self._handle_of_stream(kind, stream, payload)
            elif number > self._number:
                raise ProtocolError('%s for stream %d, which was never opened' % (NAMES[kind], number))
        else:
            raise ProtocolError('%s from the side that opens streams' % NAMES[kind])

    def _handle_of_stream(self, kind, stream, payload):
        if kind == DATA:
            stream.received(payload)
        elif kind == CREDIT:
            stream.received_credit(int.from_bytes(payload, 'big'))
        elif kind == END:
            stream.received_end()
        else:
            stream.received_reset()

    def _opened(self, number, target):
        if number <= self._number:
            raise ProtocolError('OPEN for stream %d after stream %d' % (number, self._number))
        self._number = number
        # For the opener, a stream may have ended whose last data is still to be passed on here.
        count = len(self._streams) + len(self._last)
        if count >= 2 * MAX_STREAMS:
            raise ProtocolError('more than %d streams' % MAX_STREAMS)
        stream = Stream(self, self._loop, number, target.decode('ascii', 'replace'))
        self._streams[number] = stream
        if count >= MAX_STREAMS:
            stream.refuse('%d streams are open; close one before you open another' % MAX_STREAMS)
        else:
            self._on_open(stream)

    def _start_over(self):
        self._close_streams()
        self._lost, self._run, self._greeted, self._said = True, 0, False, b''

    def _hung_up(self):
        if self._on_end:
            self.end('the other side closed the connection')
            return
        self._start_over()
        self._unsent = b''
        self._reader.clear()
        # The end of the port is readable as long as its other end is closed. Only a change is reported like this.
        self._events = None
        self._loop.watch(self._fd, READ | WRITE | select.EPOLLET, self._changed)

    def _changed(self, events):
        if not events & GONE:
            self._watch(READ)
            self._happened(READ)
