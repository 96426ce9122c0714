import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import type { Egress } from '../../../contract/spec.ts'
import { patienceMs } from '../../../testing/wait-for.ts'
import type { LocalEngine } from '../local-engine.ts'
import { readRecord } from '../records.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { makeWorld, type World, world } from '../test-world.ts'
import { addressOf, gateway, uplinkPair } from './addresses.ts'
import { type NetworkPlace, runIn } from './namespaces.ts'
import { routerPlace } from './router.ts'

/**
 * Tries all targets at once and prints those that answered. It waits a while after all expected targets have
 * answered, because an unexpected one might just be slower.
 */
const probe = `
import os, socket, sys, threading, time
expected, targets = set(sys.argv[1].split()), sys.argv[2:]
greeted, lock = set(), threading.Condition()
def reach(target):
    host, port = target.rsplit(':', 1)
    try:
        with socket.create_connection((host, int(port)), timeout=${patienceMs / 1000}) as s:
            if s.recv(5) != b'hello': return
    except OSError: return
    with lock:
        greeted.add(target)
        lock.notify()
for target in targets: threading.Thread(target=reach, args=[target], daemon=True).start()
with lock: lock.wait_for(lambda: expected <= greeted, ${patienceMs / 1000})
time.sleep(1.5)
print(*[target for target in targets if target in greeted], flush=True)
os._exit(0)
`

/** Asserts that exactly the expected targets are reachable from a machine. */
async function reaches(
  machine: Machine,
  targets: readonly string[],
  expected: readonly string[],
): Promise<void> {
  const args = ['-c', probe, expected.join(' '), ...targets]
  const { stdout } = await machine.exec({ executable: 'python3', args })
  assert.deepEqual((await text(stdout)).trim().split(' ').filter(Boolean), expected)
}

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

  it('reaches the internet by default, but never private, link-local, metadata or host addresses', async () => {
    const { machine } = await machineWith()
    await reaches(machine, everything, [`${world.web}:80`, `${world.web}:8080`, 'a.name.test:80'])
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
    const web = [`${world.web}:80`, `${world.web}:8080`, 'a.name.test:80']
    await reaches(other, everything, web)
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
    for (const { machine } of [one, other]) await reaches(machine, web, web)
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
