import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type AdbCredentialStore, type AdbPrivateKey, adbGeneratePublicKey } from '@yume-chan/adb'
import { createAtomically } from './atomic-files.ts'

/** Presents one key to devices. */
export function keysOf(key: AdbPrivateKey): AdbCredentialStore {
  return {
    generateKey: () => key,
    *iterateKeys() {
      yield key
    },
  }
}

/**
 * Opens the key by which devices recognise this service. It is created once and readable by the service only;
 * `adbkey.pub` next to it is the line for the `adb_keys` of a device.
 */
export async function openKey(dataDir: string): Promise<Required<AdbPrivateKey>> {
  const path = join(dataDir, 'adbkey')
  await createAtomically(path, newKey())
  const key = privateKey(await readFile(path, 'utf8'))
  await createAtomically(`${path}.pub`, publicLine(key))
  return key
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 65537 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function privateKey(pem: string): Required<AdbPrivateKey> {
  return {
    buffer: new Uint8Array(Buffer.from(pem.replace(/-----.*?-----|\s/g, ''), 'base64')),
    name: `sandglass@${hostname()}`,
  }
}

function publicLine({ buffer, name }: Required<AdbPrivateKey>): string {
  return `${Buffer.from(adbGeneratePublicKey(buffer)).toString('base64')} ${name}\n`
}
