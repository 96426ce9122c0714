import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import type { Exchange } from './open-exchanges.ts'
import { Relay, type Way } from './relay.ts'

/** A request through a mapping, which is counted among those that are open. */
export class MappedRelay extends Relay implements Exchange {
  readonly mapping: string
  readonly waitMs: number | undefined

  constructor(
    { mapping, waitMs }: Pick<Exchange, 'mapping' | 'waitMs'>,
    request: IncomingMessage,
    response: ServerResponse,
    way: Way,
  ) {
    super(request, response, way)
    this.mapping = mapping
    this.waitMs = waitMs
  }

  giveUp(): void {
    this.fail(new ApiError('mapping.TIMEOUT'))
  }
}
