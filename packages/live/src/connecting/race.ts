import { Conversation, type Hello } from './conversation.ts'
import { lost, Refusal } from './refusal.ts'
import type { Route } from './routes.ts'

/** How long each route waits for the one before it. */
const headStartMs = 120
/** An attempt ends if no gateway has accepted or refused the viewer within this time. */
const attemptTimeoutMs = 10_000

/**
 * Tries all routes, each a little after the one before or as soon as that one has failed, and keeps the first that is
 * accepted. A final refusal ends the race, because the token is the same everywhere.
 */
export function race(routes: readonly Route[], hello: Hello, signal: AbortSignal): Promise<Conversation> {
  const { promise, resolve, reject } = Promise.withResolvers<Conversation>()
  const over = new AbortController()
  const attemptSignal = AbortSignal.any([signal, over.signal, AbortSignal.timeout(attemptTimeoutMs)])
  let running = 0
  let reason = lost('This browser cannot reach any of the addresses.')
  const next = [...routes]

  const finish = () => {
    over.abort()
    clearTimeout(timer)
  }
  const startNext = () => {
    clearTimeout(timer)
    const route = next.shift()
    if (!route) return
    running += 1
    if (next.length > 0) timer = setTimeout(startNext, headStartMs)
    open(route).then(
      conversation => {
        if (over.signal.aborted) return conversation.close()
        finish()
        resolve(conversation)
      },
      (error: unknown) => {
        running -= 1
        if (error instanceof Refusal && (reason.code === 'live.LOST' || error.isFinal)) reason = error
        if (reason.isFinal || attemptSignal.aborted || (running === 0 && next.length === 0)) {
          finish()
          reject(reason)
        } else startNext()
      },
    )
  }
  const open = async (route: Route) => Conversation.greet(await route(attemptSignal), hello, attemptSignal)

  let timer: ReturnType<typeof setTimeout> | undefined
  if (routes.length === 0) reject(reason)
  startNext()
  return promise
}
