import { Sandbox } from '@e2b/desktop'
import { buildImage } from '@sandglass/machines/images'
import { besideOurs, doorOptions } from './door-rows.ts'
import type { Row } from './row.ts'
import { imagesDir, withService } from './service.ts'

const rounds = 25

/**
 * A screenshot through the client of E2B's desktops beside our own client, of the same desktop. Their method runs a program in the
 * machine that writes a file, and reads the file.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('desktop', { imagesDir, onProgress: console.error })
  const shape = { name: 'desktop', image: 'desktop', cpus: 2, memoryMiB: 2048, diskMiB: 8192 }
  return withService({ shapes: [shape], env: { SANDGLASS_LOG_LEVEL: 'warn' } }, async service => {
    const theirs = await Sandbox.create('desktop', doorOptions(service))
    const { client } = service
    const body = { includeImage: true }
    return [
      await besideOurs(
        'screenshot of @e2b/desktop beside our previewSandbox',
        rounds,
        () => theirs.screenshot(),
        () => client.previewSandbox({ sandboxId: theirs.sandboxId, body }),
      ),
    ]
  })
}
