import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type AdbCredentialStore, type AdbPrivateKey, adbGeneratePublicKey } from '@yume-chan/adb'
import { createWhole } from './state-files.ts'

/**
 * The key by which devices know this service: made once, and nobody else's to read. `adbkey.pub` beside it is what a device
 * has in its `adb_keys`.
 */
export async function openKey(dataDir: string): Promise<AdbCredentialStore> {
  const path = join(dataDir, 'adbkey')
  await createWhole(path, newKey())
  const key = privateKey(await readFile(path, 'utf8'))
  await createWhole(`${path}.pub`, publicLine(key))
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
