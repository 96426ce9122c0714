import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { KeptDescription, KeptSpec } from '../../../contract/transfer.ts'
import { runCommand } from '../host/run-command.ts'
import type { Settings } from '../options.ts'
import { noteImageUse } from '../rootfs/unused-images.ts'
import type { TransferOfKind } from './local-transfer.ts'

/** Owners, rights and attributes are kept as they are, whatever users the host has. */
const asTheyAre = ['--numeric-owner', '--xattrs', '--xattrs-include=*']
/** The same folder makes the same archive. */
const repeatable = [
  '--sort=name',
  '--format=pax',
  '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime',
]

/** The base images that saved disks rely on. Each is an archive of its files. */
export class BaseTransfer implements TransferOfKind {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async describe(id: string): Promise<KeptDescription | undefined> {
    if (!existsSync(this.#folder(id))) return undefined
    const [kiB = ''] = (await runCommand('du', ['--summarize', '--block-size=1K', this.#folder(id)])).split(
      '\t',
    )
    return { about: null, occupiedMiB: Math.ceil(Number(kiB) / 1024) }
  }

  async read<T>(id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const args = ['--create', ...asTheyAre, ...repeatable, '--directory', this.#folder(id), '.']
    const child = spawn('tar', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = once(child, 'close')
    const said = text(child.stderr)
    try {
      const result = await use(child.stdout)
      const [code] = await ended
      if (code !== 0) throw new Error(`The image ${id} cannot be read: ${(await said).trim()}`)
      return result
    } finally {
      child.kill('SIGKILL')
    }
  }

  async requireUsable(): Promise<void> {}

  /** One that is there is complete, because a folder gets its name when it is. */
  async write({ id }: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void> {
    const target = this.#folder(id)
    if (existsSync(target)) return
    const part = `${target}.restored.part`
    await mkdir(this.#settings.imagesDir, { recursive: true, mode: 0o755 })
    await rm(part, { recursive: true, force: true })
    await mkdir(part, { mode: 0o700 })
    try {
      await extract(part, content)
      await rename(part, target)
      await noteImageUse(this.#settings, id)
    } catch (error) {
      await rm(part, { recursive: true, force: true })
      throw error
    }
  }

  #folder(id: string): string {
    return join(this.#settings.imagesDir, id)
  }
}

async function extract(folder: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const args = ['--extract', ...asTheyAre, '--same-owner', '--preserve-permissions', '--directory', folder]
  const child = spawn('tar', args, { stdio: ['pipe', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const said = text(child.stderr)
  // A program that has failed reads no more, and says itself what is wrong.
  const sent = pipeline(content, child.stdin).then(
    () => undefined,
    error => (error.code === 'EPIPE' ? undefined : error),
  )
  const failure = await sent
  if (failure) child.kill('SIGKILL')
  const [code] = await ended
  if (failure) throw failure
  if (code === 0) return
  const reason = (await said).trim()
  if (reason.includes('No space left'))
    throw new MachineError('HOST_FULL', 'The host has no space for the image.')
  throw new Error(`The image could not be unpacked: ${reason.slice(-500)}`)
}
