import type { FakeStream } from '../test-fake-stream.ts'

/** The part of ADB's sync service that receives files. */
export class FakeSync {
  readonly files = new Map<string, Buffer>()

  serve(stream: FakeStream): void {
    let held = Buffer.alloc(0)
    let path = ''
    stream.onData = data => {
      held = Buffer.concat([held, data])
      while (held.length >= 8) {
        const [command, length] = [held.toString('latin1', 0, 4), held.readUInt32LE(4)]
        const bodyLength = command === 'SEND' || command === 'DATA' ? length : 0
        if (held.length < 8 + bodyLength) return
        const body = held.subarray(8, 8 + bodyLength)
        held = held.subarray(8 + bodyLength)
        if (command === 'SEND') path = body.toString().replace(/,\d+$/, '')
        if (command === 'SEND') this.files.set(path, Buffer.alloc(0))
        if (command === 'DATA')
          this.files.set(path, Buffer.concat([this.files.get(path) ?? Buffer.alloc(0), body]))
        if (command === 'DONE') stream.write(Buffer.from('OKAY\0\0\0\0'))
      }
    }
  }
}
