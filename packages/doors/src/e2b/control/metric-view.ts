import type { SandboxFigures } from '@sandglass/protocol'

/**
 * What a sandbox uses, as clients read it. The use of the processors is the average since the sandbox was created, because
 * nothing is measured while nobody asks.
 */
export function metricView(figures: SandboxFigures, createdAt: string) {
  const { at, cpu, memory, disk } = figures
  return {
    timestamp: at,
    timestampUnix: Math.floor(Date.parse(at) / 1000),
    cpuCount: Math.ceil(cpu?.cpus ?? 1),
    cpuUsedPct: usedPercent(figures, createdAt),
    memUsed: memory?.usedBytes ?? 0,
    memTotal: memory?.limitBytes ?? 0,
    memCache: 0,
    diskUsed: disk?.usedBytes ?? 0,
    diskTotal: disk?.limitBytes ?? 0,
  }
}

function usedPercent({ at, cpu }: SandboxFigures, createdAt: string): number {
  const seconds = (Date.parse(at) - Date.parse(createdAt)) / 1000
  if (!cpu || seconds <= 0) return 0
  const share = cpu.usedSeconds / seconds / cpu.cpus
  return Math.round(Math.min(share, 1) * 10_000) / 100
}
