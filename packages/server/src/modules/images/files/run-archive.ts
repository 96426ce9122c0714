import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError, type MachineProcess, type RootArchive } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { z } from 'zod'
import type { Spooled } from '../../../spool.ts'

/** Only the end of what the programs complain about is kept, because a guest can print without limit. */
const tailCharacters = 4096

/** The exit code of a program that was killed, which the kernel does when a machine has no memory left. */
const killedExitCode = 137

const Written = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })

/** Reads all files of a machine as an archive. `store` receives it compressed; the hash is that of the archive before. */
export async function writeArchive(
  machine: RunningMachine,
  store: (content: Readable) => Promise<Spooled>,
  signal: AbortSignal,
): Promise<{ readonly content: Spooled; readonly diffSha256: string }> {
  const process = await start(machine, archive => archive.write, signal)
  const storing = store(process.stdout)
  try {
    process.stdin.on('error', () => {}).end()
    const [content, complaint, exit] = await Promise.all([storing, tailOf(process.stderr), process.exited])
    const written = Written.safeParse(jsonOf(lastLineOf(complaint)))
    if (exit.code === 0 && written.success) return { content, diffSha256: written.data.sha256 }
    throw new ApiError('image.UNREADABLE', {
      message: `The files of the image could not be read: ${lastLineOf(complaint) || `code ${exit.code}`}`,
    })
  } catch (error) {
    // It may be stored after something else has failed.
    storing.then(content => content[Symbol.asyncDispose]()).catch(() => {})
    throw error
  } finally {
    process.kill()
    process.release()
  }
}

/** Makes the files of a machine equal to a compressed archive. */
export async function readArchive(
  machine: RunningMachine,
  content: Readable,
  signal: AbortSignal,
): Promise<void> {
  const process = await start(machine, archive => archive.read, signal)
  try {
    process.stdout.resume()
    // A program that ends early does not read the rest, and says why.
    const sending = pipeline(content, process.stdin, { signal }).catch(() => {})
    const [complaint, exit] = await Promise.all([tailOf(process.stderr), process.exited])
    content.destroy()
    await sending
    signal.throwIfAborted()
    if (exit.code !== 0) throw refusalOf(lastLineOf(complaint), exit.code)
  } finally {
    process.kill()
    process.release()
  }
}

async function start(
  machine: RunningMachine,
  choose: (archive: RootArchive) => RootArchive['read'],
  signal: AbortSignal,
): Promise<MachineProcess> {
  const { archive, administrator } = machine.guest
  if (!archive) throw new ApiError('snapshot.UNSUPPORTED')
  return await machine.exec({
    ...choose(archive),
    ...(administrator !== undefined && { user: administrator }),
    whole: true,
    signal,
  })
}

function refusalOf(complaint: string, code: number): Error {
  if (complaint === 'NO_SPACE')
    return new MachineError('NO_SPACE', 'The disk of the machine is too small for it.')
  if (code === killedExitCode)
    return new ApiError('image.FILE', { message: 'The memory of the machine is too small for it.' })
  return new ApiError('image.FILE', {
    message: `The files of the image could not be restored: ${complaint || `code ${code}`}`,
  })
}

async function tailOf(stream: Readable): Promise<string> {
  let tail = ''
  for await (const chunk of stream) tail = (tail + chunk).slice(-tailCharacters)
  return tail
}

const lastLineOf = (text: string): string => text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
