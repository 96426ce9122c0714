import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { output } from '../../contract/conformance/running.ts'
import type { Machine } from '../../contract/machine.ts'
import type { Egress } from '../../contract/spec.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { addressOf, gateway, linkOf, uplinkPair } from '../local/network/addresses.ts'
import { runIn } from '../local/network/namespaces.ts'
import { routerName, routerPlace } from '../local/network/router.ts'
import { readRecord } from '../local/records.ts'
import { leftovers } from '../local/test-leftovers.ts'
import { reaches } from '../local/test-reach.ts'
import { makeWorld, type World, world } from '../local/test-world.ts'
import type { QemuEngine } from './qemu-engine.ts'
import type { VmRecord } from './records.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'
import { framesPrelude, type Listener, listenIn } from './test-frames.ts'

interface Networked {
  readonly machine: Machine
  readonly address: string
  readonly link: string
  readonly netns: string
}

/** Frames with other ports than these are sent by nobody else. */
const firstPort = 4000

describe('the network of a virtual machine', () => {
  let outside: World
  let test: TestVms
  let engine: QemuEngine
  let everything: string[]
  let attacker: Networked
  let neighbour: Networked
  const listeners: Listener[] = []

  const machineWith = async (egress?: Egress): Promise<Networked> => {
    const spec = vmSpec(egress === undefined ? {} : { egress })
    const handle = await engine.create(spec)
    const { index = -1 } = (await readRecord<VmRecord>(engine.settings, spec.id)) ?? {}
    const netns = `${routerName(engine.settings)}-${index}`
    return { machine: await engine.open(handle), address: addressOf(index), link: linkOf(index), netns }
  }

  before(async () => {
    outside = await makeWorld()
    test = await testVms({ uplink: { netns: outside.netns }, resolvers: [world.resolver] })
    engine = test.open()
    everything = [
      ...[`${world.web}:80`, `${world.web}:8080`, `${world.privateWeb}:80`, `${world.privateWeb}:8080`],
      ...[`${world.metadata}:80`, `${world.host}:80`, `${gateway}:80`, 'a.name.test:80'],
      `${uplinkPair(engine.settings.instance, 0).outer}:80`,
      ...[`${world.publicHost}:80`, `${world.publicHost}:${world.publishedPort}`],
      ...[`${gateway}:53`, `${world.resolver}:53`],
    ]
    attacker = await machineWith()
    neighbour = await machineWith()
  })
  after(async () => {
    for (const listener of listeners) await listener.close()
    await engine?.close()
    await test?.dispose()
    await outside?.dispose()
  })

  const asRoot = async ({ machine }: Networked, executable: string, ...args: string[]) => {
    const { stdout, stderr, code } = await output(machine, { executable, args, user: 'root' })
    assert.equal(code, 0, stderr)
    return stdout
  }
  const reachable = [`${world.web}:80`, `${world.web}:8080`, 'a.name.test:80', `${gateway}:53`]

  it('reaches the internet by default, but never private, link-local, metadata or host addresses', async () => {
    await reaches(attacker.machine, everything, reachable)
  })

  it('reaches nothing with none, not even if root in the guest connects its card', async () => {
    const alone = await machineWith('none')
    await reaches(alone.machine, everything, [])
    const connect = [
      'ip link set eth0 up && ip addr add 198.18.0.77/32 dev eth0',
      `ip route add ${gateway}/32 dev eth0 scope link && ip route add default via ${gateway} dev eth0`,
      `echo nameserver ${gateway} > /etc/resolv.conf`,
    ]
    await asRoot(alone, 'sh', '-c', connect.join(' && '))
    await reaches(alone.machine, everything, [])
    await engine.destroy(alone.machine.handle)
  })

  it('reaches exactly what a list names, by network, port and host', async () => {
    const listed = await machineWith([
      { cidr: '10.77.0.0/24', ports: [80] },
      { host: 'one.name.test', ports: [8080] },
    ])
    await reaches(listed.machine, everything, [`${world.privateWeb}:80`])
    const names = ['one.name.test:80', 'one.name.test:8080', 'two.name.test:8080']
    await reaches(listed.machine, names, ['one.name.test:8080'])
    await engine.destroy(listed.machine.handle)
  })

  it('cannot reach another sandbox, with its own address or that of the other', async () => {
    const listen =
      'import socket\ns=socket.create_server(("0.0.0.0",80))\nprint("up",flush=True)\nwhile 1: s.accept()[0].sendall(b"hello")'
    const server = await neighbour.machine.exec({ executable: 'python3', args: ['-c', listen], user: 'root' })
    await server.stdout[Symbol.asyncIterator]().next()
    const target = `${neighbour.address}:80`
    await reaches(neighbour.machine, [target], [target])
    await reaches(attacker.machine, [target], [])
    // It takes the address of the other, and another card.
    await asRoot(attacker, 'ip', 'addr', 'add', `${neighbour.address}/32`, 'dev', 'eth0')
    const asOther = `import socket
s = socket.socket(); s.settimeout(5); s.bind(('${neighbour.address}', 0))
try: s.connect(('${world.web}', 80)); print('ESCAPED')
except OSError as error: print('denied')`
    assert.equal(await asRoot(attacker, 'python3', '-c', asOther), 'denied\n')
    await asRoot(attacker, 'ip', 'addr', 'del', `${neighbour.address}/32`, 'dev', 'eth0')
    await asRoot(attacker, 'ip', 'link', 'set', 'eth0', 'address', '52:54:00:00:00:99')
    await reaches(attacker.machine, [...everything, target], reachable)
    server.kill()
  })

  it('lets no frame out that is not a packet of the machine to where it may go', async () => {
    const [beyond, near] = await Promise.all([listenIn(outside.netns), listenIn(neighbour.netns)])
    listeners.push(beyond, near)
    const [me, other, web] = [attacker.address, neighbour.address, world.web]
    const sent = `${framesPrelude(gateway)}
send = frames.send
send(frame(packet('${other}', '${web}', datagram(4001))))
send(frame(packet('203.0.113.200', '${web}', datagram(4002))))
send(frame(packet('127.0.0.1', '${web}', datagram(4003))))
send(frame(packet('0.0.0.0', '${web}', datagram(4004))))
send(frame(packet('${me}', '${other}', datagram(4005))))
send(frame(packet('${world.web}', '${other}', datagram(4006))))
send(frame(packet('${gateway}', '${other}', datagram(4007))))
send(frame(packet('${me}', '${world.metadata}', datagram(4008))))
send(frame(packet('${me}', '${world.host}', datagram(4009))))
send(frame(packet('${me}', '${world.privateWeb}', datagram(4010))))
send(frame(packet('${me}', '127.0.0.1', datagram(4011))))
send(frame(packet('${me}', '255.255.255.255', datagram(4012)), target=b'\\xff' * 6))
send(frame(packet('${me}', '224.0.0.251', datagram(4013)), target=mac('01005e0000fb')))
# Tagged, as if it were from another network.
for number in (0, 5): send(frame(packet('${other}', '${web}', datagram(4014)), tag=struct.pack('!HH', 0x8100, number)))
# With a route of the sender's choice, and inside another packet.
send(frame(packet('${me}', '${gateway}', datagram(4015), options=b'\\x83\\x07\\x04' + ip('${other}') + b'\\x01')))
send(frame(packet('${me}', '${gateway}', packet('${me}', '${other}', datagram(4016)), protocol=4)))
six = lambda source, target, port: struct.pack('!IHBB', 6 << 28, 13, 17, 64) + socket.inet_pton(10, source) + socket.inet_pton(10, target) + datagram(port)
send(frame(six('fe80::1', '2001:db8::1', 4017), kind=0x86dd))
send(frame(six('fe80::1', 'ff02::1', 4018), kind=0x86dd, target=mac('333300000001')))
send(frame(six('::ffff:${other}', '::ffff:${web}', 4019), kind=0x86dd))
# The same again, for the case that any of it had to be looked up first.
time.sleep(0.2)
send(frame(packet('${other}', '${web}', datagram(4001))))
send(frame(packet('${me}', '${other}', datagram(4005))))
# And what it may send, to show that the others were not lost.
while True:
    send(frame(packet('${me}', '${web}', datagram(4999))))
    time.sleep(0.1)
`
    const sender = await attacker.machine.exec({ executable: 'python3', args: ['-c', sent], user: 'root' })
    await waitFor(() => beyond.heard(4999).length > 0)
    sender.kill()
    assert.deepEqual(beyond.heard(firstPort), [4999])
    assert.deepEqual(near.heard(firstPort), [])
  })

  it('cannot fill the tables that all sandboxes share, nor take the address of another with ARP', async () => {
    const count = 3000
    const flood = `${framesPrelude(gateway)}
everyone = b'\\xff' * 6
for i in range(${count}):
    card = struct.pack('!HI', 0x5254, i)
    sender = socket.inet_ntoa(struct.pack('!I', 0xc6130001 + i))
    frames.send(frame(arp(1, card, sender, bytes(6), '${gateway}'), kind=0x0806, source=card, target=everyone))
    if i % 100 == 0: time.sleep(0.01)
for stolen in ('${neighbour.address}', '${gateway}', '${world.resolver}'):
    for operation in (1, 2):
        frames.send(frame(arp(operation, own, stolen, everyone, stolen), kind=0x0806, target=everyone))
        frames.send(frame(arp(operation, own, stolen, router, '${gateway}'), kind=0x0806))
`
    await asRoot(attacker, 'python3', '-c', flood)
    await reaches(attacker.machine, [`${world.web}:80`], [`${world.web}:80`])
    const known = async (lines: Promise<string>) => (await lines).split('\n').filter(Boolean).length
    const router = routerPlace(engine.settings)
    const neighbours = await known(runIn(router, 'ip', ['neigh', 'show', 'nud', 'all', 'dev', attacker.link]))
    const cards = await known(runIn({ netns: attacker.netns }, 'bridge', ['fdb', 'show']))
    assert.ok(neighbours < 50, `the router has ${neighbours} neighbours`)
    assert.ok(cards < 50, `the bridge has ${cards} cards`)
    await reaches(neighbour.machine, reachable, reachable)
  })

  it('leaves no link, no namespace and no rule behind', async () => {
    for (const { handle } of await engine.list()) await engine.destroy(handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
