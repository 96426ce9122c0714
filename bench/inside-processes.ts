import { join } from 'node:path'
import { buildImage, imageFolder } from '@sandglass/machines/images'
import { Floor } from './rivals/floor.ts'
import { median, p95, type Row, row } from './row.ts'
import { type BenchSandbox, imagesDir, withService } from './service.ts'

const rounds = 60
const burst = 200
const doNothing = ({ client, id }: BenchSandbox) =>
  client.execSandboxProcess({ sandboxId: id, body: { executable: 'true' } })

/**
 * A program that does nothing, run over HTTP, compared with the runtime's own command in a machine of the same image,
 * alternating.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  const root = join(imagesDir, await imageFolder('minimal'))
  return withService({ env: { SANDGLASS_LOG_LEVEL: 'warn' } }, async service => {
    const sandbox = await service.create()
    const floor = await Floor.start(root, service.folder, `floor-${process.pid}-inside`)
    try {
      return [...(await beside(sandbox, floor)), ...(await together(sandbox))]
    } finally {
      await floor.stop()
    }
  })
}

async function beside(sandbox: BenchSandbox, floor: Floor): Promise<Row[]> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = -5; round < rounds; round++) {
    const theirTime = await floor.exec()
    const start = performance.now()
    await doNothing(sandbox)
    const ourTime = performance.now() - start
    if (round < 0) continue
    theirs.push(theirTime)
    ours.push(ourTime)
  }
  return [
    row('process over HTTP p50, beside runc exec', 'ms', median(ours), median(theirs)),
    row('process over HTTP p95, beside runc exec', 'ms', p95(ours), p95(theirs)),
  ]
}

async function together(sandbox: BenchSandbox): Promise<Row[]> {
  const start = performance.now()
  await Promise.all(Array.from({ length: burst }, () => doNothing(sandbox)))
  return [row(`${burst} processes over HTTP at once, until the last`, 'ms', performance.now() - start)]
}
