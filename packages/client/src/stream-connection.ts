import { incomplete } from './connection-failure.ts'
import { type Message, MessageReader } from './server-sent-events.ts'
import type { Opened } from './transport.ts'

/**
 * Yields the messages of one connection, and closes it when the reader has enough of it. A connection on which nothing comes any more
 * is lost. The time in which the reader does something else does not count.
 */
export async function* messagesOf(
  { response, limit, url }: Opened,
  silenceMs: number,
): AsyncGenerator<Message, void, undefined> {
  const reader = (response.body ?? new Blob([]).stream()).getReader()
  const close = () => reader.cancel().catch(() => {})
  const messages = new MessageReader()
  let isSilent = false
  try {
    for (;;) {
      const silence = setTimeout(() => {
        isSilent = true
        void close()
      }, silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (isSilent) throw new Error(`nothing has come for ${silenceMs} ms`)
      if (done) return
      yield* messages.read(value)
    }
  } catch (cause) {
    throw limit.reasonFor(incomplete(url, cause))
  } finally {
    limit.release()
    void close()
  }
}
