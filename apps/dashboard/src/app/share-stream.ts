interface Shared<News> {
  /** Takes in what happened, in every tab. */
  readonly receive: (news: News) => void
  /** Follows the stream until the signal is aborted. Only one tab does; `isNext` if another one has done it before. */
  readonly follow: (send: (news: News) => void, isNext: boolean) => Promise<void>
}

/**
 * Lets one tab of the browser follow a stream for all tabs. A browser opens only six connections to a service, and every stream takes
 * one, so a dashboard in many tabs would stop. When the tab is closed, another one goes on.
 */
export function shareStream<News>(
  name: string,
  signal: AbortSignal,
  { receive, follow }: Shared<News>,
): void {
  const tabs = new BroadcastChannel(name)
  tabs.onmessage = ({ data }: MessageEvent<News>) => receive(data)
  signal.addEventListener('abort', () => tabs.close(), { once: true })
  const send = (news: News) => {
    if (signal.aborted) return
    receive(news)
    tabs.postMessage(news)
  }
  const lead = async () => {
    // Browsers have locks only where the connection is secure, or to the local host.
    if (!('locks' in navigator)) return await follow(send, false)
    await navigator.locks.request(name, { ifAvailable: true }, lock => lock && follow(send, false))
    if (!signal.aborted) await navigator.locks.request(name, { signal }, () => follow(send, true))
  }
  lead().catch(() => {})
}
