import { Duplex } from 'node:stream'
import type { AdbSocket } from '@yume-chan/adb'
import { MachineError } from '../../contract/errors.ts'

/** A service of a device as a stream of Node. */
export function socketStream(socket: AdbSocket): Duplex {
  const reader = socket.readable.getReader()
  const writer = socket.writable.getWriter()
  const close = () => Promise.resolve(socket.close()).catch(() => {})
  // When the connection is lost nothing of the library tells whoever waits for room to write.
  let writing: ((error?: Error | null) => void) | undefined
  const written = (error?: Error | null) => {
    const done = writing
    writing = undefined
    done?.(error)
  }
  void socket.closed.then(() =>
    written(new MachineError('MACHINE_FAILED', 'The device closed the connection.')),
  )
  const stream = new Duplex({
    read() {
      reader.read().then(
        ({ value, done }) => this.push(done ? null : value),
        error => this.destroy(error),
      )
    },
    write(chunk, _encoding, done) {
      writing = done
      writer.write(new Uint8Array(chunk)).then(() => written(), written)
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
