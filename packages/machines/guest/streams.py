"""One stream of a multiplexer. It copies bytes between the session and a socket that it owns, in both directions, each
of which can be half-closed. It reads from the socket only what can be sent, and holds at most a window of what the
socket does not take."""
import socket

from frames import ACCEPT, CREDIT, DATA, END, END_MARK, HEADER, MAX_PAYLOAD, OPEN, REFUSE, RESET, ProtocolError, pack
from loop import GONE, READ, WRITE

WINDOW = 256 * 1024
# Credit is given in pieces of at least this size, so that bulk data costs few frames.
CREDIT_STEP = WINDOW // 4
MESSAGE_LIMIT = 200


class Stream:
    def __init__(self, session, loop, number, target):
        self.number, self.target = number, target
        self._session, self._loop = session, loop
        # What is to be sent before data: frames that answer or ask, and credit.
        self._control, self._owed = b'', 0
        self._accepted, self._closed, self._refused = False, False, False
        self._socket, self._watched = None, None
        self._credit, self._window = WINDOW, WINDOW
        self._held = bytearray()
        # Of the received direction: its end has arrived, its end was passed on, the socket takes nothing any more.
        self._ended, self._shut, self._deaf = False, False, False
        self._end_sent, self._in_turns = False, False

    # What the owner of a stream calls.

    def accept(self, connection):
        """On the side that accepts: answers the request with a connected socket."""
        if not self._closed:
            self._accepted = True
            self._say(pack(ACCEPT, self.number))
        self.join(connection)

    def refuse(self, message):
        """On the side that accepts."""
        if not self._closed:
            self._refused = True
            self._say(pack(REFUSE, self.number, message.encode()[:MESSAGE_LIMIT]))

    def join(self, connection):
        """Takes over a connected socket. Whatever happens to the stream happens to it, and vice versa."""
        if self._closed:
            connection.close()
            return
        connection.setblocking(False)
        self._socket = connection
        self._watch(READ)
        self._pass_on(b'')

    def reset(self):
        """Ends both directions now. What was not sent or passed on is lost."""
        if not self._closed:
            # Without an answer from this side, or before the question was sent, the other side knows nothing to reset.
            if self._accepted or not self._control:
                self._session.say_last(self._control + pack(RESET, self.number))
            self.close()

    # What the session calls.

    def ask(self):
        self._say(pack(OPEN, self.number, self.target.encode()))

    def accepted(self):
        if self._accepted:
            raise ProtocolError('a second ACCEPT for stream %d' % self.number)
        self._accepted = True

    def is_accepted(self):
        return self._accepted

    def received(self, payload):
        size = len(payload)
        if size > self._window or self._ended or not self._accepted:
            raise ProtocolError('DATA for stream %d that it may not send' % self.number)
        self._window -= size
        self._pass_on(payload)

    def received_credit(self, size):
        self._credit += size
        if not size or self._credit > WINDOW or not self._accepted:
            raise ProtocolError('CREDIT for stream %d that is not what was sent' % self.number)
        if self._credit == size and self._socket and not self._end_sent:
            self._turn()

    def received_end(self):
        if self._ended or not self._accepted:
            raise ProtocolError('END for stream %d that it may not send' % self.number)
        self._ended = True
        self._pass_on(b'')

    def received_reset(self):
        """After its end, the other side has sent everything; it only wants nothing any more."""
        if not self._ended:
            self.close()
            return
        self._end_sent = True
        self._watch_less(READ)
        self._close_if_done()

    def control(self):
        """Returns the control frames to send."""
        frames, self._control = self._control, b''
        if self._owed >= CREDIT_STEP and not self._ended:
            frames += pack(CREDIT, self.number, self._owed.to_bytes(4, 'big'))
            self._window += self._owed
            self._owed = 0
        if self._refused:
            self.close()
        return frames

    def fill(self, frame):
        """Puts data of the socket into a frame, and returns its length, or 0 if there is none to send now."""
        self._in_turns = False
        limit = min(self._credit, MAX_PAYLOAD)
        if self._closed or self._end_sent or self._socket is None:
            return 0
        if not limit:
            self._watch_less(READ)
            return 0
        try:
            size = self._socket.recv_into(frame[HEADER.size:], limit)
        except BlockingIOError:
            self._watch(READ)
            return 0
        except OSError:
            self.reset()
            return 0
        HEADER.pack_into(frame, 0, DATA if size else END, self.number, size)
        frame[HEADER.size + size] = END_MARK
        if not size:
            self._sent_end()
        else:
            self._credit -= size
            if size == limit and not self._watched & READ:
                # There is probably more, and nothing would report it.
                self._session.queue(self)
                self._in_turns = True
            elif self._credit:
                self._watch(READ)
            else:
                self._watch_less(READ)
        return HEADER.size + size + 1

    def close(self):
        if self._closed:
            return
        self._closed = True
        self._held.clear()
        self._session.forget(self)
        if self._socket is not None:
            self._loop.forget(self._socket.fileno())
            self._socket.close()

    # The socket.

    def _happened(self, events):
        if events & GONE:
            self._lose_sink()
            if self._closed:
                return
        if events & WRITE and self._held:
            self._pass_on(b'')
        if self._closed or not events & (READ | GONE):
            return
        if self._watched & READ:
            self._turn()
        elif events & GONE:
            # It would be reported again and again. What can still be read is read in turn.
            self._loop.forget(self._socket.fileno())
            self._watched = 0

    def _turn(self):
        if self._session.is_blocked():
            self._watch_less(READ)
        if not self._in_turns:
            self._in_turns = True
            self._session.queue(self)
        self._session.flush()

    def _sent_end(self):
        self._end_sent = True
        self._watch_less(READ)
        if self._deaf and not self._ended:
            self.reset()
        else:
            self._close_if_done()

    def _pass_on(self, payload):
        """Writes to the socket what was held and the payload, as far as it takes them."""
        held = self._held
        if self._deaf:
            self._consumed(len(payload))
        elif self._socket is None:
            held += payload
        else:
            if held:
                held += payload
                payload = held
            sent = 0
            try:
                if payload:
                    sent = self._socket.send(payload)
            except BlockingIOError:
                pass
            except OSError:
                if payload is not held:
                    self._consumed(len(payload))
                self._lose_sink()
                return
            if payload is held:
                del held[:sent]
            elif sent < len(payload):
                held += payload[sent:]
            self._consumed(sent)
            if held:
                self._watch(WRITE)
            elif self._watched & WRITE:
                self._watch_less(WRITE)
        if self._ended and not held and self._socket is not None:
            self._shut_down()

    def _shut_down(self):
        self._shut = True
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The other side has disconnected.
        self._close_if_done()

    def _lose_sink(self):
        if self._shut:
            return
        self._deaf = True
        self._consumed(len(self._held))
        self._held.clear()
        self._watch_less(WRITE)
        if self._ended:
            self._shut_down()
        elif self._end_sent:
            self.reset()

    def _consumed(self, size):
        self._owed += size
        if self._owed >= CREDIT_STEP and not self._ended:
            self._say(b'')

    def _say(self, frames):
        self._control += frames
        self._session.hurry(self)

    def _close_if_done(self):
        if self._shut and self._end_sent:
            self.close()

    def _watch(self, events):
        """Calls of the loop are slow, so this makes them only for a change."""
        if self._watched is None or events & ~self._watched:
            self._watched = (self._watched or 0) | events
            self._loop.watch(self._socket.fileno(), self._watched, self._happened)

    def _watch_less(self, events):
        if self._watched is not None and self._watched & events:
            self._watched &= ~events
            self._loop.watch(self._socket.fileno(), self._watched, self._happened)
