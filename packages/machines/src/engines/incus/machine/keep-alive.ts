import type { MuxSession } from '../../../mux/index.ts'

/** How often the end of a channel is asked whether it is there. */
const everyMs = 5000
/** Whoever carries the stream ends it when nothing comes back. */
const timeoutMs = 2 ** 31 - 1

/** Asks the other end of a session whether it is there as long as it is open, so that there is always something that has an answer. */
export function keepAlive(session: MuxSession): void {
  let isAsked = false
  const timer = setInterval(() => {
    if (isAsked) return
    isAsked = true
    const answered = () => {
      isAsked = false
    }
    session.ping({ timeoutMs }).then(answered, () => {})
  }, everyMs).unref()
  void session.closed.then(() => clearInterval(timer))
}
