import { createReadStream } from 'node:fs'
import { chown, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyedMutex } from '@sandglass/supervision'
import {
  type PackageFile,
  type PackageRequest,
  type PackageSource,
  PackagesError,
} from '../contract/packages.ts'
import { CommandFailed } from '../engines/local/host/run-command.ts'
import { type AptFolder, layAptFolder } from './apt-folder.ts'
import { runApt } from './run-apt.ts'
import { type Wanted, wantedOf } from './simulation.ts'

/** How old the mirror's lists may be. */
const freshMs = 3_600_000
/** Packages that no installation asked for in this time are not kept. */
const keptMs = 14 * 86_400_000
/** A desktop's own is a tenth of this. */
const installedLimit = 16 * 1024 * 1024
const resolveTimeoutMs = 120_000

/**
 * Debian packages from the mirror that the host itself uses, kept in a folder for all machines. What a guest wrote is
 * read by a confined apt that can only name packages; what is fetched is verified by an apt that read nothing of it.
 */
export class AptMirror implements PackageSource {
  readonly #root: string
  readonly #mutex = new KeyedMutex()
  #folder: Promise<AptFolder> | undefined

  constructor(folder: string) {
    this.#root = folder
  }

  async fetch(request: PackageRequest): Promise<readonly PackageFile[]> {
    if (request.installed.length > installedLimit)
      throw new PackagesError("The machine's list of installed packages is too large to be one.")
    return this.#mutex.run('apt', async () => {
      request.signal?.throwIfAborted()
      const folder = await this.#lay()
      await this.#refresh(folder, request.signal)
      const wanted = await this.#resolve(folder, request)
      await this.#download(folder, wanted, request)
      return Promise.all(wanted.map(one => fileOf(folder, one)))
    })
  }

  #lay(): Promise<AptFolder> {
    this.#folder ??= layAptFolder(this.#root)
    this.#folder.catch(() => {
      this.#folder = undefined
    })
    return this.#folder
  }

  /** Lists that are a little old are better than none. */
  async #refresh(folder: AptFolder, signal?: AbortSignal): Promise<void> {
    const marker = join(folder.root, 'refreshed')
    const last = await stat(marker).catch(() => undefined)
    if (last && Date.now() - last.mtimeMs < freshMs) return
    try {
      const args = ['-o', 'Dir::State::status=/dev/null', '--error-on=any', 'update']
      await runApt({ folder: folder.root, args, signal })
    } catch (cause) {
      signal?.throwIfAborted()
      if (!last) throw new PackagesError('The package mirror of the host does not answer.', { cause })
      return
    }
    await writeFile(marker, '')
    await forgetOld(folder)
  }

  async #resolve({ root }: AptFolder, { packages, installed, signal }: PackageRequest): Promise<Wanted[]> {
    const status = join(root, 'installed')
    await writeFile(status, installed, { mode: 0o644 })
    const args = ['-o', 'Dir::State::status=/mnt/installed', '--simulate', '--yes', '--no-remove', 'install']
    const late = AbortSignal.timeout(resolveTimeoutMs)
    try {
      return wantedOf(
        await runApt({
          folder: root,
          args: [...args, ...packages],
          isConfined: true,
          signal: signal ? AbortSignal.any([late, signal]) : late,
        }),
      )
    } catch (cause) {
      signal?.throwIfAborted()
      const said = cause instanceof CommandFailed ? /^E: (.{1,200})/m.exec(cause.output)?.[1] : undefined
      throw new PackagesError(`The packages do not fit what the machine has: ${said ?? 'apt failed'}`, {
        cause,
      })
    } finally {
      await rm(status, { force: true })
    }
  }

  async #download(folder: AptFolder, wanted: readonly Wanted[], request: PackageRequest): Promise<void> {
    const there = new Set(await readdir(folder.archives))
    const missing = wanted.filter(({ fileName }) => !there.has(fileName))
    if (missing.length === 0) return
    let fetched = 0
    request.onProgress?.(0, missing.length)
    const args = ['-o', 'Dir::State::status=/dev/null', 'download']
    try {
      await runApt({
        folder: folder.root,
        args: [...args, ...missing.map(({ name, version }) => `${name}=${version}`)],
        signal: request.signal,
        onLine: line => {
          if (line.startsWith('Get:'))
            request.onProgress?.(Math.min(++fetched, missing.length), missing.length)
        },
      })
    } catch (cause) {
      request.signal?.throwIfAborted()
      throw new PackagesError('The packages could not be fetched from the mirror of the host.', { cause })
    }
    for (const { fileName } of missing) {
      await chown(join(folder.incoming, fileName), 0, 0)
      await rename(join(folder.incoming, fileName), join(folder.archives, fileName))
    }
  }
}

async function fileOf({ archives }: AptFolder, { name, version, fileName }: Wanted): Promise<PackageFile> {
  const path = join(archives, fileName)
  const now = new Date()
  await utimes(path, now, now)
  const { size } = await stat(path)
  return { name, version, fileName, size, content: () => createReadStream(path) }
}

async function forgetOld({ archives, incoming }: AptFolder): Promise<void> {
  for (const name of await readdir(archives)) {
    const path = join(archives, name)
    if (Date.now() - (await stat(path)).mtimeMs > keptMs) await rm(path, { force: true })
  }
  // What a download that failed left behind.
  for (const name of await readdir(incoming))
    if (name.endsWith('.deb')) await rm(join(incoming, name), { force: true })
}
