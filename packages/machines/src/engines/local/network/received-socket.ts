import { Socket } from 'node:net'

/**
 * The socket of a connection that another process has passed as a bare handle. If it is unread, nothing reads from it, so
 * that it can be passed on without losing what the other side sends first.
 */
export function receivedSocket(handle: object, isUnread: boolean): Socket {
  // Node documents neither option; it makes the sockets that processes pass to each other in this way.
  const options: object = {
    handle,
    readable: true,
    writable: true,
    allowHalfOpen: true,
    manualStart: isUnread,
  }
  const socket = new Socket(options)
  // Errors must have a listener, because the end of a machine must not crash the service.
  socket.on('error', () => {})
  return socket
}
