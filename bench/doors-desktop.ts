import { Sandbox } from '@e2b/desktop'
import { buildImage } from '@sandglass/machines/images'
import { besideOurs, doorOptions } from './door-rows.ts'
import { startReplay } from './rivals/replay.ts'
import type { Row } from './row.ts'
import { imagesDir, withService } from './service.ts'

const rounds = 40

/**
 * A screenshot through the client of E2B's desktops beside our own client, of the same desktop, with the PNG in hand. Their method
 * has a file written in the machine, and reads the file. What their client takes by itself is measured with a server that answers at
 * once.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('desktop', { imagesDir, onProgress: console.error })
  const shape = { name: 'desktop', image: 'desktop', cpus: 2, memoryMiB: 2048, diskMiB: 8192 }
  return withService({ shapes: [shape], env: { SANDGLASS_LOG_LEVEL: 'warn' } }, async service => {
    const theirs = await Sandbox.create('desktop', doorOptions(service))
    const { client } = service
    const { sandboxId } = theirs
    const shown = async () => {
      const body = { includeImage: true, screenShotFormat: 'png' } as const
      const { image } = await client.previewSandbox({ sandboxId, body })
      return Buffer.from(image?.base64 ?? '', 'base64')
    }
    let moves = 0
    const move = () => {
      const x = { type: 'px', value: 300 + (++moves % 20) * 10 } as const
      const action = { type: 'mouse:move', x, y: { type: 'px', value: 300 } } as const
      return client.executeSandboxAction({ sandboxId, body: { action, includeScreenShot: false } })
    }
    const row = (of: string, before?: () => Promise<unknown>) =>
      besideOurs(
        `screenshot of @e2b/desktop${of} beside our previewSandbox`,
        rounds,
        async () => requirePng(await theirs.screenshot()),
        async () => requirePng(await shown()),
        before,
      )
    const rows = [await row(''), await row(' after the pointer has moved', move)]
    const replay = await startReplay(service.url)
    try {
      const atOnce = { ...doorOptions(service), apiUrl: replay.url, sandboxUrl: replay.url }
      const replayed = await Sandbox.connect(sandboxId, atOnce)
      const floor = await besideOurs(
        'screenshot of @e2b/desktop from a server that answers at once beside our previewSandbox',
        rounds,
        async () => requirePng(await replayed.screenshot()),
        async () => requirePng(await shown()),
      )
      return [...rows, floor]
    } finally {
      await replay.stop()
    }
  })
}

function requirePng(picture: Uint8Array): void {
  if (String.fromCharCode(...picture.subarray(1, 4)) !== 'PNG') throw new Error('this is no PNG')
}
