import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../support/service-process.ts'

/** What a world has whose sandboxes are whole desktops. */
export async function desktopShapes(): Promise<{ readonly shapes: string; readonly image: string }> {
  const shape = {
    name: 'desktop',
    description: 'A Linux desktop with a browser.',
    os: 'Linux',
    virtualization: 'Container',
    engine: 'local',
    image: 'desktop',
    cpus: 2,
    memoryMiB: 2048,
    diskMiB: 2048,
    pids: 1024,
    pricePerHour: 1,
  }
  const shapes = join(await temporaryFolder(), 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [shape] }))
  return { shapes, image: 'desktop' }
}
