"""Sends each line of its input, a frame in hexadecimal digits, and prints those that arrive from the DHCP server."""
import os
import select
import socket
import sys

SERVER = bytes.fromhex('525400000043')

card = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
card.bind(('card', 3))
print('ready', flush=True)
rest = b''
while True:
    readable = select.select([card, 0], [], [])[0]
    if card in readable:
        frame = card.recv(65536)
        if frame[6:12] == SERVER:
            print(frame.hex(), flush=True)
    if 0 in readable:
        chunk = os.read(0, 65536)
        if not chunk:
            sys.exit()
        *lines, rest = (rest + chunk).split(b'\n')
        for line in lines:
            try:
                card.send(bytes.fromhex(line.decode()))
            except OSError:
                pass  # A frame that is shorter than its header.
