import { Readable, Writable } from 'node:stream'
import { AdbFeature, AdbShellProtocolId } from '@yume-chan/adb'
import type { AdbLink } from '../../adb/adb-link.ts'
import { socketStream } from '../../adb/socket-stream.ts'
import { MachineError } from '../../contract/errors.ts'
import type { TerminalSize } from '../../contract/process.ts'
import { resizeFrame, ShellFrames, shellFrame } from './shell-frames.ts'
import { TypedInput } from './typed-input.ts'

/** What is kept of a stream that nobody reads, before the other one waits for it too: they share a connection. */
const held = 1024 * 1024
/** `sh -c` takes no longer command on Linux. */
const longestCommand = 128 * 1024 - 1

/** A command line that the device's shell runs. */
export interface ShellProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Its exit code, or 128+n; MACHINE_FAILED where the device told none. */
  readonly exited: Promise<number>
  resize(size: TerminalSize): void
  /** Lets go of it: the device hangs up on the shell. */
  close(): void
}

export async function startShell(
  link: AdbLink,
  command: string,
  terminal?: TerminalSize,
): Promise<ShellProcess> {
  if (!link.adb.canUseFeature(AdbFeature.ShellV2))
    throw new MachineError(
      'MACHINE_FAILED',
      'The device runs no programs by shell protocol v2, which came with Android 7.',
    )
  if (Buffer.byteLength(command) > longestCommand)
    throw new MachineError(
      'INVALID',
      'a program with its arguments and environment takes at most 128 KiB on a phone',
    )
  const kind = terminal ? 'pty,TERM=xterm-256color' : 'raw'
  const stream = socketStream(await link.connect(`shell,v2,${kind}:${command}`)).on('error', () => {})
  const typed = terminal && new TypedInput((keys, done) => writeInput(stream, keys, done))
  const frames = new ShellFrames()
  const exit = Promise.withResolvers<number>()
  exit.promise.catch(() => {})
  const read = () => void stream.resume()
  const stdout = new Readable({ read, highWaterMark: held })
  const stderr = new Readable({ read, highWaterMark: held })
  const streams = new Map<number, Readable>([
    [AdbShellProtocolId.Stdout, stdout],
    [AdbShellProtocolId.Stderr, stderr],
  ])
  stream.on('data', (chunk: Buffer) => {
    for (const { id, data } of frames.receive(chunk)) {
      if (id === AdbShellProtocolId.Exit) exit.resolve(data[0] ?? 0)
      const target = streams.get(id)
      if (target) typed?.heard()
      if (target && !target.readableEnded && !target.destroyed && !target.push(data)) stream.pause()
    }
  })
  stream.on('close', () => {
    typed?.close()
    for (const target of streams.values()) if (!target.destroyed) target.push(null)
    exit.reject(
      new MachineError('MACHINE_FAILED', 'The connection to the device ended before the program did.'),
    )
  })
  stream.on('end', () => stream.destroy())
  return {
    stdin: typed?.stdin ?? pipedInto(stream),
    stdout,
    stderr,
    exited: exit.promise,
    resize: ({ rows, columns }) => void stream.write(resizeFrame(rows, columns)),
    close: () => void stream.destroy(),
  }
}

function pipedInto(stream: Writable): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => writeInput(stream, chunk, done),
    final: done => void stream.write(shellFrame(AdbShellProtocolId.CloseStdin), done),
  }).on('error', () => {})
}

function writeInput(stream: Writable, input: Uint8Array, done?: (error?: Error | null) => void): void {
  stream.write(shellFrame(AdbShellProtocolId.Stdin, input), done)
}
