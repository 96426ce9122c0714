import { Duplex } from 'node:stream'
import type { AdbSocket } from '@yume-chan/adb'

/** A service of a device as a stream of Node. */
export function socketStream(socket: AdbSocket): Duplex {
  const reader = socket.readable.getReader()
  const writer = socket.writable.getWriter()
  const close = () => Promise.resolve(socket.close()).catch(() => {})
  const stream = new Duplex({
    read() {
      reader.read().then(
        ({ value, done }) => this.push(done ? null : value),
        error => this.destroy(error),
      )
    },
    write(chunk, _encoding, done) {
      writer.write(new Uint8Array(chunk)).then(() => done(), done)
    },
    // ADB has no half-closed connections.
    final(done) {
      void close().then(() => done())
    },
    destroy(error, done) {
      void close().then(() => done(error))
    },
  })
  return stream
}
