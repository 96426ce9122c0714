import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { reliabilityPage } from './page.ts'
import { product } from './product.ts'
import type { Result } from './results.ts'

/**
 * Runs every fault on every process so many times, each round with a seed of its own, and writes docs/reliability.md.
 * Fails where a test did, or where something took longer than is promised.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1' } } })
const rounds = Number(values.rounds)
const firstSeed = Number(process.env['FAULT_SEED'] ?? 4780)
const file = join(tmpdir(), `sandglass-fault-results-${process.pid}`)

for (let round = 0; round < rounds; round++) {
  const tests = ['faults', 'hardships'].map(name => join(import.meta.dirname, `${name}.test.ts`))
  const args = ['--test', '--test-concurrency=1', '--test-timeout=7200000', ...tests]
  const env = { FAULTS: 'all', FAULT_RESULTS: file, FAULT_SEED: String(firstSeed + round) }
  const [code] = await once(
    spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } }),
    'exit',
  )
  process.exitCode ||= code ?? 1
}

const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean)
await rm(file, { force: true })
const results: Result[] = lines.map(line => JSON.parse(line))
const day = new Date().toISOString().slice(0, 10)
const processor = cpus()[0]?.model ?? 'an unknown processor'
const about = `${day}, ${rounds} rounds on ${availableParallelism()} cores (${processor}), seeds from ${firstSeed}`
await writeFile(new URL('../../docs/reliability.md', import.meta.url), reliabilityPage(results, about))
console.log('docs/reliability.md')

for (const { target, fault, restoredWithinSeconds } of product()) {
  const late = results.filter(result => result.target === target && result.fault === fault)
  for (const { restoredMs } of late)
    if (restoredMs > restoredWithinSeconds * 1000) {
      console.error(
        `${target}, ${fault}: ${Math.round(restoredMs)} ms, promised were ${restoredWithinSeconds} s`,
      )
      process.exitCode ||= 1
    }
}
