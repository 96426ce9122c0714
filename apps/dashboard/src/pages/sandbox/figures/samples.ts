import type { SandboxFigures } from '@sandglass/protocol'

/** Ten minutes at one sample every two seconds. */
const maxSamples = 300

/** What a machine used at one moment. Rates are since the sample before. */
export interface Sample {
  readonly figures: SandboxFigures
  readonly atSeconds: number
  readonly cpus: number | null
  readonly cpuPercent: number | null
  readonly memory: SandboxFigures['memory']
  readonly disk: SandboxFigures['disk']
  /** Bytes per second. */
  readonly received: number | null
  readonly sent: number | null
}

/** Adds the newest figures, and forgets the oldest. */
export function withSample(before: readonly Sample[], figures: SandboxFigures): readonly Sample[] {
  const last = before.at(-1)
  if (last?.figures.at === figures.at) return before
  return [...before.slice(1 - maxSamples), sampleOf(figures, last?.figures)]
}

function sampleOf(figures: SandboxFigures, earlier: SandboxFigures | undefined): Sample {
  const { at, cpu, memory, disk, network } = figures
  const seconds = earlier ? (Date.parse(at) - Date.parse(earlier.at)) / 1000 : 0
  const used = rate(cpu?.usedSeconds, earlier?.cpu?.usedSeconds, seconds)
  return {
    figures,
    atSeconds: Date.parse(at) / 1000,
    cpus: cpu?.cpus ?? null,
    cpuPercent: used === null || !cpu ? null : Math.min(100, (100 * used) / cpu.cpus),
    memory,
    disk,
    received: rate(network?.receivedBytes, earlier?.network?.receivedBytes, seconds),
    sent: rate(network?.sentBytes, earlier?.network?.sentBytes, seconds),
  }
}

/** Null if it is not known. Counters begin again when the machine restarts. */
function rate(now: number | undefined, before: number | undefined, seconds: number): number | null {
  if (now === undefined || before === undefined || seconds <= 0 || now < before) return null
  return (now - before) / seconds
}
