import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'

const blockBytes = 64 * 1024
const empty = Buffer.alloc(blockBytes)

/**
 * Writes the file of a disk, which appears under its name once it is complete and on the disk of the host. Blocks of zeros take
 * no space, unless the file is there already and must keep what was allocated for it.
 */
export async function writeDisk(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${path}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await rm(part, { force: true })
  try {
    await writeSparse(part, content, 'wx')
    await rename(part, path)
  } catch (cause) {
    await rm(part, { force: true })
    throw withoutSpace(cause)
  }
}

/** Replaces the content of a file whose space is allocated. */
export async function overwriteDisk(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await writeSparse(path, content, 'r+').catch(cause => {
    throw withoutSpace(cause)
  })
}

async function writeSparse(
  path: string,
  content: AsyncIterable<Uint8Array>,
  flags: 'wx' | 'r+',
): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    let position = 0
    for await (const chunk of content)
      for (let at = 0; at < chunk.length; at += blockBytes) {
        const block = Buffer.from(
          chunk.buffer,
          chunk.byteOffset + at,
          Math.min(blockBytes, chunk.length - at),
        )
        const isEmpty = flags === 'wx' && block.equals(empty.subarray(0, block.length))
        if (!isEmpty) await file.write(block, 0, block.length, position)
        position += block.length
      }
    await file.truncate(position)
    await file.sync()
  } finally {
    await file.close()
  }
}

function withoutSpace(cause: unknown): unknown {
  const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ENOSPC'
  return isFull ? new MachineError('HOST_FULL', 'The host has no space for the disk.', { cause }) : cause
}
