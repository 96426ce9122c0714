import type { LiveState } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'

/** What the page around this one sends when it is told `sandglass:ready` or `sandglass:renew`. */
interface ConnectMessage {
  readonly type: 'sandglass:connect'
  readonly connectDetails: Connect
  readonly name?: string
}

const patienceMs = 30_000

function isConnect(data: unknown): data is ConnectMessage {
  return (
    typeof data === 'object' &&
    data !== null &&
    'type' in data &&
    data.type === 'sandglass:connect' &&
    'connectDetails' in data &&
    typeof data.connectDetails === 'object' &&
    data.connectDetails !== null
  )
}

/** Tells of each time that the page around this one says what to connect to; nobody else is heard. */
export function onConnectMessage(listener: (message: ConnectMessage) => void): () => void {
  const receive = ({ source, data }: MessageEvent<unknown>) => {
    if (source === window.parent && isConnect(data)) listener(data)
  }
  addEventListener('message', receive)
  return () => removeEventListener('message', receive)
}

/** None of these holds a secret, so that any page around this one may hear them. */
export function tellParent(
  message:
    | { type: 'sandglass:ready' | 'sandglass:renew' }
    | { type: 'sandglass:state'; state: LiveState['kind'] },
): void {
  if (window.parent !== window) window.parent.postMessage(message, '*')
}

/** Asks the page around this one for newer details. */
export function renewByParent(): Promise<Connect> {
  const { promise, resolve, reject } = Promise.withResolvers<Connect>()
  const stop = onConnectMessage(({ connectDetails }) => resolve(connectDetails))
  const timer = setTimeout(
    () => reject(new Error('The page around this one gave no newer token.')),
    patienceMs,
  )
  tellParent({ type: 'sandglass:renew' })
  return promise.finally(() => {
    stop()
    clearTimeout(timer)
  })
}
