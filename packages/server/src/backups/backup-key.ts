import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const prefix = 'sgb_'
const bytes = 32
const pattern = /^sgb_[\w-]{43}$/
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** Decides how what is stored is named and sealed: with the operator's key, or without one. */
export interface Sealing {
  /** Recognises the key, without revealing anything about it; null if there is none. */
  readonly check: string | null
  /** The name of content: the same content has the same name, from which only the owner of the key can conclude anything. */
  nameOf(content: Buffer): string
  seal(name: string, content: Buffer): Buffer
  /** Returns undefined if it was damaged, or sealed with another key or for another name. */
  open(name: string, sealed: Buffer): Buffer | undefined
}

/** The operator's key for backups, from which all others are derived. */
export class BackupKey implements Sealing {
  readonly #encryption: Buffer
  readonly #naming: Buffer
  readonly check: string
  readonly text: string

  constructor(secret: Buffer) {
    const derive = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', secret, '', `sandglass backup ${purpose}`, bytes))
    this.#encryption = derive('encryption')
    this.#naming = derive('naming')
    this.check = derive('check').toString('hex')
    this.text = `${prefix}${secret.toString('base64url')}`
  }

  static generate(): BackupKey {
    return new BackupKey(randomBytes(bytes))
  }

  /** Returns undefined if the text is not a key. */
  static parse(text: string): BackupKey | undefined {
    const word = text.trim()
    return pattern.test(word) ? new BackupKey(Buffer.from(word.slice(prefix.length), 'base64url')) : undefined
  }

  nameOf(content: Buffer): string {
    return createHmac('sha256', this.#naming).update(content).digest('hex')
  }

  /** The name is authenticated too, so that nobody can exchange one part of a backup for another. */
  seal(name: string, content: Buffer): Buffer {
    const nonce = randomBytes(nonceBytes)
    const encryption = createCipheriv(cipher, this.#encryption, nonce).setAAD(Buffer.from(name))
    return Buffer.concat([nonce, encryption.update(content), encryption.final(), encryption.getAuthTag()])
  }

  open(name: string, sealed: Buffer): Buffer | undefined {
    if (sealed.length < nonceBytes + tagBytes) return undefined
    const decryption = createDecipheriv(cipher, this.#encryption, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(name))
      .setAuthTag(sealed.subarray(-tagBytes))
    try {
      return Buffer.concat([decryption.update(sealed.subarray(nonceBytes, -tagBytes)), decryption.final()])
    } catch {
      return undefined
    }
  }
}

const digestBytes = 32

/** Backups of an operator who has set no key. Damage is recognised, and nothing is secret. */
export const unencrypted: Sealing = {
  check: null,
  nameOf: content => sha256(content).toString('hex'),
  seal: (_name, content) => Buffer.concat([sha256(content), content]),
  open: (_name, sealed) => {
    const content = sealed.subarray(digestBytes)
    return sha256(content).equals(sealed.subarray(0, digestBytes)) ? content : undefined
  },
}

const sha256 = (content: Buffer): Buffer => createHash('sha256').update(content).digest()
