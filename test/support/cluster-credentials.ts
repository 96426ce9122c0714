import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeClientCertificate } from '@sandglass/machines/incus-setup'
import type { TestCluster } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'

/** Lets services sign in to a cluster, with files in this folder, and returns the settings with which they do. */
export async function clusterCredentials(
  cluster: TestCluster,
  folder: string,
): Promise<Record<string, string>> {
  const [first] = cluster.members
  if (!first) throw new Error('the cluster has no members')
  const { certificate, key } = await makeClientCertificate('Sandglass')
  await first.request('POST', '/1.0/certificates', {
    name: 'sandglass',
    type: 'client',
    certificate: certificate.replace(/-----[^-]+-----|\s/g, ''),
  })
  const server = await readFile(first.path('/var/lib/incus/cluster.crt'), 'utf8')
  const files = { 'client.crt': certificate, 'client.key': key, 'server.crt': server }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 })
  return {
    SANDGLASS_INCUS: cluster.members.map(({ url }) => url).join(','),
    SANDGLASS_INCUS_CERTIFICATE: join(folder, 'client.crt'),
    SANDGLASS_INCUS_KEY: join(folder, 'client.key'),
    SANDGLASS_INCUS_SERVER_CERTIFICATE: join(folder, 'server.crt'),
  }
}
