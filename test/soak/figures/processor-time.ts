import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cgroupLayout, groupParentOf } from '../../../packages/machines/src/engines/local/oci/cgroups.ts'
import { descendantsOf } from '../../support/host-processes.ts'
import type { SoakedService } from '../soaked-service.ts'

/** The kernel counts the time of processes in hundredths of a second. */
const ticksPerSecond = 100

/** How many cores the service and its machines use, between one call and the next. */
export class ProcessorUse {
  readonly #service: SoakedService
  #times = new Map<number, number>()
  #machinesSeconds = 0
  #atMs = 0

  constructor(service: SoakedService) {
    this.#service = service
  }

  /** Processes of the service that began and ended between two calls are not seen; those of machines are, because their group counts them. */
  async cores(): Promise<number> {
    const atMs = performance.now()
    const [times, machinesSeconds] = await Promise.all([this.#read(), this.#ofMachines()])
    let used = Math.max(0, machinesSeconds - this.#machinesSeconds)
    for (const [pid, seconds] of times) used += Math.max(0, seconds - (this.#times.get(pid) ?? 0))
    const cores = this.#atMs === 0 ? 0 : used / ((atMs - this.#atMs) / 1000)
    this.#times = times
    this.#machinesSeconds = machinesSeconds
    this.#atMs = atMs
    return cores
  }

  async #read(): Promise<Map<number, number>> {
    const { pid } = this.#service
    const pids = [pid, ...(await descendantsOf(pid)).map(child => child.pid)]
    const times = new Map<number, number>()
    for (const id of pids) {
      const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
      times.set(id, ticks / ticksPerSecond)
    }
    return times
  }

  async #ofMachines(): Promise<number> {
    const { kind, roots } = cgroupLayout()
    const group = groupParentOf(this.#service.settings.instance)
    if (kind === 'v2') {
      const text = await readFile(join(roots.cpu ?? '', group, 'cpu.stat'), 'utf8').catch(() => '')
      return Number(/^usage_usec (\d+)$/m.exec(text)?.[1] ?? 0) / 1e6
    }
    const usage = join(roots.cpuacct ?? '', group, 'cpuacct.usage')
    return Number(await readFile(usage, 'utf8').catch(() => '0')) / 1e9
  }
}
