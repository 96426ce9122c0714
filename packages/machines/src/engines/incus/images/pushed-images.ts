import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyedMutex } from '@sandglass/supervision'
import { z } from 'zod'
import { MachineError } from '../../../contract/errors.ts'
import { guestDigest, installGuestFiles } from '../../local/guest/guest-files.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { findImage, versionOfImage } from '../../local/rootfs/image-store.ts'
import { read } from '../client/answers.ts'
import type { IncusClient } from '../client/index.ts'

const Alias = z.object({ target: z.string() })
const Pushed = z.object({ fingerprint: z.string() })

/** Copying an image to a member takes as long as its network does. */
const pushDeadlineMs = 1_800_000

/** The images of this host in the cluster. Each version is pushed once, by whichever process needs it first. */
export class PushedImages {
  readonly #client: IncusClient
  readonly #imagesDir: string
  readonly #mutex = new KeyedMutex()
  readonly #fingerprints = new Map<string, string>()

  constructor(client: IncusClient, imagesDir: string) {
    this.#client = client
    this.#imagesDir = imagesDir
  }

  /** Returns the fingerprint of an image in the cluster, after it was pushed if it was not there. */
  async fingerprintOf(image: string, signal?: AbortSignal): Promise<string> {
    return await this.#mutex.run(image, async () => {
      const known = this.#fingerprints.get(image)
      if (known !== undefined) return known
      const found = await this.#find(image, signal)
      this.#fingerprints.set(image, found)
      return found
    })
  }

  /** Returns the fingerprint of an image of virtual machines, which the operator has put into the cluster. */
  async fingerprintOfVirtual(image: string, signal?: AbortSignal): Promise<string> {
    const alias = `sandglass-vm-${image}`
    const there = await this.#client.get(`/images/aliases/${alias}`, { signal }).catch(ignoreMissing)
    if (there) return read(Alias, there, 'an alias').target
    throw new MachineError(
      'STATE',
      `The cluster has no image of virtual machines with the alias ${alias} in the project of the machines. Import one (docs/cluster.md).`,
    )
  }

  /** The cluster is asked first, because a service elsewhere has no images of its own. */
  async #find(image: string, signal: AbortSignal | undefined): Promise<string> {
    const folder = await versionOfImage(image)
    const alias = `sandglass-${folder}-${await guestDigest(folder)}`
    const there = await this.#client.get(`/images/aliases/${alias}`, { signal }).catch(ignoreMissing)
    if (there) return read(Alias, there, 'an alias').target
    // Only root can read all files of an image.
    if (process.getuid?.() !== 0)
      throw new MachineError(
        'STATE',
        `The cluster does not have the image ${image} of this version yet. Push it with: npm run cluster -- push`,
      )
    return await this.#push(await findImage({ imagesDir: this.#imagesDir }, image), alias, signal)
  }

  async #push(folder: string, alias: string, signal: AbortSignal | undefined): Promise<string> {
    const work = await mkdtemp(join(tmpdir(), 'sandglass-push-'))
    try {
      const guest = await installGuestFiles({ imagesDir: this.#imagesDir, runDir: work }, folder)
      const file = await pack(work, join(this.#imagesDir, folder), guest, alias)
      const { metadata } = await this.#client.upload(
        '/images',
        createReadStream(file),
        { 'content-type': 'application/octet-stream' },
        { deadlineMs: pushDeadlineMs, signal },
      )
      const { fingerprint: target } = read(Pushed, metadata, 'what was pushed')
      await this.#client.send('POST', '/images/aliases', { name: alias, target }).catch(ignoreExisting)
      return target
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof MachineError && error.code === 'NOT_FOUND') return undefined
  throw error
}

/** Another process has pushed the same image meanwhile. */
function ignoreExisting(error: unknown): undefined {
  if (error instanceof MachineError && error.code === 'EXISTS') return undefined
  throw error
}

/** Makes the archive of an image as Incus wants it, with the programs of machines in it, which belong to root. */
async function pack(work: string, rootfs: string, guest: string, alias: string): Promise<string> {
  const file = join(work, 'image.tar')
  const architecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
  await writeFile(
    join(work, 'metadata.yaml'),
    `architecture: ${architecture}\ncreation_date: ${Math.floor(Date.now() / 1000)}\nproperties:\n  description: ${alias}\n`,
  )
  const tar = (...args: string[]) =>
    runCommand('tar', ['--numeric-owner', '--xattrs', '--file', file, ...args])
  await tar('--create', '-C', work, 'metadata.yaml', '-C', rootfs, '--transform', 's,^\\.,rootfs,', '.')
  const names = await readdir(guest)
  const inside = 's,^,rootfs/usr/lib/sandglass/guest/,'
  await tar('--append', '--owner=0', '--group=0', '-C', guest, '--transform', inside, ...names)
  return file
}
