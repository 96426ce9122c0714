import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 1000

/** Reports once per second how long a call has been running, if the client asked for progress. */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  let progress = 0
  const report = () => {
    const message = progress === 0 ? 'Begun.' : `Running for ${progress} s.`
    const params = { progressToken, progress, message }
    // Ignore the error: a client that has disconnected cannot be notified.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    progress++
  }
  report()
  const timer = setInterval(report, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
