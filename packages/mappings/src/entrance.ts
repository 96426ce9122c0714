import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '@sandglass/protocol'
import type { Admission } from './admission.ts'
import type { Client } from './client.ts'
import type { Destination } from './destination.ts'
import type { Permit } from './token-holders.ts'

/** What a request is for, and how it is admitted. */
export interface Asked {
  /** Whatever has the same id shares the limits of one mapping. */
  readonly id: string
  readonly admission: Admission
  /** Whether the guest gets the Host of the request, and not its own address. */
  readonly keepsHost: boolean
  /**
   * Whether the host of the request leads to other things too, such as the API. What a guest says about its whole origin, such as
   * a cookie, does not reach the client then.
   */
  readonly isSharedHost: boolean
  /** Whether the guest must not see a header of the request. Its name is in lower case. */
  hides(name: string, value: string): boolean
  /** Throws an ApiError if the credential that the token was given to has ended. */
  permit(holder: string): Permit | Promise<Permit>
  /** Finds where the request goes. An ApiError says why it goes nowhere. */
  find(holder: string): Destination | Promise<Destination>
}

/** A way in which requests name a port of a machine, and show that they may use it. */
export interface Entrance {
  /** Whether a request is for this entrance. If so, no other part of the service may handle it. */
  claims(request: IncomingMessage): boolean
  /** Throws an ApiError if the request names nothing, or has no valid token. */
  ask(request: IncomingMessage, client: Client): Asked
  refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void
}
