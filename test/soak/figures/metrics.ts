import { frontOf } from '../../support/host-processes.ts'
import type { SoakedService } from '../soaked-service.ts'

const names = new Map([
  ['nodejs_heap_size_used_bytes', 'memory: heap of the front'],
  ['nodejs_external_memory_bytes', 'memory: external of the front'],
])

/** What the front says of itself: its heap after a garbage collection, and its timers, sockets and other handles. */
export async function metricFigures({ pid, credentials }: SoakedService): Promise<[string, number][]> {
  process.kill(await frontOf(pid), 'SIGUSR2')
  process.kill(pid, 'SIGUSR2')
  // The signal is handled between two requests, so the second one sees what it has done.
  await read(credentials.url, credentials.operatorKey)
  const text = await read(credentials.url, credentials.operatorKey)
  const found: [string, number][] = []
  for (const line of text.split('\n')) {
    const [, metric = '', type, value] = /^(\w+)(?:\{type="(\w+)"\})? (\S+)$/.exec(line) ?? []
    const name =
      metric === 'nodejs_active_resources' && type ? `handles: ${type} of the front` : names.get(metric)
    if (name) found.push([name, Number(value)])
  }
  return found
}

async function read(url: string, operatorKey: string): Promise<string> {
  const headers = { 'x-api-key': operatorKey, connection: 'close' }
  const response = await fetch(`${url}/metrics`, { headers })
  if (!response.ok) throw new Error(`/metrics was answered with ${response.status}`)
  return await response.text()
}
