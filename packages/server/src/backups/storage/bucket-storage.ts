import { buffer } from 'node:stream/consumers'
import type { Bucket } from '../../bucket.ts'
import { type BackupStorage, BackupStorageError } from './storage.ts'

/** Keeps backups in a bucket of an S3-compatible storage, below a prefix that is empty or ends with `/`. */
export class BucketStorage implements BackupStorage {
  readonly shown: string
  readonly #bucket: Bucket
  readonly #prefix: string

  constructor(bucket: Bucket, prefix: string, shown: string) {
    this.#bucket = bucket
    this.#prefix = prefix
    this.shown = shown
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.#run(async () => {
      const response = await this.#bucket.get(this.#prefix + name)
      return response?.body ? await buffer(response.body) : undefined
    })
  }

  put(name: string, body: Buffer): Promise<void> {
    return this.#run(() =>
      this.#bucket.put(this.#prefix + name, new Uint8Array(body), 'application/octet-stream'),
    )
  }

  delete(name: string): Promise<void> {
    return this.#run(() => this.#bucket.delete(this.#prefix + name))
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const keys = this.#bucket.list(this.#prefix + prefix)
    for (;;) {
      const { done, value } = await this.#run(() => keys.next())
      if (done) return
      yield value.slice(this.#prefix.length)
    }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      throw new BackupStorageError(
        `The backups in ${this.shown} cannot be used. ${cause instanceof Error ? cause.message : cause}`,
        { cause },
      )
    }
  }
}
