import { EventEmitter } from 'node:events'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Certificate, readCertificate } from './certificate.ts'
import { type Rotation, rotationAt } from './timeline.ts'

export interface CertificatesOptions {
  /** A folder that nothing else uses. */
  readonly folder: string
  readonly now?: () => number
  /** Called when a renewal fails. It is retried. */
  readonly onError?: (error: unknown) => void
}

const retryMs = 60_000

/**
 * The certificates of the live transports, stored in a folder so that a restart changes no hash. A server cannot tell
 * on one UDP port which hash a client expects, so each certificate is served at its own port for as long as clients
 * may come for it (`served`), and only one hash is given out at a time (`current`).
 */
export class Certificates extends EventEmitter<{ changed: [] }> {
  readonly #folder: string
  readonly #now: () => number
  readonly #onError: (error: unknown) => void
  #made: Certificate[]
  #current: Certificate
  #served: readonly Certificate[]
  #timer: NodeJS.Timeout | undefined
  #queue: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(options: CertificatesOptions, made: Certificate[], first: Certificate) {
    super()
    this.#folder = options.folder
    this.#now = options.now ?? Date.now
    this.#onError = options.onError ?? (() => {})
    this.#made = made
    this.#current = first
    this.#served = [first]
  }

  static async open(options: CertificatesOptions): Promise<Certificates> {
    const { folder, now = Date.now } = options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const made = await readAll(folder)
    const { current } = rotationAt(made, now())
    const first = current ?? (await make(folder, (made.at(-1)?.generation ?? -1) + 1, now()))
    const certificates = new Certificates(options, current ? made : [...made, first], first)
    await certificates.refresh()
    return certificates
  }

  /** The certificate whose hash is given out. */
  get current(): Certificate {
    return this.#current
  }

  /** The certificates that clients may still expect, oldest first, including the current one. */
  get served(): readonly Certificate[] {
    return this.#served
  }

  /** Issues, applies and removes certificates as due. A timer calls this whenever something is due. */
  refresh(): Promise<void> {
    this.#queue = this.#queue.then(() => this.#refresh())
    return this.#queue
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #refresh(): Promise<void> {
    if (this.#isClosed) return
    let rotation = rotationAt(this.#made, this.#now())
    if (rotation.isNextDue)
      try {
        const generation = (this.#made.at(-1)?.generation ?? -1) + 1
        this.#made.push(await make(this.#folder, generation, this.#now()))
        rotation = rotationAt(this.#made, this.#now())
      } catch (error) {
        this.#onError(error)
      }
    await this.#removeOld(rotation)
    this.#apply(rotation)
    this.#schedule(rotation.isNextDue ? this.#now() + retryMs : rotation.changesAtMs)
  }

  #apply({ current, served }: Rotation): void {
    if (!current || (current === this.#current && isSame(served, this.#served))) return
    this.#current = current
    this.#served = served
    this.emit('changed')
  }

  #schedule(atMs: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.refresh(), Math.max(atMs - this.#now(), 1)).unref()
  }

  async #removeOld({ served }: Rotation): Promise<void> {
    for (const old of this.#made.filter(one => !served.includes(one)))
      await rm(fileOf(this.#folder, old.generation), { force: true }).catch(this.#onError)
    if (served.length > 0) this.#made = [...served]
  }
}

const isSame = (some: readonly Certificate[], others: readonly Certificate[]) =>
  some.length === others.length && some.every((one, at) => one === others[at])

const fileOf = (folder: string, generation: number) => join(folder, `${generation}.pem`)

async function readAll(folder: string): Promise<Certificate[]> {
  const found: Certificate[] = []
  for (const name of await readdir(folder)) {
    const generation = /^(\d{1,9})\.pem$/.exec(name)?.[1]
    if (generation === undefined) continue
    const certificate = readCertificate(await readFile(join(folder, name), 'utf8'), Number(generation))
    if (certificate) found.push(certificate)
  }
  return found.sort((one, other) => one.generation - other.generation)
}

async function make(folder: string, generation: number, nowMs: number): Promise<Certificate> {
  // Load it only now, because it needs hundreds of modules, and most starts find a certificate that is valid.
  const { issueCertificate } = await import('./issue.ts')
  const pem = await issueCertificate(nowMs)
  const certificate = readCertificate(pem, generation)
  if (!certificate) throw new Error('a certificate that was just made could not be read')
  const file = fileOf(folder, generation)
  // Write and rename, so that a crash never leaves a partial file.
  await writeFile(`${file}.new`, pem, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return certificate
}
