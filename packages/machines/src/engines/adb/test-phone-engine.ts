import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { MachineSpec } from '../../contract/spec.ts'
import { AdbEngine } from './adb-engine.ts'
import type { AdbEngineOptions, Reset } from './options.ts'
import { type Behaviour, FakeAdbd } from './test-fake-adbd.ts'

export const phoneSpec = (): MachineSpec => ({
  id: `t-${randomBytes(6).toString('hex')}`,
  image: 'fakes',
  cpus: 1,
  memoryMiB: 512,
  pids: 256,
  diskMiB: 512,
})

/** Creates an engine with a pool of fake devices, both of which are removed after the test. */
export async function phoneEngine(
  t: TestContext,
  behaviours: readonly Behaviour[],
  { reset = 'none', ...options }: Partial<AdbEngineOptions> & { readonly reset?: Reset } = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'sandglass-phones-'))
  const fakes = await Promise.all(behaviours.map(behaviour => FakeAdbd.start(behaviour)))
  const devices = fakes.map(({ address }) => address)
  const engines: AdbEngine[] = []
  const open = async () => {
    const pools = { fakes: { devices, reset } }
    const engine = await AdbEngine.open({ dataDir, pools, bootTimeoutMs: 0, recheckMs: 600_000, ...options })
    engines.push(engine)
    return engine
  }
  t.after(async () => {
    for (const engine of engines) await engine.close()
    for (const fake of fakes) await fake.vanish()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { engine: await open(), fakes, dataDir, open }
}
