import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends raw bytes that no HTTP client would send, and reads until the service closes the connection. */
export async function raw(serviceUrl: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  socket.write(bytes, 'latin1')
  return text(socket).catch(() => '')
}
