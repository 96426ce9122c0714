import { hash, randomBytes } from 'node:crypto'

/** What a secret is for shows in its first letters, so that people and secret scanners know it. */
export const secretKinds = { apiKey: 'sgk_', operator: 'sgo_', trialToken: 'sgt_' } as const
export type SecretKind = keyof typeof secretKinds

export interface Secret {
  /** For its holder alone; never stored, never logged. */
  readonly text: string
  /** What is stored. The secret has 256 random bits, so a plain hash tells nothing. */
  readonly hash: Buffer
  /** The first characters, to tell secrets apart in a list. */
  readonly prefix: string
}

export function newSecret(kind: SecretKind): Secret {
  return secretOf(secretKinds[kind] + randomBytes(32).toString('base64url'))
}

function secretOf(text: string): Secret {
  return { text, hash: hashOf(text), prefix: text.slice(0, 12) }
}

export function hashOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** The hash as it is announced and remembered by. */
export function hexHashOf(text: string): string {
  return hash('sha256', text)
}

export function kindOf(text: string): SecretKind | undefined {
  if (text.startsWith(secretKinds.apiKey)) return 'apiKey'
  if (text.startsWith(secretKinds.operator)) return 'operator'
  if (text.startsWith(secretKinds.trialToken)) return 'trialToken'
  return undefined
}
