import { hash, randomBytes } from 'node:crypto'

/** The prefix names the kind of a secret, so that people and secret scanners recognise it. */
export const secretKinds = { apiKey: 'sgk_', operator: 'sgo_', trialToken: 'sgt_' } as const
export type SecretKind = keyof typeof secretKinds

/** Secrets that are no credentials: no header accepts them. */
const otherSecrets = { session: 'sgw_', signInCode: 'sgc_' } as const

export interface Secret {
  /** The secret itself. It is shown to its holder once, and never stored or logged. */
  readonly text: string
  /** The stored form. A plain hash is safe, because a secret has 256 random bits and cannot be guessed. */
  readonly hash: Buffer
  /** The first characters, by which people tell secrets apart in a list. */
  readonly prefix: string
}

export function newSecret(kind: SecretKind | keyof typeof otherSecrets): Secret {
  const prefixes = { ...secretKinds, ...otherSecrets }
  return secretOf(prefixes[kind] + randomBytes(32).toString('base64url'))
}

function secretOf(text: string): Secret {
  return { text, hash: hashOf(text), prefix: text.slice(0, 12) }
}

export function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** The hash in the form in which it is announced to other processes and used as a cache key. */
export function hexHashOf(text: string): string {
  return hash('sha256', text)
}

export function kindOf(text: string): SecretKind | undefined {
  if (text.startsWith(secretKinds.apiKey)) return 'apiKey'
  if (text.startsWith(secretKinds.operator)) return 'operator'
  if (text.startsWith(secretKinds.trialToken)) return 'trialToken'
  return undefined
}
