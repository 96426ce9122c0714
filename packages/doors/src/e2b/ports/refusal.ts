import type { ApiError, ErrorCode } from '@sandglass/protocol'
import type { PortAddress } from '../address.ts'

/** What clients are told where our own errors speak of mappings, which they do not know. */
const told: Partial<Readonly<Record<ErrorCode, { readonly status?: number; readonly message: string }>>> = {
  'mapping.UNAUTHORIZED': {
    message:
      "The token for this sandbox's ports is missing or wrong. Send the sandbox's trafficAccessToken in the header e2b-traffic-access-token, or open the URL with ?e2b-traffic-access-token=.",
  },
  // Clients know by this status that a sandbox does not run.
  'sandbox.NOT_FOUND': { status: 502, message: 'The sandbox was not found.' },
  'mapping.NOT_RUNNING': { status: 502, message: 'The sandbox does not run.' },
  'mapping.NOT_LISTENING': { message: 'The sandbox is running, but nothing listens on this port.' },
  'mapping.TIMEOUT': { message: 'The program in the sandbox did not answer in time.' },
  'mapping.BUSY': { message: 'Too many connections to the ports of this sandbox are open.' },
}

/** Refuses a request for a port of a sandbox. */
export function portRefusal(
  error: ApiError,
  { sandboxId, port }: PortAddress,
): { readonly status: number; readonly body: string } {
  const { status = error.status, message = error.message } = told[error.code] ?? {}
  return {
    status,
    body: JSON.stringify({ sandboxId, port, code: status, message, reason: error.code }),
  }
}
