import type { LiveState } from '@sandglass/live'
import type { Connect } from '@sandglass/protocol'

/** The reply of the surrounding page to `sandglass:ready` and `sandglass:renew`. */
interface ConnectMessage {
  readonly type: 'sandglass:connect'
  readonly connectDetails: Connect
  readonly name?: string
}

const renewTimeoutMs = 30_000

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

/** Calls the listener for each connect message of the surrounding page; messages of other windows are ignored. */
export function onConnectMessage(listener: (message: ConnectMessage) => void): () => void {
  const receive = ({ source, data }: MessageEvent<unknown>) => {
    if (source === window.parent && isConnect(data)) listener(data)
  }
  addEventListener('message', receive)
  return () => removeEventListener('message', receive)
}

/** Sends a message to the surrounding page. None contains a secret, so any page may receive them. */
export function tellParent(
  message:
    | { type: 'sandglass:ready' | 'sandglass:renew' }
    | { type: 'sandglass:state'; state: LiveState['kind'] },
): void {
  if (window.parent !== window) window.parent.postMessage(message, '*')
}

/** Asks the surrounding page for newer connection details. */
export function renewByParent(): Promise<Connect> {
  const { promise, resolve, reject } = Promise.withResolvers<Connect>()
  const stop = onConnectMessage(({ connectDetails }) => resolve(connectDetails))
  const timer = setTimeout(
    () => reject(new Error('The page that shows this view did not renew its access.')),
    renewTimeoutMs,
  )
  tellParent({ type: 'sandglass:renew' })
  return promise.finally(() => {
    stop()
    clearTimeout(timer)
  })
}
