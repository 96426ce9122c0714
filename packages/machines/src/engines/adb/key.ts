import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type AdbCredentialStore, type AdbPrivateKey, adbGeneratePublicKey } from '@yume-chan/adb'
import { createAtomically } from './atomic-files.ts'

/**
 * Opens the key by which devices recognise this service. It is created once and readable by the service only;
 * `adbkey.pub` next to it is the line for the `adb_keys` of a device.
 */
export async function openKey(dataDir: string): Promise<AdbCredentialStore> {
  const path = join(dataDir, 'adbkey')
  await createAtomically(path, newKey())
  const key = privateKey(await readFile(path, 'utf8'))
  await createAtomically(`${path}.pub`, publicLine(key))
  return {
    generateKey: () => key,
    *iterateKeys() {
      yield key
    },
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 65537 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function privateKey(pem: string): AdbPrivateKey {
  return {
    buffer: new Uint8Array(Buffer.from(pem.replace(/-----.*?-----|\s/g, ''), 'base64')),
    name: `sandglass@${hostname()}`,
  }
}

function publicLine({ buffer, name }: AdbPrivateKey): string {
  return `${Buffer.from(adbGeneratePublicKey(buffer)).toString('base64')} ${name}\n`
}
