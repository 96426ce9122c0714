import { z } from 'zod'
import { ApiError } from './api-error.ts'
import { type ErrorCode, errors } from './errors.ts'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'

/** A TCP port of a sandbox, or `adb` for the adbd of a phone, wherever that listens. */
export const TunnelPort = z
  .string()
  .regex(/^(adb|[1-9]\d{0,4})$/, { error: 'must be a port from 1 to 65535, or adb', abort: true })
  .refine(port => port === 'adb' || Number(port) <= 65_535, 'must be a port from 1 to 65535, or adb')

/** The longest message of a tunnel, in bytes. A peer that sends a longer one is closed with 1009. */
export const maxTunnelMessageBytes = 256 * 1024

/**
 * Binary messages carry the bytes of the connection in both directions. An empty one ends its direction, as a FIN does in TCP.
 * When both have ended, the service closes the WebSocket with 1000; {@link tunnelCloseCode} has the other codes.
 */
export const openSandboxTunnel = operation({
  id: 'openSandboxTunnel',
  tag: 'Inside the machine',
  summary: 'Connect to a TCP port of a sandbox through a WebSocket.',
  method: 'GET',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/tunnel/{port}',
  access: { to: 'organization', role: 'member', trial: true },
  answers: 'socket',
  long: true,
  addition: true,
  errors: [...enterErrors, 'node.GONE', 'tunnel.NOT_LISTENING', 'tunnel.NO_ADB', 'tunnel.TOO_MANY'],
})

/** The code with which a tunnel is closed because of an error. The reason of the close is the code of the error. */
export function tunnelCloseCode(code: ErrorCode): number {
  return 4000 + errors[code].status
}

/** Returns the error that a tunnel was closed with. Undefined if it has just ended, or if no error of the service was the cause. */
export function tunnelErrorIn(closeCode: number, reason: string): ApiError | undefined {
  if (!Object.hasOwn(errors, reason)) return undefined
  const code = reason as ErrorCode
  return tunnelCloseCode(code) === closeCode ? new ApiError(code) : undefined
}
