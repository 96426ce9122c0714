"""Stands in for QEMU: connects the tap of a machine, which it inherits, to a network card in the namespace of a test's guest.

Usage: test_guest_card.py NETWORK_NAMESPACE"""
import fcntl
import os
import select
import struct
import sys

TAP, HEADER = 3, bytes(10)
SETNS_NET, TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x40000000, 0x400454ca, 0x0002, 0x1000


def open_card(namespace):
    import ctypes

    handle = os.open(namespace, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(handle, SETNS_NET):
        sys.exit(os.strerror(ctypes.get_errno()))
    card = os.open('/dev/net/tun', os.O_RDWR)
    fcntl.ioctl(card, TUNSETIFF, struct.pack('16sH22x', b'card', IFF_TAP | IFF_NO_PI))
    return card


def main(namespace):
    card = open_card(namespace)
    while True:
        for fd in select.select([TAP, card], [], [])[0]:
            try:
                if fd == TAP:
                    os.write(card, os.read(TAP, 65536)[len(HEADER):])
                else:
                    os.write(TAP, HEADER + os.read(card, 65536))
            except OSError:
                pass  # Either end refuses frames that are malformed, or that come before it is up.


main(sys.argv[1])
