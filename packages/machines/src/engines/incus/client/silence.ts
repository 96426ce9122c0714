import type { Endpoint } from './endpoints.ts'
import { exchange } from './exchange.ts'

const lookEveryMs = 1000
const answerMs = 800

/** Whether the member that a request went to is there, as long as the request has no answer. */
export interface Silence {
  /** Aborted when the member has left questions without an answer too. */
  readonly signal: AbortSignal
  stop(): void
}

/** Whether a member is there. Incus answers this from memory, also while there is no leader of its database. */
export const answers = (endpoint: Endpoint, signal: AbortSignal): Promise<boolean> =>
  exchange(endpoint, { method: 'GET', path: '/' }, signal).then(
    () => true,
    () => false,
  )

/**
 * Asks a member whether it is there while it takes long to answer a request. It may only be waiting for another member, which is no
 * reason to avoid it; but a connection that was cut off would keep the request until its deadline.
 *
 * @param maxUnanswered how many questions in a row it may leave without an answer
 */
export function watchSilence(endpoint: Endpoint, maxUnanswered: number): Silence {
  const end = new AbortController()
  const stopped = new AbortController()
  let unanswered = 0
  const look = async () => {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(answerMs)])
    const isThere = await answers(endpoint, signal)
    if (stopped.signal.aborted) return
    unanswered = isThere ? 0 : unanswered + 1
    if (unanswered >= maxUnanswered) end.abort(new Error('it does not answer'))
    else timer = setTimeout(look, lookEveryMs).unref()
  }
  let timer = setTimeout(look, lookEveryMs).unref()
  return {
    signal: end.signal,
    stop() {
      stopped.abort()
      clearTimeout(timer)
    },
  }
}
