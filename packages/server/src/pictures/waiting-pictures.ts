import type { EncodedPicture, RawPictures } from '@sandglass/workers/contract'
import type { PictureId } from './picture-id.ts'
import type { WaitingLog, WaitingPicture } from './waiting-log.ts'

interface Entry extends WaitingPicture {
  /** Resolves to whether the picture is to be encoded. Otherwise nobody needs it any more. */
  readonly start: PromiseWithResolvers<boolean>
  isFetched: boolean
  /** Why it is being encoded. */
  startedFor?: 'fetch' | 'space' | 'quiet'
}

export interface WaitingOptions {
  /** After this long without a new picture or a fetch, pictures are encoded in the background. */
  readonly quietMs?: number
}

/** Above this share of a file, its oldest pictures are encoded to make space. */
const maxFill = 0.5
/** How many pictures of a file are encoded at once to make space. */
const maxRelieving = 2
/** Above this number the oldest are encoded too, because each takes memory here. */
const maxWaiting = 4096

/**
 * The pictures whose frames wait in files. Most are never fetched, and encoding takes a core for as long as several actions
 * do. So each is encoded when it is fetched, when its file has little space left, or when nothing else happens.
 */
export class WaitingPictures {
  readonly #log: WaitingLog
  readonly #raw: RawPictures
  readonly #quietMs: number
  /** All that wait or are being encoded. The oldest come first. */
  readonly #entries = new Map<string, Entry>()
  /** The numbers of pictures of each file that are being encoded to make space. */
  readonly #relieving = new Map<string, number>()
  #quiet: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(log: WaitingLog, raw: RawPictures, { quietMs = 5000 }: WaitingOptions = {}) {
    this.#log = log
    this.#raw = raw
    this.#quietMs = quietMs
  }

  /** The files that are needed. */
  get files(): readonly string[] {
    return [...new Set([...this.#entries.values()].map(({ raw }) => raw.file))]
  }

  /** Records a picture. Returns undefined if that is not possible. */
  add(picture: WaitingPicture): Promise<boolean> | undefined {
    try {
      this.#log.add(picture)
    } catch {
      return undefined
    }
    return this.resume(picture)
  }

  /** Takes a picture from the log. Resolves to whether it is to be encoded, when that is known. */
  resume(picture: WaitingPicture): Promise<boolean> {
    const entry: Entry = { ...picture, start: Promise.withResolvers(), isFetched: false }
    this.#entries.set(picture.id.text, entry)
    this.#wakeWhenQuiet()
    if (picture.raw.fill !== undefined) this.#relieve(picture.raw.file, picture.raw.fill)
    return entry.start.promise
  }

  /** Somebody waits for the picture. */
  fetch(id: PictureId): void {
    const entry = this.#entries.get(id.text)
    if (!entry) return
    this.#wakeWhenQuiet()
    entry.isFetched = true
    if (entry.startedFor) this.#raw.prioritize(entry.raw, id.text)
    else this.#start(entry, 'fetch')
  }

  encode({ id, owner, raw }: WaitingPicture): Promise<EncodedPicture> {
    const isFetched = this.#entries.get(id.text)?.isFetched ?? false
    return this.#raw.develop(raw, { tenant: owner?.orgId ?? '', id: id.text, isFetched })
  }

  /** Whether the picture is still needed. */
  has(id: PictureId): boolean {
    return this.#entries.has(id.text)
  }

  /** The picture was stored, has failed, or nobody needs it any more. */
  done(id: PictureId): void {
    const entry = this.#entries.get(id.text)
    if (!entry) return
    this.#entries.delete(id.text)
    entry.start.resolve(false)
    this.#log.done(id)
    const { file } = entry.raw
    if (entry.startedFor === 'space') this.#relieving.set(file, (this.#relieving.get(file) ?? 1) - 1)
    if (entry.startedFor === 'quiet' && this.#quiet === undefined) this.#encodeNewest()
    this.#raw.release(entry.raw).then(
      fill => fill !== undefined && this.#relieve(file, fill),
      () => {},
    )
  }

  expire(now: number): void {
    for (const { id } of this.#entries.values()) if (id.expiresAt <= now) this.done(id)
  }

  /** Starts no more pictures. Those that wait stay in the log. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#quiet)
    for (const entry of this.#entries.values()) entry.start.resolve(false)
  }

  close(): void {
    this.#log.close()
  }

  #start(entry: Entry, reason: NonNullable<Entry['startedFor']>): void {
    if (this.#isStopped) return
    entry.startedFor = reason
    entry.start.resolve(true)
  }

  /** The release of each picture leads here again. */
  #relieve(file: string, fill: number): void {
    if (fill <= maxFill && this.#entries.size <= maxWaiting) return
    for (const entry of this.#entries.values()) {
      const relieving = this.#relieving.get(file) ?? 0
      if (relieving >= maxRelieving) return
      if (entry.raw.file !== file || entry.startedFor) continue
      this.#relieving.set(file, relieving + 1)
      this.#start(entry, 'space')
    }
  }

  #wakeWhenQuiet(): void {
    clearTimeout(this.#quiet)
    if (this.#isStopped) return
    this.#quiet = setTimeout(() => {
      this.#quiet = undefined
      this.#encodeNewest()
    }, this.#quietMs).unref()
  }

  /** One at a time. The newest are fetched most likely. */
  #encodeNewest(): void {
    const newest = [...this.#entries.values()].findLast(({ startedFor }) => !startedFor)
    if (newest) this.#start(newest, 'quiet')
  }
}
