import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MachineSpec } from '../../contract/spec.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { type MachinePaths, machinePaths } from '../local/machine-paths.ts'
import { cgroupLayout, groupOf } from '../local/oci/cgroups.ts'
import { ProcessorSets } from '../local/oci/processor-sets.ts'
import { Ground } from './ground.ts'
import { findVmDisk } from './images/find-vm-disk.ts'
import { createVm } from './machine/creation.ts'
import { currentQemu } from './machine/qemu-version.ts'
import type { Origin } from './machine/start-vm.ts'
import type { QemuEngine } from './qemu-engine.ts'
import { vmSpec } from './test-engine.ts'

export interface TakenOver {
  readonly paths: MachinePaths
  /** How the creation of the machine failed. */
  readonly failure: Promise<Error>
  /** What the program gave to `report`. */
  reported(): Promise<unknown>
  abort(): void
}

/** Passes a value to {@link TakenOver.reported}, through the only folder that the container can write to. */
const prelude = `
import json, os
def report(value):
    with open('/run/sandglass/sockets/report.part', 'w') as file: json.dump(value, file)
    os.rename('/run/sandglass/sockets/report.part', '/run/sandglass/sockets/report')
`

/**
 * Creates a machine in whose container a Python program runs instead of the relay and QEMU, as if a guest had taken both over. Its
 * arguments are those of the relay. The machine is taken away when the work is done.
 */
export async function takenOver<T>(
  engine: QemuEngine,
  program: string,
  work: (container: TakenOver) => Promise<T>,
  { origin = 'template', ...more }: Partial<MachineSpec> & { readonly origin?: 'template' | 'boot' } = {},
): Promise<T> {
  const { settings } = engine
  const layout = cgroupLayout()
  const processors = new ProcessorSets({ groupOf: id => groupOf(settings.instance, id), layout })
  const ground = await new Ground(settings, layout, processors).get()
  const relayFolder = join(settings.runDir, `taken-over-${randomUUID()}`)
  await mkdir(relayFolder, { mode: 0o755 })
  await writeFile(join(relayFolder, 'relay.py'), prelude + program, { mode: 0o644 })
  const spec = vmSpec(more)
  const paths = machinePaths(settings, spec.id)
  const makeDisk = async (disk: string): Promise<Origin> => {
    await mkdir(dirname(disk), { recursive: true })
    await writeFile(disk, 'the disk of this machine')
    return origin === 'boot'
      ? { kind: 'boot' }
      : ((await engine.memory.find(spec))?.origin ?? { kind: 'boot' })
  }
  const source = await findVmDisk(settings, spec.image)
  const { machineType } = await currentQemu()
  const abort = new AbortController()
  const failure = createVm(
    { ...ground, relayFolder },
    { spec, source, machineType, makeDisk },
    abort.signal,
  ).then(
    () => new Error('it was created'),
    (error: Error) => error,
  )
  const report = join(paths.sockets, 'report')
  const reported = async () => {
    let failed: Error | undefined
    void failure.then(error => {
      failed = error
    })
    await waitFor(() => existsSync(report) || failed !== undefined)
    if (failed) throw failed
    return JSON.parse(await readFile(report, 'utf8')) as unknown
  }
  try {
    return await work({ paths, failure, reported, abort: () => abort.abort() })
  } finally {
    abort.abort()
    await failure
    await rm(relayFolder, { recursive: true, force: true })
  }
}
