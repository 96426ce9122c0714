import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { Registry } from 'prom-client'
import { cleanup } from '../testing/cleanup.ts'
import { HostMemory } from './host-memory.ts'

const MiB = 1024 * 1024
const folder = await mkdtemp(join(tmpdir(), 'sandglass-memory-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

test('low memory is logged once when it begins and once when it ends, and is a metric', async () => {
  const meminfo = join(folder, 'meminfo')
  const available = (MiB: number) => writeFile(meminfo, `MemFree: 1 kB\nMemAvailable:   ${MiB * 1024} kB\n`)
  const logged: { readonly level: number; readonly msg: string }[] = []
  const log = pino({}, { write: line => logged.push(JSON.parse(line)) })
  const registry = new Registry()
  const memory = new HostMemory({ reserveMiB: 512, registry, log, meminfo })
  await available(4096)
  await memory.check()
  assert.equal(memory.problem(), undefined)
  await available(511)
  for (let i = 0; i < 3; i++) await memory.check()
  assert.match(memory.problem() ?? '', /511 MiB are available, and SANDGLASS_MEMORY_RESERVE is 512 MiB/)
  const text = await registry.metrics()
  assert.match(text, new RegExp(`^sandglass_host_memory_available_bytes ${511 * MiB}$`, 'm'))
  assert.match(text, new RegExp(`^sandglass_host_memory_bytes ${totalmem()}$`, 'm'))
  assert.match(text, new RegExp(`^sandglass_memory_reserve_bytes ${512 * MiB}$`, 'm'))
  await available(512)
  await memory.check()
  assert.equal(memory.problem(), undefined)
  assert.deepEqual(
    logged.map(({ level }) => level),
    [50, 30],
  )
})

test('without such a file, what the kernel says of this host counts', async () => {
  const memory = new HostMemory({ reserveMiB: 0, registry: new Registry(), log: pino({ level: 'silent' }) })
  const availableMiB = await memory.check()
  assert.ok(availableMiB > 0 && availableMiB * MiB <= totalmem())
})
