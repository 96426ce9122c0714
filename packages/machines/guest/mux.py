"""A multiplexer that carries many byte streams over one. `packages/wire/src/mux/index.ts` describes the protocol. A
session owns its descriptor, and each of its streams the socket that is joined to it."""
from acceptor import Acceptor
from frames import ProtocolError
from opener import Opener

__all__ = ['Acceptor', 'Opener', 'ProtocolError', 'join']


def join(stream, connection):
    """Copies bytes in both directions between a stream and a socket, each of which can be half-closed."""
    stream.join(connection)
