"""The side of a multiplexer that opens streams. The other side may be hostile."""
import os
import re

from frames import (ACCEPT, CREDIT, DATA, END, HEADER, HELLO, NAMES, NONCE_SIZE, PING, PONG, REFUSE, RESET, VERSION, ZEROS,
                    ProtocolError, hello, pack)
from session import MAX_STREAMS, Session
from streams import Stream

ANSWERS = frozenset((ACCEPT, REFUSE, DATA, CREDIT, END, RESET))
# With what an acceptor says at its start. It may be that the greeting was lost with whoever had the other end before.
STARTED = hello(bytes(NONCE_SIZE))[:HEADER.size + NONCE_SIZE]
# How long, in seconds, an acceptor that has started may take to answer the greeting, if it has received it.
ANSWERS_WITHIN = 2
is_target = re.compile('[a-z0-9._-]{1,64}').fullmatch


class Opener(Session):
    """Greets the other side at once. Streams can be opened immediately; they are once the other side has answered.

    `on_ready()` is called when it has, and `on_end(reason)` once, when the session has ended for whatever reason.
    Times are in seconds. `max_stale` is how many bytes may arrive before the answer."""

    def __init__(self, loop, fd, on_ready=None, on_end=None, timeout=10, max_stale=16 << 20):
        super().__init__(loop, fd)
        self._on_ready, self._on_end, self._timeout = on_ready, on_end, timeout
        nonce = os.urandom(NONCE_SIZE)
        self._silent, self._said = True, ZEROS + hello(nonce)
        self._wanted, self._stale_left = hello(nonce)[:HEADER.size + NONCE_SIZE], max_stale
        self._number, self._asked, self._restart = 0, {}, None
        self._pings, self._on_pong = 0, None
        self._deadline = loop.after(timeout, self._expired)
        self.flush()

    def open(self, target, on_accept, on_refuse, timeout=None):
        """Opens a stream, which is returned and can be reset. Calls `on_accept(stream)`, after which a socket must be
        joined to the stream, or `on_refuse(message)`, also if there is no answer in time."""
        if not is_target(target):
            raise ValueError('%r is not a target; use up to 64 of a-z, 0-9, ".", "_" and "-"' % target)
        if self._ended:
            raise ValueError('the session has ended')
        if len(self._streams) + len(self._last) >= MAX_STREAMS:
            raise ValueError('%d streams are open; close one before you open another' % MAX_STREAMS)
        if self._number == 0xffffffff:
            raise ValueError('the session has no stream numbers left; start another one')
        self._number += 1
        stream = Stream(self, self._loop, self._number, target)
        seconds = timeout or self._timeout

        def expired():
            stream.reset()
            on_refuse('there was no answer within %g s' % seconds)

        self._streams[self._number] = stream
        self._asked[self._number] = on_accept, on_refuse, self._loop.after(seconds, expired)
        stream.ask()
        return stream

    def ping(self, on_pong):
        """Asks the other side whether it is alive. There can be one question at a time."""
        if self._on_pong is not None:
            raise ValueError('wait for the answer to the last ping before you send another')
        self._pings, self._on_pong = self._pings + 1, on_pong
        self._said += pack(PING, 0, self._pings.to_bytes(8, 'big'))
        self.flush()

    def end(self, reason):
        if self._ended:
            return
        refused = [on_refuse for _, on_refuse, _ in self._asked.values()]
        self._deadline.cancel()
        self._forgive()
        super().end(reason)
        for on_refuse in refused:
            on_refuse(reason)
        if self._on_end:
            self._on_end(reason)

    def forget(self, stream):
        super().forget(stream)
        asked = self._asked.pop(stream.number, None)
        if asked:
            asked[2].cancel()

    def _expired(self):
        self.end('the other side did not answer the greeting within %g s' % self._timeout)

    def _unheard(self):
        self.end('the other side started after it was greeted')

    def _forgive(self):
        if self._restart:
            self._restart.cancel()

    def _hung_up(self):
        self.end('the other side closed the connection')

    def _received(self, count):
        if self._wanted:
            self._stale_left -= count
            if not self._restart and self._reader.contains(STARTED, count):
                self._restart = self._loop.after(ANSWERS_WITHIN, self._unheard)
            if not self._reader.search(self._wanted, count):
                if self._stale_left < 0:
                    self.end('the other side sent much, but no answer to the greeting')
                return
            self._wanted, count = None, 0
        frames = self._reader.frames(count)
        try:
            for kind, number, payload in frames:
                self._handle(kind, number, payload)
        except ProtocolError as error:
            frames.close()
            self.end(str(error))

    def _handle(self, kind, number, payload):
        if self._silent:
            self._answered(payload[NONCE_SIZE])
        elif kind in ANSWERS:
            stream = self._streams.get(number)
            if stream is not None:
                self._handle_of_stream(kind, stream, payload)
            elif number > self._number:
                raise ProtocolError('%s for stream %d, which was never opened' % (NAMES[kind], number))
        elif kind == PONG and self._on_pong and payload == self._pings.to_bytes(8, 'big'):
            on_pong, self._on_pong = self._on_pong, None
            on_pong()
        elif kind == HELLO:
            raise ProtocolError('the other side has started over')
        else:
            raise ProtocolError('%s, which was not expected' % NAMES[kind])

    def _handle_of_stream(self, kind, stream, payload):
        if kind == DATA:
            stream.received(payload)
        elif kind == CREDIT:
            stream.received_credit(int.from_bytes(payload, 'big'))
        elif kind == END:
            stream.received_end()
        elif kind == ACCEPT:
            stream.accepted()
            on_accept, _, timer = self._asked.pop(stream.number)
            timer.cancel()
            on_accept(stream)
        elif kind == RESET and stream.is_accepted():
            stream.received_reset()
        elif kind == REFUSE and not stream.is_accepted():
            on_refuse = self._asked[stream.number][1]
            stream.close()
            on_refuse(readable(bytes(payload)))
        else:
            raise ProtocolError('%s for stream %d, which was not expected' % (NAMES[kind], stream.number))

    def _answered(self, version):
        """The search ended at the answer, so this is it."""
        if version != VERSION:
            raise ProtocolError('the other side speaks version %d of the protocol, this side %d' % (version, VERSION))
        self._silent = False
        self._deadline.cancel()
        self._forgive()
        if self._on_ready:
            self._on_ready()


def readable(message):
    """The text of a refusal, which anyone may have written, without what could confuse a terminal or a log."""
    text = ''.join(c if c.isprintable() else '\ufffd' for c in message.decode(errors='replace'))
    return text or 'no reason was given'
