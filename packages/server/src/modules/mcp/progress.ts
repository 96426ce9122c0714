import type { ServerContext } from '@modelcontextprotocol/server'

const everyMs = 1000

/** Tells a client that asked for it, each second, for how long a call has been running. */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return work()
  let progress = 0
  const tell = () => {
    const message = progress === 0 ? 'Begun.' : `Running for ${progress} s.`
    const params = { progressToken, progress, message }
    // A client that is gone hears nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    progress++
  }
  tell()
  const timer = setInterval(tell, everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
