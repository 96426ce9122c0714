import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { output } from '../../contract/conformance/running.ts'
import type { Machine } from '../../contract/machine.ts'
import type { Egress } from '../../contract/spec.ts'
import { MuxSession } from '../../mux/index.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { reaches } from '../local/test-reach.ts'
import { world } from '../local/test-world.ts'
import type { IncusEngine } from './incus-engine.ts'
import { clusterSpec, type TestIncus, testIncus } from './test-engine.ts'

/** Prints what becomes of a connection to each target: it is accepted or refused there, or nothing comes back. */
const outcomes = `
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def outcome(target):
    host, port = target.rsplit(':', 1)
    try:
        socket.create_connection((host, int(port)), timeout=15).close()
        return 'accepted'
    except ConnectionRefusedError: return 'refused'
    except OSError: return 'silence'
print(*ThreadPoolExecutor(32).map(outcome, sys.argv[1:]))
`

/** Greets everybody who connects. */
const greeter = `
import socket
server = socket.create_server(('0.0.0.0', 8000))
while True:
    connection, _ = server.accept()
    connection.sendall(b'hello')
    connection.close()
`

describe('a machine in a cluster', () => {
  let tested: TestIncus
  let engine: IncusEngine
  let everything: string[]
  let first: Machine
  let gateway: string

  const machineWith = async (egress?: Egress, diskMiB = 2048): Promise<Machine> => {
    const place = { member: tested.cluster.members[1]?.name ?? '' }
    const spec = clusterSpec({ place, diskMiB, ...(egress !== undefined && { egress }) })
    return await engine.open(await engine.create(spec))
  }
  const asRoot = async (machine: Machine, script: string) =>
    await output(machine, { executable: 'sh', args: ['-c', script], user: 'root' })
  const addressOf = async (machine: Machine) =>
    /inet ([\d.]+)/.exec((await asRoot(machine, 'ip -4 addr show dev eth0')).stdout)?.[1] ??
    assert.fail('no address')

  const outcomesOf = async (machine: Machine, targets: readonly string[]) =>
    (await output(machine, { executable: 'python3', args: ['-c', outcomes, ...targets] })).stdout.trim()

  before(async () => {
    tested = await testIncus({ hasWorld: true }, { resolvers: [world.resolver] })
    engine = tested.open()
    first = await machineWith()
    gateway = /via ([\d.]+)/.exec((await asRoot(first, 'ip route')).stdout)?.[1] ?? assert.fail('no gateway')
    everything = [
      ...[`${world.web}:80`, `${world.web}:8080`, `${world.privateWeb}:80`, `${world.metadata}:80`],
      ...[`${world.resolver}:53`, 'a.name.test:80'],
    ]
  })
  after(() => tested?.dispose())

  it('reaches the internet and its resolver, but no private, link-local or metadata address, and no member', async () => {
    const reachable = [`${world.web}:80`, `${world.web}:8080`, `${world.resolver}:53`, 'a.name.test:80']
    await reaches(first, everything, reachable)
  })

  it('shows programs its own memory and not that of its member', async () => {
    const { stdout } = await asRoot(first, 'cat /proc/meminfo')
    assert.match(stdout, /^MemTotal: +524288 kB$/m)
  })

  it('is reached again after somebody inside has killed the end of its channel', async () => {
    const machine = await machineWith('none')
    await asRoot(machine, 'pkill -f channel.py').catch(() => {})
    machine.close()
    const again = await engine.open(machine.handle)
    assert.equal((await asRoot(again, 'echo there')).stdout, 'there\n')
    again.close()
  })

  it('serves only the last session of a worker, and those of other callers besides', async () => {
    const reach = await engine.reachFromWorker(first.handle)
    const [given, last] = [
      await MuxSession.connect(await reach.dial()),
      await MuxSession.connect(await reach.dial()),
    ]
    await given.closed
    await last.ping()
    assert.equal((await asRoot(first, 'echo there')).stdout, 'there\n')
    await last.ping()
    reach.close()
  })

  it('gets no answer of a member at any of its addresses, not even that nobody listens', async () => {
    const members = tested.cluster.members.flatMap(({ address }) => [`${address}:8443`, `${address}:22`])
    const around = [...members, `${gateway}:8443`, `${gateway}:22`]
    assert.equal(
      await outcomesOf(first, [`${world.web}:80`, `${world.web}:81`, ...around]),
      ['accepted', 'refused', ...around.map(() => 'silence')].join(' '),
    )
  })

  it('reaches nothing with none', async () => {
    await reaches(await machineWith('none'), everything, [])
  })

  it('reaches exactly what its list has, private networks included, but no member', async () => {
    const members = tested.cluster.members.map(({ address }) => ({ cidr: `${address}/32` }))
    const listed = await machineWith([
      { cidr: `${world.web}/32`, ports: [8080] },
      { cidr: '10.77.0.5/32' },
      ...members,
    ])
    await reaches(listed, everything, [`${world.web}:8080`, `${world.privateWeb}:80`])
    const [, ...others] = tested.cluster.members
    const closed = await outcomesOf(
      listed,
      others.map(({ address }) => `${address}:8443`),
    )
    assert.equal(closed, 'silence silence')
    await assert.rejects(machineWith([{ host: 'example.com' }]), /use networks/)
  })

  it('reaches no neighbour, on the same network or on another, and none reaches it', async () => {
    const [same, listed] = [await machineWith(), await machineWith([{ cidr: '100.64.0.0/10' }])]
    for (const neighbour of [same, listed])
      await neighbour.exec({ executable: 'python3', args: ['-c', greeter], detached: true })
    await waitFor(async () => (await outcomesOf(same, ['127.0.0.1:8000'])) === 'accepted')
    const addresses = await Promise.all([same, listed].map(addressOf))
    await reaches(
      first,
      addresses.map(address => `${address}:8000`),
      [],
    )
    await reaches(listed, [`${addresses[0]}:8000`, `${await addressOf(first)}:8000`], [])
  })

  it('cannot take another address or another card, as root', async () => {
    const { code, stderr } = await asRoot(first, 'ip addr add 100.64.200.200/16 dev eth0')
    assert.notEqual(code, 0)
    assert.match(stderr, /not permitted/)
    assert.notEqual((await asRoot(first, 'ip link set eth0 address 02:00:00:00:00:01')).code, 0)
  })

  it('has the limits of its spec, and its member goes on when it exceeds them', async () => {
    const small = await machineWith('none', 700)
    const disk = await asRoot(small, 'dd if=/dev/zero of=/full bs=1M count=1000 2>&1; rm -f /full')
    assert.match(disk.stdout, /No space left|quota exceeded/i)
    const memory = await asRoot(small, 'python3 -c "b = bytearray(700 << 20)"; echo ended with $?')
    assert.match(memory.stdout, /ended with (137|1)\n/)
    const processes = await asRoot(
      small,
      'i=0; while [ $i -lt 400 ]; do sleep 600 >/dev/null 2>&1 & i=$((i+1)); done 2>&1 | tail -c 200; pkill -x sleep; true',
    )
    assert.match(processes.stdout, /fork|resource/i)
    assert.equal((await asRoot(small, 'echo fine')).stdout, 'fine\n')
  })

  it('gives root in it no power over the kernel, the member or the cluster', async () => {
    const { stdout } = await asRoot(
      first,
      `grep CapBnd /proc/self/status
      ls /dev/incus /dev/kvm /dev/mem 2>&1 | grep -v 'No such file' | wc -l
      mount -t tmpfs none /mnt 2>/dev/null && echo mounted
      echo 1 > /proc/sys/kernel/panic 2>/dev/null && echo panic
      echo c > /proc/sysrq-trigger 2>/dev/null && echo sysrq
      mknod /disk b 8 0 2>/dev/null && echo device
      dmesg >/dev/null 2>&1 && echo dmesg
      echo 0 > /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null && echo limit
      true`,
    )
    assert.equal(stdout, 'CapBnd:\t00000000a00405fb\n0\n')
  })

  it('has users of its own on the member', async () => {
    const uidMap = async (machine: Machine) =>
      (await asRoot(machine, 'cat /proc/self/uid_map')).stdout.trim().split(/\s+/)
    const [a, b] = [await uidMap(first), await uidMap(await machineWith('none'))]
    assert.ok(Number(a[1]) >= 65536 && Number(b[1]) >= 65536)
    assert.ok(Math.abs(Number(a[1]) - Number(b[1])) >= Math.max(Number(a[2]), Number(b[2])), `${a} ${b}`)
  })

  it('gets a list of destinations that is used already while a member is lost, but no new one', async () => {
    const [one, , lost] = tested.cluster.members
    if (!one || !lost) assert.fail('there are three members')
    const dropped = async (list: string) =>
      JSON.stringify(await one.request('GET', `/1.0/network-acls/${list}`)).includes(lost.address)
    const known: Egress = [{ cidr: `${world.web}/32` }]
    await machineWith(known)
    assert.ok(await dropped('sgnet0'))
    await lost.kill()
    await waitFor(async () => (await tested.cluster.statuses(one)).get(lost.name) === 'Offline')
    // Another process has nothing in memory.
    engine = tested.open()
    await machineWith()
    await reaches(await machineWith(known), everything, [`${world.web}:80`, `${world.web}:8080`])
    const fresh: Egress = [{ cidr: `${world.web}/32`, ports: [80] }]
    await assert.rejects(machineWith(fresh), {
      code: 'UNREACHABLE',
      message: /needs all members of the cluster, but .*member3 is offline/,
    })
    const others = async () =>
      [...(await tested.cluster.statuses(one))].filter(([name]) => name !== lost.name)
    await waitFor(async () => (await others()).every(([, status]) => status === 'Online'))
    await one.request('DELETE', `/1.0/cluster/members/${lost.name}?force=1`, undefined, 60_000)
    await waitFor(async () => !(await dropped('sgnet0')))
    await reaches(await machineWith(fresh), everything, [`${world.web}:80`])
  })
})
