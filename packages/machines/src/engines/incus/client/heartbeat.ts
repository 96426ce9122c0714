import type { WebSocket } from 'ws'

/** How often we ping. */
export const pingEveryMs = 5_000
/** A peer that is silent for so many pings in a row is gone: the loss is noticed within 15 s. */
const maxSilentPings = 2

/**
 * Pings the other side and calls `onSilence` if it stays silent, because a peer that lost its power or its network
 * never closes a connection. While the websocket is paused nothing can be heard, so nothing is concluded.
 */
export function watchHeartbeat(webSocket: WebSocket, everyMs: number, onSilence: () => void): void {
  let silentPings = 0
  const heard = () => {
    silentPings = 0
  }
  // Ticks are counted instead of measuring time, so that a pause of this process is not taken for a loss.
  const timer = setInterval(() => {
    if (webSocket.isPaused) heard()
    if (silentPings >= maxSilentPings) {
      clearInterval(timer)
      return onSilence()
    }
    silentPings++
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping()
  }, everyMs).unref()
  for (const sign of ['message', 'ping', 'pong'] as const) webSocket.on(sign, heard)
  webSocket.once('close', () => clearInterval(timer))
}
