import { hkdfSync, randomBytes, webcrypto } from 'node:crypto'

const prefix = 'sgb_'
const bytes = 32
const pattern = /^sgb_[\w-]{43}$/
const cipher = 'AES-GCM'
const { subtle } = webcrypto
const nonceBytes = 12
const tagBytes = 16

/**
 * Decides how what is stored is named and sealed: with the operator's key, or without one. Other threads do it, because the
 * service makes backups while it answers calls.
 */
export interface Sealing {
  /** Recognises the key, without revealing anything about it; null if there is none. */
  readonly check: string | null
  /** The name of content: the same content has the same name, from which only the owner of the key can conclude anything. */
  nameOf(content: Buffer): Promise<string>
  seal(name: string, content: Buffer): Promise<Buffer>
  /** Returns undefined if it was damaged, or sealed with another key or for another name. */
  open(name: string, sealed: Buffer): Promise<Buffer | undefined>
}

/** The operator's key for backups, from which all others are derived. */
export class BackupKey implements Sealing {
  readonly #encryption: Promise<webcrypto.CryptoKey>
  readonly #naming: Promise<webcrypto.CryptoKey>
  readonly check: string
  readonly text: string

  constructor(secret: Buffer) {
    const derive = (purpose: string) =>
      Buffer.from(hkdfSync('sha256', secret, '', `sandglass backup ${purpose}`, bytes))
    this.#encryption = subtle.importKey('raw', derive('encryption'), cipher, false, ['encrypt', 'decrypt'])
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    this.#naming = subtle.importKey('raw', derive('naming'), hmac, false, ['sign'])
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

  async nameOf(content: Buffer): Promise<string> {
    return Buffer.from(await subtle.sign('HMAC', await this.#naming, content)).toString('hex')
  }

  /** The name is authenticated too, so that nobody can exchange one part of a backup for another. */
  async seal(name: string, content: Buffer): Promise<Buffer> {
    const nonce = randomBytes(nonceBytes)
    const sealed = await subtle.encrypt(gcm(name, nonce), await this.#encryption, content)
    return Buffer.concat([nonce, Buffer.from(sealed)])
  }

  async open(name: string, sealed: Buffer): Promise<Buffer | undefined> {
    if (sealed.length < nonceBytes + tagBytes) return undefined
    const [nonce, content] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes)]
    try {
      return Buffer.from(await subtle.decrypt(gcm(name, nonce), await this.#encryption, content))
    } catch {
      return undefined
    }
  }
}

const digestBytes = 32

/** Backups of an operator who has set no key. Damage is recognised, and nothing is secret. */
export const unencrypted: Sealing = {
  check: null,
  nameOf: async content => (await sha256(content)).toString('hex'),
  seal: async (_name, content) => Buffer.concat([await sha256(content), content]),
  open: async (_name, sealed) => {
    const content = sealed.subarray(digestBytes)
    return (await sha256(content)).equals(sealed.subarray(0, digestBytes)) ? content : undefined
  },
}

const sha256 = async (content: Buffer): Promise<Buffer> =>
  Buffer.from(await subtle.digest('SHA-256', content))

const gcm = (name: string, nonce: Buffer) => ({
  name: cipher,
  iv: nonce,
  additionalData: new TextEncoder().encode(name),
})
