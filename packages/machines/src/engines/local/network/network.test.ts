import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { MachineHandle } from '../../../contract/handle.ts'
import type { Egress } from '../../../contract/spec.ts'
import { patienceMs, waitFor } from '../../../testing/wait-for.ts'
import { installGvisor } from '../host/gvisor-package.ts'
import type { LocalEngine } from '../local-engine.ts'
import { readRecord } from '../records.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { reaches } from '../test-reach.ts'
import { makeWorld, type World, world } from '../test-world.ts'
import { addressOf, gateway, uplinkPair } from './addresses.ts'
import { type NetworkPlace, nft, runIn } from './namespaces.ts'
import { routerPlace } from './router.ts'

describe('the network of a sandbox', () => {
  let outside: World
  let test: TestEngine
  let engine: LocalEngine
  let everything: string[]
  let hostForwards: string

  before(async () => {
    hostForwards = (await readFile('/proc/sys/net/ipv4/ip_forward', 'utf8')).trim()
    outside = await makeWorld()
    test = await testEngine({ uplink: { netns: outside.netns }, resolvers: [world.resolver] })
    engine = test.open()
    everything = [
      ...[`${world.web}:80`, `${world.web}:8080`, `${world.privateWeb}:80`, `${world.privateWeb}:8080`],
      ...[`${world.metadata}:80`, `${world.host}:80`, `${gateway}:80`, 'a.name.test:80'],
      `${uplinkPair(engine.settings.instance, 0).outer}:80`,
      ...[`${world.publicHost}:80`, `${world.publicHost}:${world.publishedPort}`],
      ...[`${gateway}:53`, `${world.resolver}:53`],
    ]
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
    await outside?.dispose()
  })

  const machineWith = async (egress?: Egress) => {
    const spec = testSpec(egress === undefined ? {} : { egress })
    const handle = await engine.create(spec)
    const record = await readRecord(engine.settings, spec.id)
    return { handle, machine: await engine.open(handle), address: addressOf(record?.index ?? -1) }
  }

  /** What a sandbox reaches by default. */
  const reachable = [`${world.web}:80`, `${world.web}:8080`, 'a.name.test:80', `${gateway}:53`]

  it('reaches the internet by default, but never private, link-local, metadata or host addresses', async () => {
    const { machine } = await machineWith()
    await reaches(machine, everything, reachable)
  })

  it('is under the same rules if the sandbox runs in gVisor, which has a network of its own', async () => {
    await installGvisor()
    const handle = await engine.create(testSpec({ runtime: 'runsc' }))
    const machine = await engine.open(handle)
    await reaches(machine, everything, reachable)
    await engine.restart(handle)
    await reaches(await engine.open(handle), everything.slice(0, 3), everything.slice(0, 2))
  })

  it('reaches nothing with none, and resolves no names', async () => {
    const { machine } = await machineWith('none')
    await reaches(machine, everything, [])
    const links = await machine.exec({ executable: 'ip', args: ['-brief', 'link'] })
    assert.match(await text(links.stdout), /^lo\s[^\n]*\n$/)
  })

  it('reaches exactly what an allowlist names, including private networks', async () => {
    const { machine } = await machineWith([{ cidr: '10.77.0.0/24', ports: [80] }])
    await reaches(machine, everything, [`${world.privateWeb}:80`])
    const { machine: other } = await machineWith([{ cidr: world.web }])
    await reaches(other, everything, [`${world.web}:80`, `${world.web}:8080`])
    const { machine: third } = await machineWith([{ cidr: world.resolver, ports: [53] }])
    await reaches(third, everything, [`${world.resolver}:53`])
  })

  it('resolves the hosts of an allowlist, and reaches what they resolve to, and nothing else', async () => {
    const { machine } = await machineWith([
      { host: 'one.name.test', ports: [80] },
      { host: '*.below.test' },
      { host: 'private.test' },
    ])
    await reaches(machine, [`${world.web}:80`], [])
    const one = ['one.name.test:80', 'one.name.test:8080']
    await reaches(machine, [...one, ...everything], ['one.name.test:80', `${world.web}:80`])
    const others = ['x.below.test', 'a.name.test', 'below.test', 'private.test']
    // The second host has the same address, on which it allows every port.
    await reaches(
      machine,
      [...one, ...others.flatMap(host => [`${host}:80`, `${host}:8080`])],
      [...one, 'x.below.test:80', 'x.below.test:8080'],
    )
  })

  it('lets a sandbox say nothing to the resolver but the names of its hosts', async () => {
    const { machine } = await machineWith([{ host: 'one.name.test' }])
    const ask = (name: string, type: number) =>
      `import socket,struct
q = struct.pack('>6H', 7, 256, 1, 0, 0, 0) + b''.join(bytes([len(p)]) + p.encode() for p in '${name}'.split('.')) + struct.pack('>BHH', 0, ${type}, 1)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(${patienceMs / 1000}); s.connect(('${gateway}', 53)); s.send(q)
r = s.recv(512); print(r[3] & 15, struct.unpack('>H', r[6:8])[0])
t = socket.create_connection(('${gateway}', 53), ${patienceMs / 1000}); t.sendall(struct.pack('>H', len(q)) + q)
r = t.makefile('rb').read(); print(r[5] & 15, struct.unpack('>H', r[8:10])[0])`
    const answer = async (name: string, type = 1) => {
      const { stdout } = await machine.exec({ executable: 'python3', args: ['-c', ask(name, type)] })
      return (await text(stdout)).trim().split('\n')
    }
    assert.deepEqual(await answer('one.name.test'), ['0 1', '0 1'])
    assert.deepEqual(await answer('ONE.Name.test'), ['0 1', '0 1'])
    assert.deepEqual(await answer('one.name.test', 16), ['0 0', '0 0'], 'only addresses are resolved')
    assert.deepEqual(await answer('secret.one.name.test'), ['3 0', '3 0'])
  })

  it('keeps resolving the hosts of machines when its name server ends, and after a restart', async () => {
    const { machine, handle } = await machineWith([{ host: 'one.name.test' }])
    await reaches(machine, ['one.name.test:80'], ['one.name.test:80'])
    let servers: number[] = []
    // Commands that prepare the network of the next machine may run there for a moment.
    await waitFor(async () => {
      const inRouter = await runIn('host', 'ip', ['netns', 'pids', `sandglass-${engine.settings.instance}`])
      servers = inRouter.trim().split('\n').map(Number)
      return servers.length === 1
    })
    const [pid = 0] = servers
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m)
    assert.match(status, /^CapEff:\t0+$/m)
    process.kill(pid, 'SIGKILL')
    await waitFor(async () => {
      const found = await machine.exec({ executable: 'getent', args: ['ahostsv4', 'one.name.test'] })
      return (await text(found.stdout)).includes(world.web)
    })
    await engine.close()
    engine = test.open()
    await reaches(await engine.open(handle), ['one.name.test:80'], ['one.name.test:80'])
  })

  it('replaces the rules of an earlier version, and keeps the policies of machines', async () => {
    const [open, listed, named] = await Promise.all([
      machineWith(),
      machineWith([{ cidr: world.web }]),
      machineWith([{ host: 'one.name.test' }]),
    ])
    const router = routerPlace(engine.settings)
    const [version = ''] = /rules_\w+/.exec(await runIn(router, 'nft', ['list', 'chains', 'inet'])) ?? []
    const toResolver = `ip daddr ${gateway} meta l4proto { tcp, udp } th dport 53 dnat ip to ${world.resolver}`
    const earlier = [
      `delete chain inet sandglass ${version}`,
      ...['input', 'names', 'internet'].map(chain => `flush chain inet sandglass ${chain}`),
      ...['resolving', 'named'].map(set => `flush set inet sandglass ${set}`),
      `add rule inet sandglass names iifname != "up" ${toResolver}`,
    ]
    await nft(router, earlier.map(line => `${line}\n`).join(''))
    await reaches(listed.machine, [`${gateway}:53`], [`${gateway}:53`])

    await engine.close()
    engine = test.open()
    await engine.prepare('minimal')
    const targets = [`${gateway}:53`, `${world.web}:80`, 'a.name.test:80', 'one.name.test:80']
    const reachable = async ({ handle }: { readonly handle: MachineHandle }, expected: readonly string[]) =>
      reaches(await engine.open(handle), targets, expected)
    await reachable(open, targets)
    await reachable(listed, [`${world.web}:80`])
    await reachable(named, [`${world.web}:80`, 'one.name.test:80'])
  })

  it('keeps its policy after a restart of the machine', async () => {
    const { handle } = await machineWith([{ cidr: '10.77.0.0/24', ports: [8080] }])
    await engine.restart(handle)
    await reaches(await engine.open(handle), everything, [`${world.privateWeb}:8080`])
  })

  it('isolates sandboxes from each other, with their own and with spoofed addresses', async () => {
    const [one, other] = await Promise.all([machineWith(), machineWith()])
    const listen =
      'import socket\ns=socket.create_server(("0.0.0.0",80))\nprint("up",flush=True)\nwhile 1: s.accept()[0].sendall(b"hello")'
    const server = await other.machine.exec({ executable: 'python3', args: ['-c', listen] })
    await server.stdout[Symbol.asyncIterator]().next()
    const target = `${other.address}:80`
    await reaches(other.machine, [target], [target])
    await reaches(one.machine, [target], [])
    const borrow = await one.machine.exec({
      executable: 'ip',
      args: ['addr', 'add', other.address, 'dev', 'eth0'],
      user: 'root',
    })
    assert.notEqual((await borrow.exited).code, 0)
    server.kill()
  })

  it('deletes the tracked connections of a destroyed machine, and no others', async () => {
    const [one, other] = await Promise.all([machineWith(), machineWith()])
    const web = [`${world.web}:80`, 'a.name.test:80']
    // At the same time, because the kernel forgets a question to the name server after half a minute.
    await Promise.all([one, other].map(({ machine }) => reaches(machine, web, web)))
    const flowsOf = async ({ address }: { readonly address: string }) =>
      (await runIn(routerPlace(engine.settings), 'cat', ['/proc/net/nf_conntrack']))
        .split('\n')
        .filter(line => line.includes(`src=${address} `)).length
    assert.ok((await flowsOf(one)) >= 3 && (await flowsOf(other)) >= 3)
    await engine.destroy(one.handle)
    assert.equal(await flowsOf(one), 0)
    assert.ok((await flowsOf(other)) >= 3)
  })

  it('enables forwarding only where its packets pass', async () => {
    const forwards = (place: NetworkPlace) =>
      runIn(place, 'cat', ['/proc/sys/net/ipv4/ip_forward']).then(value => value.trim())
    assert.equal(await forwards(routerPlace(engine.settings)), '1')
    assert.equal(await forwards({ netns: outside.netns }), '1')
    assert.equal(await forwards('host'), hostForwards)
  })

  it('has no IPv6', async () => {
    const { machine } = await machineWith()
    const shown = await machine.exec({ executable: 'ip', args: ['-6', 'addr'] })
    assert.equal(await text(shown.stdout), '')
  })

  it('leaves no link and no rule behind', async () => {
    for (const { handle } of await engine.list()) await engine.destroy(handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
