import { Duplex } from 'node:stream'
import type { AdbSocket } from '@yume-chan/adb'

/** A service of a device as a stream of Node. */
export function socketStream(socket: AdbSocket): Duplex {
  const reader = socket.readable.getReader()
  const writer = socket.writable.getWriter()
  const close = () => Promise.resolve(socket.close()).catch(() => {})
  // What is said to nobody fails nowhere: whoever reads hears that it has ended, after all that came before. When the connection
  // is lost, nothing of the library tells whoever waits for room to write.
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
    // Nobody waits for a device to take note of that.
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
