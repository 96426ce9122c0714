import { Code, ConnectError } from '@connectrpc/connect'
import { encodeEnvelope } from '@connectrpc/connect/protocol'
import { errorToJson } from '@connectrpc/connect/protocol-connect'
import type { ApiError, ErrorCode } from '@sandglass/protocol'
import { connectErrorOf } from './connect-error.ts'

/** A response that refuses a request. */
export interface Refusal {
  readonly status: number
  readonly type: string
  readonly body: string | Uint8Array
}

/** Clients know by this status that a sandbox does not run. */
const goneStatus = 502

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  'sandbox.NOT_FOUND': goneStatus,
  'sandbox.STATE': goneStatus,
  'file.NO_SPACE': 507,
  'file.WRONG_KIND': 400,
}

const endOfStream = 0b10

/** Refuses a request in the way in which its client reads errors: a stream, a message, or any other request. */
export function refusalOf(error: ApiError, isMethod: boolean, contentType: string): Refusal {
  const status = statuses[error.code] ?? error.status
  if (!isMethod)
    return {
      status,
      type: 'application/json',
      body: JSON.stringify({ code: status, message: error.message }),
    }
  const json = errorToJson(connectErrorOf(error), undefined)
  if (!contentType.startsWith('application/connect+'))
    return { status, type: 'application/json', body: JSON.stringify(json) }
  const body = encodeEnvelope(endOfStream, Buffer.from(JSON.stringify({ error: json })))
  return { status: 200, type: contentType, body }
}

/** Refuses a method that does not exist. */
export function unknownMethod(path: string): Refusal {
  const error = new ConnectError(`${path} does not exist.`, Code.Unimplemented)
  return { status: 404, type: 'application/json', body: JSON.stringify(errorToJson(error, undefined)) }
}
