import type { ServerResponse } from 'node:http'
import { heldBy } from '../auth/held-credential.ts'
import type { OpenByCredential } from '../auth/open-by-credential.ts'
import type { Principal } from '../auth/principal.ts'
import { SocketResponse } from './socket-response.ts'

/**
 * How long a call may still take to answer when its credential has ended, so that the answer to the call that revoked
 * the credential itself is sent.
 */
const answerMs = 500

/** Responses with a new credential, which are sent even if the one that the call came with has ended meanwhile. */
const answeredAfterwards = new WeakSet<ServerResponse>()

/** Lets a call answer that replaces a credential, perhaps its own, because its answer is the only one with the new secret. */
export function answerAfterCredential(response: ServerResponse): void {
  answeredAfterwards.add(response)
}

/** Ends the response of a call when the credential of its caller ends. A call that has not answered yet is aborted. */
export function endWithCredential(
  open: OpenByCredential,
  principal: Principal,
  response: ServerResponse,
  changesBefore: number,
): void {
  const end = () => {
    if (answeredAfterwards.has(response)) return
    const isSocket = response instanceof SocketResponse
    if (isSocket && response.onRevoked) return response.onRevoked()
    // The process that has the machine closes a WebSocket that this one forwards, and says why.
    const isStreaming = response.headersSent && !response.writableEnded && !isSocket
    if (isStreaming) response.destroy()
    else setTimeout(() => response.closed || response.destroy(), answerMs).unref()
  }
  response.once('close', open.enter(heldBy(principal), end, changesBefore))
}
