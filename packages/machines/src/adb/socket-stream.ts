import { Duplex } from 'node:stream'
import type { AdbSocket } from '@yume-chan/adb'

/** Wraps a service of a device in a Node stream. */
export function socketStream(socket: AdbSocket): Duplex {
  const reader = socket.readable.getReader()
  const writer = socket.writable.getWriter()
  const close = () => Promise.resolve(socket.close()).catch(() => {})
  // A write to a closed socket is not an error, because the reader sees the end after all data before it. The library
  // never settles a pending write when the connection is lost, so this completes it.
  let written = () => {}
  void socket.closed.then(() => written())
  const stream = new Duplex({
    // ADB has no half-closed connections.
    allowHalfOpen: false,
    read() {
      reader.read().then(
        ({ value, done }) => this.push(done ? null : value),
        error => this.destroy(error),
      )
    },
    write(chunk, _encoding, done) {
      written = () => {
        written = () => {}
        done()
      }
      writer.write(new Uint8Array(chunk)).then(written, written)
    },
    // Do not wait for the device to acknowledge the close.
    final(done) {
      void close()
      done()
    },
    destroy(error, done) {
      void close()
      done(error)
    },
  })
  return stream
}
