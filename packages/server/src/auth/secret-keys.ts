import { hkdfSync, randomBytes } from 'node:crypto'

/** The prefix of every secret key, by which people and secret scanners recognise it. */
const prefix = 'sgs_'
const bytes = 32
const pattern = /^sgs_[\w-]{43}$/

/** What was derived from each secret key, newest first. Make things with the first, and accept those of all. */
export type DerivedKeys = readonly [Buffer, ...Buffer[]]

/**
 * The secret keys of an installation, newest first. Everything that the service signs or encrypts uses bytes that are
 * derived from the newest one. What was made with an older one is accepted until that key is removed from the list.
 */
export class SecretKeys {
  readonly #secrets: DerivedKeys

  constructor(newest: Buffer, ...older: readonly Buffer[]) {
    this.#secrets = [newest, ...older]
  }

  static generate(): SecretKeys {
    return new SecretKeys(randomBytes(bytes))
  }

  /**
   * Reads keys that are separated by commas or white space; a line that begins with # is a comment. Returns undefined
   * if something in it is not a key.
   */
  static parse(text: string): SecretKeys | undefined {
    const words = text
      .replace(/^\s*#.*$/gm, '')
      .split(/[\s,]+/)
      .filter(word => word !== '')
    if (!words.every(word => pattern.test(word))) return undefined
    const [newest, ...older] = words.map(word => Buffer.from(word.slice(prefix.length), 'base64url'))
    return newest && new SecretKeys(newest, ...older)
  }

  /** The keys in the form that {@link parse} reads, one per line. */
  get text(): string {
    return this.#secrets.map(secret => `${prefix}${secret.toString('base64url')}\n`).join('')
  }

  /**
   * Identifies each key without revealing anything about it: a key has 256 random bits, so it cannot be guessed from
   * a value that is derived from it.
   */
  get ids(): readonly [string, ...string[]] {
    const [newest, ...older] = this.derive('sandglass key id')
    const idOf = (derived: Buffer) => derived.toString('hex', 0, 8)
    return [idOf(newest), ...older.map(idOf)]
  }

  /** Derives 32 bytes for one purpose from each key. */
  derive(purpose: string): DerivedKeys {
    const [newest, ...older] = this.#secrets
    const from = (secret: Buffer) => Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes))
    return [from(newest), ...older.map(from)]
  }

  /** Puts a new key in front of the others. */
  rotated(): SecretKeys {
    return new SecretKeys(randomBytes(bytes), ...this.#secrets)
  }

  /** Only the newest key. */
  newestOnly(): SecretKeys {
    return new SecretKeys(this.#secrets[0])
  }
}
