import { chown, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeClientCertificate } from '@sandglass/machines/incus-setup'
import { frontOf } from '../../host/front-record.ts'
import { writePrivateFile } from '../../private-file.ts'

/** Where the service finds what it needs to sign in to a cluster, unless settings name other files. */
export function certificateFiles(dataDirectory: string) {
  const folder = join(dataDirectory, 'incus')
  return {
    folder,
    certificate: join(folder, 'client.crt'),
    key: join(folder, 'client.key'),
    serverCertificate: join(folder, 'server.crt'),
  }
}

/** Returns the certificate of the service, in PEM, which is issued once. */
export async function ensureServiceCertificate(dataDirectory: string): Promise<string> {
  const { folder, certificate, key } = certificateFiles(dataDirectory)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await Promise.all([certificate, key].map(file => readFile(file, 'utf8'))).catch(() => [])
  if (found[0] !== undefined) return found[0]
  const issued = await makeClientCertificate('Sandglass')
  await writePrivateFile(key, issued.key)
  await writePrivateFile(certificate, issued.certificate)
  return issued.certificate
}

/** Keeps the certificate of the cluster, and lets the process of the service read all of it. */
export async function keepServerCertificate(dataDirectory: string, pem: string): Promise<void> {
  const { folder, certificate, key, serverCertificate } = certificateFiles(dataDirectory)
  await writePrivateFile(serverCertificate, pem)
  const front = await frontOf(dataDirectory)
  if (!front) return
  for (const file of [folder, certificate, key, serverCertificate]) await chown(file, front.uid, front.gid)
}
