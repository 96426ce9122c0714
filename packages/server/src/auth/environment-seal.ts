import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { MachineError, type MachineSpec } from '@sandglass/machines/contract'
import { z } from 'zod'
import type { SecretKeys } from './secret-keys.ts'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const Variables = z.record(z.string(), z.string())

/** The spec of a machine as it is stored: without the values of its environment, which are encrypted. */
export type StoredSpec = Omit<MachineSpec, 'env'> & {
  readonly env: Readonly<Record<string, never>>
  /** The id of the key, a dot, and the nonce, the encrypted JSON and its tag in base64url. Omitted for an empty environment. */
  readonly sealedEnv?: string
}

/** A stored spec of an earlier version has its environment in clear. */
export type AnyStoredSpec = StoredSpec | (MachineSpec & { readonly sealedEnv?: undefined })

/**
 * Encrypts the environment variables of machines, because callers put secrets into them and a backup of the database must not
 * reveal them. The id of the machine is authenticated with them, so that they cannot be moved to another machine.
 */
export class EnvironmentSeal {
  readonly #newestId: string
  readonly #keys: ReadonlyMap<string, Buffer>
  readonly #fingerprintKey: Buffer

  constructor(keys: SecretKeys) {
    const derived = keys.derive('sandglass machine environment')
    this.#fingerprintKey = keys.derive('sandglass environment fingerprint')[0]
    this.#newestId = keys.ids[0]
    this.#keys = new Map(keys.ids.map((id, at) => [id, derived[at] ?? derived[0]]))
  }

  seal({ env = {}, ...spec }: MachineSpec): StoredSpec {
    const sealedEnv = this.sealVariables(spec.id, env)
    return { ...spec, env: {}, ...(sealedEnv !== undefined && { sealedEnv }) }
  }

  open({ sealedEnv, ...spec }: AnyStoredSpec): MachineSpec {
    return sealedEnv === undefined ? spec : { ...spec, env: this.openVariables(spec.id, sealedEnv) }
  }

  /** Returns the spec of another machine that is to be like the one of this spec. */
  renew(spec: AnyStoredSpec, id: string): StoredSpec {
    return this.seal({ ...this.open(spec), id })
  }

  /** Encrypts the variables of a machine or an image. Returns undefined if there are none. */
  sealVariables(owner: string, env: Readonly<Record<string, string>>): string | undefined {
    if (Object.keys(env).length === 0) return undefined
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#keyOf(this.#newestId), nonce, { authTagLength: tagBytes })
    cipher.setAAD(Buffer.from(owner))
    const sealed = [nonce, cipher.update(JSON.stringify(env)), cipher.final(), cipher.getAuthTag()]
    return `${this.#newestId}.${Buffer.concat(sealed).toString('base64url')}`
  }

  openVariables(owner: string, sealedEnv: string): Record<string, string> {
    const [id = '', text = ''] = sealedEnv.split('.')
    const bytes = Buffer.from(text, 'base64url')
    const decipher = createDecipheriv(algorithm, this.#keyOf(id), bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(owner))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const json = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]
    return Variables.parse(JSON.parse(Buffer.concat(json).toString()))
  }

  /** A hash of a text that may contain variables. Without the secret key, nobody can find out by guessing what it is a hash of. */
  fingerprint(text: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(text).digest('hex')
  }

  /** Whether an environment is in clear, or was encrypted with an older key. */
  isOutdated({ env = {}, sealedEnv }: Partial<Pick<AnyStoredSpec, 'env' | 'sealedEnv'>>): boolean {
    return sealedEnv === undefined ? Object.keys(env).length > 0 : !sealedEnv.startsWith(`${this.#newestId}.`)
  }

  #keyOf(id: string): Buffer {
    const key = this.#keys.get(id)
    if (!key)
      throw new MachineError(
        'STATE',
        'The environment of this sandbox was encrypted with a secret key that the service no longer has. Delete the sandbox and create it again.',
      )
    return key
  }
}
