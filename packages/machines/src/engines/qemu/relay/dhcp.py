"""Answers DHCP for the one guest of a machine, which has no agent that could be told its address. It reads frames that only the guest
can have sent, and sends some that only the guest receives, so nothing in the network namespace has an address for it."""
import socket
import struct
import time

from loop import READ

GUEST, SERVER = bytes.fromhex('525400000001'), bytes.fromhex('525400000043')
BROADCAST_MAC, BROADCAST, NOBODY = b'\xff' * 6, b'\xff' * 4, bytes(4)
# The router has no address in the network of a machine. With all addresses of machines and of the gateway in one network, systems that
# refuse a gateway outside of theirs accept it.
MASK = socket.inet_aton('255.254.0.0')
LEASE_SECONDS = 86400
DISCOVER, OFFER, REQUEST, ACK, NAK, INFORM = 1, 2, 3, 5, 6, 8
COOKIE, SERVER_PORT, CLIENT_PORT = b'\x63\x82\x53\x63', 67, 68
# The smallest message that every client takes.
MESSAGE_BYTES = 300
FRAME_LIMIT = 2048
# A guest that sends more has to wait for the rest of the second, and what does not fit into the socket meanwhile is lost.
FRAMES_PER_SECOND = 50


class Lease:
    """Written as `ADDRESS,GATEWAY,DNS`, with `-` for a machine that does not resolve names."""

    def __init__(self, text):
        address, gateway, dns = text.split(',')
        self.address, self.gateway = socket.inet_aton(address), socket.inet_aton(gateway)
        self.dns = None if dns == '-' else socket.inet_aton(dns)


class DhcpServer:
    def __init__(self, loop, connection, lease):
        self._loop, self._socket, self._lease = loop, connection, lease
        self._since, self._count = time.monotonic(), 0
        connection.setblocking(False)
        self._listen()

    def _listen(self):
        self._loop.watch(self._socket.fileno(), READ, self._readable)

    def _readable(self, events):
        try:
            frame = answer(self._socket.recv(FRAME_LIMIT), self._lease)
            if frame:
                self._socket.send(frame)
            failed = False
        except BlockingIOError:
            failed = False
        except OSError:
            failed = True
        now = time.monotonic()
        if now - self._since >= 1:
            self._since, self._count = now, 0
        self._count += 1
        if failed or self._count > FRAMES_PER_SECOND:
            self._loop.forget(self._socket.fileno())
            self._loop.after(1, self._listen)


def answer(frame, lease):
    """The frame that answers one of the guest, or None if that is not a request that this server answers."""
    message = message_in(frame)
    options = message and options_in(message[240:])
    if not options or len(options.get(53, b'')) != 1:
        return None
    kind, asker = options[53][0], message[12:16]
    if kind == DISCOVER:
        return reply(message, OFFER, lease)
    if kind == INFORM:
        return reply(message, ACK, lease, is_inform=True)
    # With the name of another server, the client tells this one that it was not chosen.
    if kind != REQUEST or options.get(54, lease.gateway) != lease.gateway:
        return None
    return reply(message, ACK if options.get(50, asker) == lease.address else NAK, lease)


def message_in(frame):
    """The message in a frame. The card may leave the checksum of UDP to the host, so it says nothing."""
    if len(frame) < 34 or frame[6:12] != GUEST or frame[12:14] != b'\x08\x00' or frame[14] >> 4 != 4:
        return None
    header = (frame[14] & 15) * 4
    length, fragment = struct.unpack_from('!H2xH', frame, 16)
    packet = frame[14:14 + length]
    if header < 20 or len(packet) != length or length < header + 8 or fragment & 0x3fff or packet[9] != socket.IPPROTO_UDP:
        return None
    source, target, size = struct.unpack_from('!HHH', packet, header)
    message = packet[header + 8:header + size]
    if (source, target) != (CLIENT_PORT, SERVER_PORT) or size < 8 or len(message) != size - 8 or len(message) < 240:
        return None
    is_ours = message[:3] == b'\x01\x01\x06' and message[24:28] == NOBODY and message[28:34] == GUEST
    return message if is_ours and message[236:240] == COOKIE else None


def options_in(data):
    """The options by number, or None if they are malformed. Of an option that is repeated, the first counts."""
    options, at = {}, 0
    while at < len(data) and data[at] != 255:
        if data[at] == 0:
            at += 1
            continue
        end = at + 2 + data[at + 1] if at + 1 < len(data) else len(data) + 1
        if end > len(data):
            return None
        options.setdefault(data[at], data[at + 2:end])
        at = end
    return options


def reply(request, kind, lease, is_inform=False):
    flags, asker = request[10:12], request[12:16]
    given = NOBODY if kind == NAK or is_inform else lease.address
    options = [(53, bytes([kind])), (54, lease.gateway)]
    if kind != NAK:
        options += [(1, MASK), (3, lease.gateway)]
        options += [(6, lease.dns)] if lease.dns else []
        options += [] if is_inform else [(51, struct.pack('!I', LEASE_SECONDS))]
    head = b'\x02\x01\x06\0' + request[4:8] + b'\0\0' + flags + (NOBODY if kind == NAK else asker) + given + bytes(8)
    message = head + request[28:44] + bytes(192) + COOKIE
    message += b''.join(bytes([number, len(value)]) + value for number, value in options) + b'\xff'
    known = asker if asker != NOBODY else given
    is_broadcast = kind == NAK or flags[0] & 0x80 and asker == NOBODY or known == NOBODY
    target = BROADCAST if is_broadcast else known
    return (BROADCAST_MAC if is_broadcast else GUEST) + SERVER + b'\x08\x00' + datagram(lease.gateway, target, message.ljust(MESSAGE_BYTES, b'\0'))


def datagram(source, target, message):
    size = 8 + len(message)
    udp = struct.pack('!HHHH', SERVER_PORT, CLIENT_PORT, size, 0) + message
    total = checksum(source + target + struct.pack('!BBH', 0, socket.IPPROTO_UDP, size) + udp) or 0xffff
    header = struct.pack('!BBHHHBBH', 0x45, 0, 20 + size, 0, 0, 64, socket.IPPROTO_UDP, 0) + source + target
    return header[:10] + struct.pack('!H', checksum(header)) + header[12:] + udp[:6] + struct.pack('!H', total) + message


def checksum(data):
    total = sum(word for word, in struct.iter_unpack('!H', data.ljust(len(data) + 1 & ~1, b'\0')))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
