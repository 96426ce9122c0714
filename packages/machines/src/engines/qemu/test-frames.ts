import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/**
 * Python that builds frames, for root in a guest. `frames` is a socket that sends them as they are; `router` and `own` are the
 * addresses of both ends of the link. Datagrams are told apart by the port that they are for.
 */
export const framesPrelude = (gateway: string): string => `
import os, socket, struct, time
def mac(text): return bytes.fromhex(text.replace(':', ''))
def ip(text): return socket.inet_aton(text)
def checksum(data):
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
def datagram(port): return struct.pack('!4H', 1234, port, 13, 0) + b'frame'
def packet(source, target, payload, protocol=17, options=b''):
    words = 5 + len(options) // 4
    head = lambda check: struct.pack('!BBHHHBBH', 0x40 | words, 0, words * 4 + len(payload), 1, 0, 64, protocol, check) + ip(source) + ip(target) + options
    return head(checksum(head(0))) + payload
def frame(payload, kind=0x0800, source=None, target=None, tag=b''):
    return (target or router) + (source or own) + tag + struct.pack('!H', kind) + payload
def arp(operation, sender_mac, sender, target_mac, target):
    return struct.pack('!HHBBH', 1, 0x0800, 6, 4, operation) + sender_mac + ip(sender) + target_mac + ip(target)
own = mac(open('/sys/class/net/eth0/address').read().strip())
ask = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
router = None
while not router:
    ask.sendto(b'x', ('${gateway}', 9))
    time.sleep(0.05)
    for line in open('/proc/net/arp').read().split('\\n')[1:]:
        fields = line.split()
        if fields and fields[0] == '${gateway}' and fields[2] != '0x0': router = mac(fields[3])
frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
frames.bind(('eth0', 0))
`

/** Prints the port of every datagram that passes any link of a network namespace, of whatever version of IP. */
const listener = `
import socket, struct
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
print('up', flush=True)
while True:
    data = s.recv(65536)
    kind, at = struct.unpack('!H', data[12:14])[0], 14
    while kind == 0x8100 and len(data) >= at + 4: kind, at = struct.unpack('!H', data[at + 2:at + 4])[0], at + 4
    if kind == 0x0800 and len(data) > at + 20:
        protocol, start = data[at + 9], at + (data[at] & 15) * 4
        if protocol == 4 and len(data) > start + 20: protocol, start = data[start + 9], start + (data[start] & 15) * 4
    elif kind == 0x86dd and len(data) > at + 40: protocol, start = data[at + 6], at + 40
    else: continue
    if protocol == 17 and len(data) >= start + 4: print(struct.unpack('!H', data[start + 2:start + 4])[0], flush=True)
`

/** What passes the links of a network namespace while it is open. */
export interface Listener {
  /** The ports of datagrams from `first` on, in order. */
  heard(first: number): number[]
  close(): Promise<void>
}

export async function listenIn(netns: string): Promise<Listener> {
  const args = [`--net=/run/netns/${netns}`, 'python3', '-c', listener]
  const child: ChildProcess = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ports: number[] = []
  if (!child.stdout) throw new Error('nothing can be heard')
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  lines.on('line', line => ports.push(Number(line)))
  return {
    heard: first => [...new Set(ports.filter(port => port >= first))].sort((a, b) => a - b),
    async close() {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    },
  }
}
