import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, it } from 'node:test'
import { groupOf } from './cgroups.ts'
import { ProcessorSets, type ProcessorUse } from './processor-sets.ts'

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

/** Machines in a folder that looks like the cgroups of a host with so many processors. */
async function host(processors: number, ids: readonly string[]) {
  const root = await mkdtemp(join(tmpdir(), 'sandglass-sets-'))
  undo.push(() => rm(root, { recursive: true, force: true }))
  const file = (id: string) => join(root, groupOf('test', id), 'cpuset.cpus')
  for (const id of ids) {
    await mkdir(join(root, groupOf('test', id)), { recursive: true })
    await writeFile(file(id), '')
  }
  const cores = Array.from({ length: processors }, (_, core) => core)
  const sets = new ProcessorSets({
    groupOf: id => groupOf('test', id),
    layout: { kind: 'v1', roots: { cpuset: root } },
    cores,
  })
  const coresOf = async (id: string) => (await readFile(file(id), 'utf8')).split(',')
  return { sets, coresOf }
}

const busy: ProcessorUse = { shares: 1024, isBusy: true }
const idle: ProcessorUse = { shares: 1024, isBusy: false }

it('a machine gets as many processors as it may use, and one for a fraction', async () => {
  const { sets, coresOf } = await host(4, ['half', 'two', 'three'])
  await sets.confine('half', 0.5)
  await sets.confine('two', 2)
  await sets.confine('three', 2.5)
  const found = await Promise.all(['half', 'two', 'three'].map(coresOf))
  assert.deepEqual(
    found.map(cores => cores.length),
    [1, 2, 3],
  )
  assert.equal(new Set([...(found[0] ?? []), ...(found[1] ?? [])]).size, 3, 'spread over the host')
})

it('a machine that may use the whole host, or more, is not limited to a part of it', async () => {
  const { sets, coresOf } = await host(2, ['whole', 'more'])
  await sets.confine('whole', 2)
  await sets.confine('more', 8)
  assert.deepEqual(await Promise.all(['whole', 'more'].map(coresOf)), [[''], ['']])
  assert.deepEqual([sets.count(2), sets.count(8), sets.count(0.25)], [2, 2, 1])
})

it('machines that compete are moved apart, and those that do not stay where they are', async () => {
  const ids = ['a', 'b', 'c', 'd']
  const { sets, coresOf } = await host(2, ids)
  for (const id of ids) await sets.confine(id, 1)
  const before = await Promise.all(ids.map(coresOf))
  const together = ids.filter((_, index) => String(before[index]) === String(before[0]))
  const apart = ids.filter(id => !together.includes(id))
  assert.equal(together.length, 2)
  await sets.balance(new Map(ids.map(id => [id, together.includes(id) ? busy : idle])))
  const [one, two] = await Promise.all(together.map(coresOf))
  assert.notDeepEqual(one, two)
  const after = await Promise.all(ids.map(coresOf))
  await sets.balance(new Map(ids.map(id => [id, together.includes(id) ? busy : idle])))
  assert.deepEqual(await Promise.all(ids.map(coresOf)), after, 'nothing moves without a reason')
  assert.equal(apart.length, 2)
})

it('the machines of a tenant with many do not crowd out the one of another tenant', async () => {
  const greedy = Array.from({ length: 8 }, (_, index) => `greedy-${index}`)
  const { sets, coresOf } = await host(2, [...greedy, 'modest'])
  for (const id of [...greedy, 'modest']) await sets.confine(id, 1)
  const share = { shares: 128, isBusy: true }
  await sets.balance(new Map([['modest', busy], ...greedy.map(id => [id, share] as const)]))
  const [own] = await coresOf('modest')
  for (const id of greedy) assert.notEqual((await coresOf(id))[0], own, id)
})

it('a machine that has ended leaves its processors to others', async () => {
  const { sets, coresOf } = await host(2, ['gone', 'next'])
  await sets.confine('gone', 1)
  const [first] = await coresOf('gone')
  sets.remove('gone')
  assert.equal(sets.has('gone'), false)
  await sets.confine('next', 1)
  assert.equal((await coresOf('next'))[0], first)
})
