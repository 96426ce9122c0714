import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { JoinToken } from './join-token.ts'
import { SetupError } from './setup-context.ts'

const deadlineMs = 5_000

/** A member that answers, and the certificate of the cluster in PEM. */
export interface FoundCluster {
  readonly address: string
  readonly certificate: string
}

/** Finds a member that answers with the certificate that the token names. */
export async function findCluster({
  addresses,
  fingerprint,
}: Pick<JoinToken, 'addresses' | 'fingerprint'>): Promise<FoundCluster> {
  const problems: string[] = []
  for (const address of addresses) {
    try {
      const certificate = await certificateAt(address)
      if (certificate.fingerprint256.replaceAll(':', '').toLowerCase() === fingerprint.toLowerCase())
        return { address, certificate: certificate.toString() }
      problems.push(`${address} has another certificate than the token says`)
    } catch (error) {
      problems.push(`${address}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new SetupError(
    `No member of the cluster can be reached from this box (${problems.join('; ')}). Check that its port is open between the boxes.`,
  )
}

async function certificateAt(address: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(`https://${address}`)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 443),
    // Nothing is sent before the fingerprint was compared.
    rejectUnauthorized: false,
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(deadlineMs) })
    return new X509Certificate(socket.getPeerCertificate().raw)
  } finally {
    socket.destroy()
  }
}
