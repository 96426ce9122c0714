import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { MachineError } from '@sandglass/machines/contract'
import type { EnvironmentSeal } from '../../auth/environment-seal.ts'

/** The prefix of Standard Webhooks, by which libraries, people and secret scanners recognise a secret. */
const prefix = 'whsec_'
const bytes = 32

/** The secrets of a webhook. */
export interface Secrets {
  readonly secret: string
  /** The secret before the last rotation. */
  readonly previous?: string | undefined
}

export function newWebhookSecret(): string {
  return prefix + randomBytes(bytes).toString('base64')
}

/** Encrypts the secrets of a webhook, because the service must be able to read them and a backup must not reveal them. */
export function sealSecrets(seal: EnvironmentSeal, webhookId: string, { secret, previous }: Secrets): string {
  const sealed = seal.sealVariables(webhookId, { secret, ...(previous !== undefined && { previous }) })
  if (sealed === undefined) throw new Error('a webhook has no secret')
  return sealed
}

/** Returns undefined if the secrets were encrypted with a key that the service no longer has. */
export function openSecrets(seal: EnvironmentSeal, webhookId: string, sealed: string): Secrets | undefined {
  try {
    const { secret = '', previous } = seal.openVariables(webhookId, sealed)
    return { secret, previous }
  } catch (error) {
    if (error instanceof MachineError) return undefined
    throw error
  }
}

/** Returns the keys that sign the messages of a webhook now. There are none if its secrets cannot be decrypted any more. */
export function signingKeys(
  seal: EnvironmentSeal,
  { id, sealed_secrets: sealed }: { readonly id: string; readonly sealed_secrets: string },
  signsTwice: boolean,
): readonly KeyObject[] {
  const opened = openSecrets(seal, id, sealed)
  if (!opened) return []
  const { secret, previous } = opened
  return (signsTwice && previous !== undefined ? [secret, previous] : [secret]).map(text =>
    createSecretKey(Buffer.from(text.slice(prefix.length), 'base64')),
  )
}
