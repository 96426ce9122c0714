"""Gives the network interface of a virtual machine its address. It asks the kernel itself, because an emulated machine takes longer to
start a program than for everything else that it does here."""
import fcntl
import os
import socket
import struct

INTERFACE = 'eth0'
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK = 0x8914, 0x8916, 0x891C
IFF_UP = 1
RTM_NEWROUTE, ACKNOWLEDGED, CREATE_OR_REPLACE = 24, 5, 0x500
RTA_DST, RTA_OIF, RTA_GATEWAY = 1, 4, 5
MAIN_TABLE, BY_BOOT, UNICAST, TO_ANYWHERE, TO_NEIGHBOUR = 254, 3, 1, 0, 253


def connect(address, gateway):
    """Without an address, the interface has none and is down. Taking it down removes the routes that it had."""
    if not os.path.exists('/sys/class/net/' + INTERFACE):
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        set_flags(control, 0)
        set_address(control, SIOCSIFADDR, address or '0.0.0.0')
        if not address:
            return
        set_address(control, SIOCSIFNETMASK, '255.255.255.255')
        set_flags(control, IFF_UP)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as routes:
        via = socket.inet_aton(gateway)
        add_route(routes, 32, TO_NEIGHBOUR, attribute(RTA_DST, via))
        add_route(routes, 0, TO_ANYWHERE, attribute(RTA_GATEWAY, via))


def set_flags(control, flags):
    fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack('16sh22x', INTERFACE.encode(), flags))


def set_address(control, what, address):
    text = struct.pack('16sHH4s16x', INTERFACE.encode(), socket.AF_INET, 0, socket.inet_aton(address))
    fcntl.ioctl(control, what, text)


def add_route(routes, bits, scope, where):
    body = struct.pack('8BI', socket.AF_INET, bits, 0, 0, MAIN_TABLE, BY_BOOT, scope, UNICAST, 0) + where
    body += attribute(RTA_OIF, struct.pack('I', socket.if_nametoindex(INTERFACE)))
    routes.send(struct.pack('IHHII', 16 + len(body), RTM_NEWROUTE, ACKNOWLEDGED | CREATE_OR_REPLACE, 1, 0) + body)
    error = -struct.unpack_from('i', routes.recv(4096), 16)[0]
    if error:
        raise OSError(error, os.strerror(error), 'the route to the gateway')


def attribute(kind, value):
    return struct.pack('HH', 4 + len(value), kind) + value
