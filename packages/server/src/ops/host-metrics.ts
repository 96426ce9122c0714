import { availableParallelism, cpus, loadavg } from 'node:os'
import { Counter, Gauge, type Registry } from 'prom-client'

const modes = ['user', 'nice', 'sys', 'idle', 'irq'] as const

/** Reports the processors of this host. Its memory and its disk are reported by those who watch them. */
export function reportProcessors(registry: Registry): void {
  const registers = [registry]
  new Counter({
    name: 'sandglass_host_cpu_seconds_total',
    help: 'Time of all processors of the host, by what they did: user, nice, sys, idle, or irq.',
    labelNames: ['mode'] as const,
    registers,
    collect() {
      this.reset()
      const processors = cpus()
      for (const mode of modes)
        this.inc({ mode }, processors.reduce((sum, { times }) => sum + times[mode], 0) / 1000)
    },
  })
  new Gauge({
    name: 'sandglass_host_cpus',
    help: 'Processors of the host that the service may use.',
    registers,
  }).set(availableParallelism())
  new Gauge({
    name: 'sandglass_host_load',
    help: 'Processes of the host that ran or wanted to run, on average over the last minute.',
    registers,
    collect() {
      this.set(loadavg()[0] ?? 0)
    },
  })
}
