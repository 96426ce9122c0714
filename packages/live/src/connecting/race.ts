import { Conversation, type Hello } from './conversation.ts'
import { lost, Refusal } from './refusal.ts'
import type { Route } from './routes.ts'

/** How much sooner than the next each route sets out. */
const headStartMs = 120
/** A gateway that neither welcomes nor refuses within this time is none. */
const patienceMs = 10_000

/**
 * Goes all the routes, each a little later than the one before or when that one has failed, and keeps the first that is
 * welcomed. A final refusal ends the race, since the token is the same everywhere.
 */
export function race(routes: readonly Route[], hello: Hello, signal: AbortSignal): Promise<Conversation> {
  const { promise, resolve, reject } = Promise.withResolvers<Conversation>()
  const over = new AbortController()
  const whole = AbortSignal.any([signal, over.signal, AbortSignal.timeout(patienceMs)])
  let running = 0
  let why = lost('none of the addresses can be reached from this browser.')
  const next = [...routes]

  const finish = () => {
    over.abort()
    clearTimeout(timer)
  }
  const setOut = () => {
    clearTimeout(timer)
    const route = next.shift()
    if (!route) return
    running += 1
    if (next.length > 0) timer = setTimeout(setOut, headStartMs)
    go(route).then(
      conversation => {
        if (over.signal.aborted) return conversation.close()
        finish()
        resolve(conversation)
      },
      (error: unknown) => {
        running -= 1
        if (error instanceof Refusal && (why.code === 'live.LOST' || error.isFinal)) why = error
        if (why.isFinal || whole.aborted || (running === 0 && next.length === 0)) {
          finish()
          reject(why)
        } else setOut()
      },
    )
  }
  const go = async (route: Route) => Conversation.greet(await route(whole), hello, whole)

  let timer: ReturnType<typeof setTimeout> | undefined
  if (routes.length === 0) reject(why)
  setOut()
  return promise
}
