"""Process 1 in the container of a virtual machine. It runs QEMU and what the machine needs beside it, and connects sockets that the
service knows to the guest: to our agent inside, or to the virtual hardware of a guest that has none.

Usage: relay.py agent|console [--tpm FOLDER] [--lease ADDRESS,GATEWAY,DNS|-] -- COMMAND [ARGUMENT...]

With a lease, descriptor 4 is a socket with the requests of the guest for one."""
import os
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from loop import Loop  # noqa: E402
from qemu_process import QemuProcess  # noqa: E402

SOCKETS = '/run/sandglass/sockets/'
TPM_SOCKET = '/tmp/tpm'
LEASE_SOCKET = 4
# A process that reads what a guest sends must not be able to control QEMU in any other way.
INPUT_COMMANDS = frozenset(('input-send-event', 'query-status', 'query-mice'))


def start_tpm(folder):
    """QEMU connects to it at once, so its socket must be there. Nothing reports when it is."""
    if os.fork():
        for _ in range(500):
            if os.path.exists(TPM_SOCKET):
                return
            time.sleep(0.01)
        sys.exit('the TPM did not start')
    try:
        os.execvp('swtpm', ['swtpm', 'socket', '--tpm2', '--tpmstate', 'dir=' + folder, '--ctrl', 'type=unixio,path=' + TPM_SOCKET])
    finally:
        os._exit(127)


def serve_leases(loop, lease):
    """Called before other programs are started, because none of them may have the socket."""
    from dhcp import DhcpServer, Lease

    os.set_inheritable(LEASE_SOCKET, False)
    DhcpServer(loop, socket.socket(socket.AF_PACKET, socket.SOCK_RAW, fileno=LEASE_SOCKET), Lease(lease))


def serve_agent(loop, command):
    qemu = QemuProcess(loop, command, ['channel'])
    # QEMU starts meanwhile, which takes as long.
    from agent_relay import AgentRelay

    AgentRelay(loop, qemu.ends['channel'])


def serve_console(loop, command):
    from line_relay import LineRelay

    ends = QemuProcess(loop, command, ['input', 'qga']).ends
    LineRelay(loop, SOCKETS + 'input', ends['input'], INPUT_COMMANDS, 'qmp_capabilities')
    LineRelay(loop, SOCKETS + 'qga', ends['qga'])


def main(arguments):
    split = arguments.index('--')
    kind, *pairs = arguments[:split]
    options = dict(zip(pairs[::2], pairs[1::2]))
    loop = Loop()
    if '--lease' in options:
        serve_leases(loop, options['--lease'])
    if '--tpm' in options:
        start_tpm(options['--tpm'])
    (serve_agent if kind == 'agent' else serve_console)(loop, arguments[split + 1:])
    loop.run()


if __name__ == '__main__':
    main(sys.argv[1:])
