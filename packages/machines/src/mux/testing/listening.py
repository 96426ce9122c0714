"""For tests: the end of a channel that many connect to. The arguments are the folder of the guest's programs and that of the sockets,
whose names are the targets. It listens on the socket `channel` there, and prints a line when it does."""
import os
import sys

sys.path.insert(0, sys.argv[1])
from channel import Channel, listen  # noqa: E402
from loop import Loop  # noqa: E402

loop = Loop()
listen(loop, os.path.join(sys.argv[2], 'channel'), Channel(loop, {'x11': os.path.join(sys.argv[2], 'x11')}).opened)
print('ready', flush=True)
loop.run()
