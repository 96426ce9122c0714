import { buildImage } from '@sandglass/machines/images'
import { Sandbox } from 'e2b'
import { besideOurs, doorOptions } from './door-rows.ts'
import type { Row } from './row.ts'
import { type BenchService, imagesDir, withService } from './service.ts'

const rounds = 100
const mebibyte = 1024 * 1024

/**
 * What the same costs through the clients of other services as through our own client, alternating in the same run, in the same
 * sandbox.
 */
export default async function bench(): Promise<Row[]> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return withService({ env: { SANDGLASS_LOG_LEVEL: 'warn' } }, commandsAndFiles)
}

async function commandsAndFiles(service: BenchService): Promise<Row[]> {
  const theirs = await Sandbox.create('bench', doorOptions(service))
  const { sandboxId } = theirs
  const { client } = service
  const bytes = Buffer.alloc(mebibyte, 'sandglass')
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const path = '/home/user/file'
  return [
    await besideOurs(
      "E2B's commands.run('true') beside our execSandboxProcess",
      rounds,
      () => theirs.commands.run('true'),
      () =>
        client.execSandboxProcess({
          sandboxId,
          body: { executable: '/bin/bash', args: ['-l', '-c', 'true'] },
        }),
    ),
    await besideOurs(
      "1 MiB written by E2B's files.write beside our writeSandboxFile",
      rounds,
      () => theirs.files.write(path, copy),
      () => client.writeSandboxFile({ sandboxId, path, body: bytes }),
    ),
    await besideOurs(
      "1 MiB read by E2B's files.read beside our readSandboxFile",
      rounds,
      async () => requireSize((await theirs.files.read(path, { format: 'bytes' })).length),
      async () => {
        const content = await client.readSandboxFile({ sandboxId, path })
        requireSize((await content.bytes()).length)
      },
    ),
  ]
}

function requireSize(size: number): void {
  if (size !== mebibyte) throw new Error(`${size} bytes were read`)
}
