import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { cgroupLayout, groupOf } from './cgroups.ts'
import { Containers } from './containers.ts'
import { accountsRoot, FairShares, weightOf } from './fair-shares.ts'

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

/** Groups in a folder that looks like the cgroups of a host. Each machine has used no processor time yet. */
async function groups(kind: 'v1' | 'v2', ids: readonly string[]) {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-groups-'))
  undo.push(() => rm(root, { recursive: true, force: true }))
  const file = (id: string, name: string) => join(root, groupOf('test', id), name)
  const use = (id: string, seconds: number) =>
    kind === 'v2'
      ? writeFile(file(id, 'cpu.stat'), `usage_usec ${seconds * 1e6}\nuser_usec 0\n`)
      : writeFile(file(id, 'cpuacct.usage'), String(seconds * 1e9))
  for (const id of ids) {
    await mkdir(join(root, groupOf('test', id)), { recursive: true })
    await use(id, 0)
    await writeFile(file(id, kind === 'v2' ? 'cpu.weight' : 'cpu.shares'), '')
  }
  const shares = new FairShares({
    groupOf: id => groupOf('test', id),
    layout: { kind, roots: { cpu: root } },
    accounts: kind === 'v1' ? root : undefined,
  })
  undo.push(async () => shares.close())
  for (const id of ids) shares.add(id, 1)
  const weight = async (id: string) =>
    Number(await readFile(file(id, kind === 'v2' ? 'cpu.weight' : 'cpu.shares'), 'utf8'))
  return { shares, use, weight }
}

for (const kind of ['v1', 'v2'] as const)
  it(`busy machines of a tenant weigh together as much as one of another tenant, with cgroups ${kind}`, async () => {
    const greedy = Array.from({ length: 8 }, (_, index) => `greedy-${index}`)
    const ids = [...greedy, 'idle', 'modest']
    const { shares, use, weight } = await groups(kind, ids)
    shares.assign(new Map(ids.map(id => [id, id === 'modest' ? 'modest' : 'greedy'])))
    await shares.update(1000)
    for (const id of [...greedy, 'modest']) await use(id, 1)
    await shares.update(2000)
    const expected = (value: number) => (kind === 'v2' ? weightOf(value) : value)
    for (const id of greedy) assert.equal(await weight(id), expected(128))
    assert.equal(await weight('modest'), expected(1024))
    assert.equal(await weight('idle'), expected(114), 'as the ninth')

    await use('greedy-0', 2)
    await shares.update(3000)
    assert.equal(await weight('greedy-0'), expected(1024), 'the others of its tenant are idle now')
  })

it('finds where a host counts processor time', () => {
  const table = 'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n'
  assert.equal(accountsRoot(table), '/sys/fs/cgroup/cpu,cpuacct')
  assert.equal(accountsRoot('cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n'), undefined)
})

describe('the processor of the host', { timeout: 240_000 }, () => {
  it('is shared between tenants, however many machines they have', async () => {
    const test: TestEngine = await testEngine()
    undo.push(() => test.dispose())
    const engine = test.open()
    undo.push(() => engine.close())
    const specs = [testSpec(), testSpec(), testSpec()]
    const [one, two, other] = specs.map(({ id }) => id)
    engine.assign(new Map(specs.map(({ id }) => [id, id === other ? 'modest' : 'greedy'])))
    for (const spec of specs) {
      const machine = await engine.open(await engine.create(spec))
      await machine.exec({ executable: 'sh', args: ['-c', 'while :; do :; done'] })
    }
    const layout = cgroupLayout()
    const containers = new Containers(engine.settings)
    const sharesOf = async (id = '') => {
      const file = layout.kind === 'v2' ? 'cpu.weight' : 'cpu.shares'
      const path = join(layout.roots.cpu ?? '', containers.groupOf(id), file)
      return Number(await readFile(path, 'utf8'))
    }
    const expected = [512, 512, 1024].map(value => (layout.kind === 'v2' ? weightOf(value) : value))
    await waitFor(async () => {
      const found = await Promise.all([one, two, other].map(sharesOf))
      return found.every((value, index) => value === expected[index])
    })
  })
})
