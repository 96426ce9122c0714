import type { McpCaller } from '../caller.ts'
import type { ToolChanges } from '../tool-changes.ts'

const notice = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })

/** The first revision whose clients accept an event without data. */
const primedSince = '2025-11-25'

/**
 * Yields a notification each time the tools of a server change, as server-sent events. The id of an event identifies the
 * set of tools, so that a client that reconnects to any process learns whether it missed a change.
 */
export async function* toolNotices(
  { server, request }: McpCaller,
  changes: ToolChanges,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const { 'last-event-id': lastId, 'mcp-protocol-version': revision } = request.headers
  const watch = changes.watch(server)
  const signal = AbortSignal.any([gone, watch.ended])
  let known = typeof lastId === 'string' ? lastId : watch.signature
  let woken = Promise.withResolvers<void>()
  const wake = () => woken.resolve()
  const unlisten = watch.onChange(wake)
  signal.addEventListener('abort', wake)
  try {
    if (typeof revision === 'string' && revision >= primedSince) yield `id: ${known}\ndata: \n\n`
    while (!signal.aborted) {
      if (known !== watch.signature) {
        known = watch.signature
        yield `event: message\nid: ${known}\ndata: ${notice}\n\n`
        continue
      }
      await woken.promise
      woken = Promise.withResolvers()
    }
  } finally {
    unlisten()
    watch.close()
  }
}
