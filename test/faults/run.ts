import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Runs every fault on every process for a number of rounds, each with its own seed, and writes docs/reliability.md
 * from the measurements. Fails if a test failed, or if something took longer than promised.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1' } } })
const firstSeed = Number(process.env['FAULT_SEED'] ?? 4780)
const results = join(tmpdir(), `sandglass-fault-results-${process.pid}`)

for (let round = 0; round < Number(values.rounds); round++)
  await run(['faults', 'environment-faults'], { FAULTS: 'all', FAULT_SEED: String(firstSeed + round) })
await run(['page'], {})
await rm(results, { force: true })

async function run(names: readonly string[], env: Record<string, string>): Promise<void> {
  const files = names.map(name => join(import.meta.dirname, `${name}.test.ts`))
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-timeout=14400000', ...files],
    { stdio: 'inherit', env: { ...process.env, FAULT_RESULTS: results, ...env } },
  )
  const [code] = await once(child, 'exit')
  process.exitCode ||= code ?? 1
}
