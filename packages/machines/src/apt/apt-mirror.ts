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
import { type AptFolder, createAptFolder } from './apt-folder.ts'
import { runApt } from './run-apt.ts'
import { type PlannedPackage, parseSimulation } from './simulation.ts'

/** How long the package lists of the mirror are used before they are refreshed. */
const listsMaxAgeMs = 3_600_000
/** A cached package that no installation used for this long is deleted. */
const cacheMaxAgeMs = 14 * 86_400_000
/** The package list of a full desktop has about a tenth of this size. */
const maxInstalledBytes = 16 * 1024 * 1024
const resolveTimeoutMs = 120_000

/**
 * Fetches Debian packages from the mirror that the host itself uses, and caches them for all machines. What a guest
 * wrote is read only by a confined apt, whose output can do no more than name packages; packages are downloaded and
 * verified by a second apt, which reads nothing that a guest wrote.
 */
export class AptMirror implements PackageSource {
  readonly #root: string
  readonly #mutex = new KeyedMutex()
  #folder: Promise<AptFolder> | undefined

  constructor(folder: string) {
    this.#root = folder
  }

  async fetch(request: PackageRequest): Promise<readonly PackageFile[]> {
    if (request.installed.length > maxInstalledBytes)
      throw new PackagesError("The machine's list of installed packages is too large.")
    return this.#mutex.run('apt', async () => {
      request.signal?.throwIfAborted()
      const folder = await this.#open()
      await this.#refresh(folder, request.signal)
      const wanted = await this.#resolve(folder, request)
      await this.#download(folder, wanted, request)
      return Promise.all(wanted.map(one => fileOf(folder, one)))
    })
  }

  #open(): Promise<AptFolder> {
    this.#folder ??= createAptFolder(this.#root)
    this.#folder.catch(() => {
      this.#folder = undefined
    })
    return this.#folder
  }

  /** Falls back to outdated lists if the mirror does not answer. */
  async #refresh(folder: AptFolder, signal?: AbortSignal): Promise<void> {
    const marker = join(folder.root, 'refreshed')
    const last = await stat(marker).catch(() => undefined)
    if (last && Date.now() - last.mtimeMs < listsMaxAgeMs) return
    try {
      const args = ['-o', 'Dir::State::status=/dev/null', '--error-on=any', 'update']
      await runApt({ folder: folder.root, args, signal })
    } catch (cause) {
      signal?.throwIfAborted()
      if (!last) throw new PackagesError('The package mirror of the host does not answer.', { cause })
      return
    }
    await writeFile(marker, '')
    await deleteOldPackages(folder)
  }

  async #resolve(
    { root }: AptFolder,
    { packages, installed, signal }: PackageRequest,
  ): Promise<PlannedPackage[]> {
    const status = join(root, 'installed')
    await writeFile(status, installed, { mode: 0o644 })
    const args = ['-o', 'Dir::State::status=/mnt/installed', '--simulate', '--yes', '--no-remove', 'install']
    const timeout = AbortSignal.timeout(resolveTimeoutMs)
    try {
      return parseSimulation(
        await runApt({
          folder: root,
          args: [...args, ...packages],
          isConfined: true,
          signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        }),
      )
    } catch (cause) {
      signal?.throwIfAborted()
      const said = cause instanceof CommandFailed ? /^E: (.{1,200})/m.exec(cause.output)?.[1] : undefined
      throw new PackagesError(`The packages cannot be installed on this machine: ${said ?? 'apt failed'}`, {
        cause,
      })
    } finally {
      await rm(status, { force: true })
    }
  }

  async #download(
    folder: AptFolder,
    wanted: readonly PlannedPackage[],
    request: PackageRequest,
  ): Promise<void> {
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
      if (process.getuid?.() === 0) await chown(join(folder.incoming, fileName), 0, 0)
      await rename(join(folder.incoming, fileName), join(folder.archives, fileName))
    }
  }
}

async function fileOf(
  { archives }: AptFolder,
  { name, version, fileName }: PlannedPackage,
): Promise<PackageFile> {
  const path = join(archives, fileName)
  const now = new Date()
  await utimes(path, now, now)
  const { size } = await stat(path)
  return { name, version, fileName, size, content: () => createReadStream(path) }
}

async function deleteOldPackages({ archives, incoming }: AptFolder): Promise<void> {
  for (const name of await readdir(archives)) {
    const path = join(archives, name)
    if (Date.now() - (await stat(path)).mtimeMs > cacheMaxAgeMs) await rm(path, { force: true })
  }
  // Delete the files that a failed download left behind.
  for (const name of await readdir(incoming))
    if (name.endsWith('.deb')) await rm(join(incoming, name), { force: true })
}
