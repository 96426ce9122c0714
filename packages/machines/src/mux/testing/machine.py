"""For tests: the end of a channel in a machine. The arguments are the folder of the guest's programs and that of the
sockets, whose names are the targets. Descriptor 3 is the byte stream, whose end is the end of this program."""
import os
import sys

sys.path.insert(0, sys.argv[1])
from acceptor import Acceptor  # noqa: E402
from channel import Channel  # noqa: E402
from loop import Loop  # noqa: E402

TARGETS = ('agent', 'rfb', 'x11', 'nobody')

loop = Loop()
channel = Channel(loop, {target: os.path.join(sys.argv[2], target) for target in TARGETS})
Acceptor(loop, 3, channel.opened, lambda reason: os._exit(0))
loop.run()
