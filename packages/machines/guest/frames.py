"""The frames of the multiplexer. `packages/wire/src/mux/index.ts` describes the protocol."""
import re
import struct

HELLO, OPEN, ACCEPT, REFUSE, DATA, CREDIT, END, RESET, PING, PONG = range(1, 11)
NAMES = ('PAD', 'HELLO', 'OPEN', 'ACCEPT', 'REFUSE', 'DATA', 'CREDIT', 'END', 'RESET', 'PING', 'PONG')
# Type, stream, length of the payload.
HEADER = struct.Struct('>BIH')
# A frame that was cut off and filled up with zeros does not end with it.
END_MARK = 0x7e
# A virtio-serial port takes no more in one write.
MAX_FRAME = 32 * 1024
MAX_PAYLOAD = MAX_FRAME - HEADER.size - 1
READ_SIZE = 64 * 1024
PAGE = 4096

VERSION = 1
NONCE_SIZE = 16
# Valid frames contain fewer zeros in a row.
RUN = MAX_FRAME
# A whole frame of zeros completes whatever was cut off, and the run is left after it.
ZEROS = bytes(MAX_FRAME + RUN)

# The shortest and longest payload, by type.
LENGTHS = (None, (17, 17), (1, 64), (0, 0), (0, 200), (1, MAX_PAYLOAD), (4, 4), (0, 0), (0, 0), (8, 8), (8, 8))
OF_SESSION = frozenset((HELLO, PING, PONG))
zeros = re.compile(b'\\0*').match


class ProtocolError(Exception):
    """The other side violated the protocol."""


def pack(kind, stream, payload=b''):
    return HEADER.pack(kind, stream, len(payload)) + payload + b'\x7e'


def hello(nonce, version=VERSION):
    return pack(HELLO, 0, nonce + bytes((version,)))


class Reader:
    """Splits what is read into frames. It has one buffer, into which the caller reads."""

    def __init__(self):
        self._buffer = bytearray(MAX_FRAME + READ_SIZE)
        self._view = memoryview(self._buffer)
        self._end = 0

    def space(self):
        """The buffers that the caller reads to. It then passes the number of bytes to one of the methods below."""
        return (self._view[self._end:self._end + READ_SIZE],)

    def pieces(self):
        """The same space for a virtio-serial port, which fills a page at most per buffer."""
        return [self._view[at:at + PAGE] for at in range(self._end, self._end + READ_SIZE, PAGE)]

    def clear(self):
        self._end = 0

    def frames(self, count):
        """Yields the type, the stream and the payload of each frame. The payload is valid until the next one. Raises
        ProtocolError; what follows the frame in question is then left for `skip`."""
        buffer, view, end, at = self._buffer, self._view, self._end + count, 0
        unpack, header = HEADER.unpack_from, HEADER.size
        self._end = end
        try:
            while at < end:
                if not buffer[at]:
                    at = zeros(buffer, at, end).end()
                    continue
                if end - at < header:
                    break
                kind, stream, length = unpack(buffer, at)
                if kind > PONG or not LENGTHS[kind][0] <= length <= LENGTHS[kind][1]:
                    name = NAMES[kind] if kind <= PONG else 'type %d' % kind
                    raise ProtocolError('a frame of %s with a payload of %d bytes' % (name, length))
                if (stream == 0) != (kind in OF_SESSION):
                    raise ProtocolError('%s is for stream %d' % (NAMES[kind], stream))
                start, mark = at + header, at + header + length
                if mark >= end:
                    break
                at = mark + 1
                if buffer[mark] != END_MARK:
                    raise ProtocolError('a frame was cut off; the other side has probably started over')
                yield kind, stream, view[start:mark]
        finally:
            self._keep(at)

    def contains(self, wanted, count):
        """Whether the bytes are among those that were read, which stay as they are."""
        return self._buffer.find(wanted, 0, self._end + count) >= 0

    def search(self, wanted, count):
        """Searches for bytes of which stale ones cannot be an example. What follows is left for `frames`."""
        self._end += count
        at = self._buffer.find(wanted, 0, self._end)
        self._keep(max(0, self._end - len(wanted) + 1) if at < 0 else at)
        return at >= 0

    def skip(self, run, count):
        """Skips everything up to a run of zeros that no frames contain. Returns the length of the run so far, which
        the caller passes next time, and whether a frame follows."""
        buffer, end, at = self._buffer, self._end + count, 0
        while at < end:
            nonzero = zeros(buffer, at, end).end()
            run, at = run + nonzero - at, nonzero
            if at == end or run >= RUN:
                break
            run, at = 0, buffer.find(0, at, end)
            if at < 0:
                at = end
        self._end = end
        self._keep(at)
        return run, at < end

    def _keep(self, at):
        """Moves what was not used to the begin of the buffer."""
        left = self._end - at
        if left and at:
            self._view[:left] = self._view[at:self._end]
        self._end = left

