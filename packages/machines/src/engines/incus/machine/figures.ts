import { z } from 'zod'
import type { MachineFigures } from '../../../contract/figures.ts'
import { read } from '../client/answers.ts'
import type { KeptSpec } from './instance.ts'

const Counters = z.object({ bytes_received: z.number(), bytes_sent: z.number() })
const State = z.object({
  cpu: z.object({ usage: z.number() }),
  memory: z.object({ usage: z.number() }),
  disk: z.record(z.string(), z.object({ usage: z.number() })).nullish(),
  network: z.record(z.string(), z.object({ counters: Counters })).nullish(),
})

const mebibyte = 2 ** 20

export function figuresOf(state: unknown, { cpus, memoryMiB, diskMiB }: KeptSpec): MachineFigures {
  const { cpu, memory, disk, network } = read(State, state, 'the state of a machine')
  const root = disk?.['root']
  const link = network?.['eth0']?.counters
  const limited = (usedBytes: number, limitMiB: number) => {
    const limitBytes = limitMiB * mebibyte
    return { usedBytes: Math.min(usedBytes, limitBytes), limitBytes }
  }
  return {
    cpu: { usedSeconds: cpu.usage / 1e9, cpus },
    ...(memory.usage > 0 && { memory: limited(memory.usage, memoryMiB) }),
    ...(root && root.usage > 0 && { disk: limited(root.usage, diskMiB) }),
    ...(link && { network: { receivedBytes: link.bytes_received, sentBytes: link.bytes_sent } }),
  }
}
