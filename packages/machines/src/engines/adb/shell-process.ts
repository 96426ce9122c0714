import { Readable, Writable } from 'node:stream'
import { AdbFeature, AdbShellProtocolId } from '@yume-chan/adb'
import type { AdbLink } from '../../adb/adb-link.ts'
import { resizeFrame, ShellFrames, shellFrame } from '../../adb/shell-frames.ts'
import { socketStream } from '../../adb/socket-stream.ts'
import { MachineError } from '../../contract/errors.ts'
import type { TerminalSize } from '../../contract/process.ts'
import { TerminalInput } from './terminal-input.ts'

/**
 * How much of an unread stream is buffered. Beyond that, the other stream is blocked as well, because they share a
 * connection.
 */
const bufferBytes = 1024 * 1024
/** Linux limits one argument, and so the command of `sh -c`, to this length. */
const maxCommandBytes = 128 * 1024 - 1

/** A command that runs in the shell of the device. */
export interface ShellProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** The exit code, or 128+n for a signal. Rejects with MACHINE_FAILED if the device reports none. */
  readonly exited: Promise<number>
  resize(size: TerminalSize): void
  /** Closes the connection; the device sends SIGHUP to the shell. */
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
      'The device does not support shell protocol v2, which needs Android 7 or later.',
    )
  if (Buffer.byteLength(command) > maxCommandBytes)
    throw new MachineError(
      'INVALID',
      'on a phone, a program with its arguments and environment is limited to 128 KiB',
    )
  const kind = terminal ? 'pty,TERM=xterm-256color' : 'raw'
  const stream = socketStream(await link.connect(`shell,v2,${kind}:${command}`)).on('error', () => {})
  const typed = terminal && new TerminalInput((keys, done) => writeInput(stream, keys, done))
  const frames = new ShellFrames()
  const exit = Promise.withResolvers<number>()
  exit.promise.catch(() => {})
  const read = () => void stream.resume()
  const stdout = new Readable({ read, highWaterMark: bufferBytes })
  const stderr = new Readable({ read, highWaterMark: bufferBytes })
  const streams = new Map<number, Readable>([
    [AdbShellProtocolId.Stdout, stdout],
    [AdbShellProtocolId.Stderr, stderr],
  ])
  stream.on('data', (chunk: Buffer) => {
    for (const { id, data } of frames.receive(chunk)) {
      if (id === AdbShellProtocolId.Exit) exit.resolve(data[0] ?? 0)
      const target = streams.get(id)
      if (target) typed?.onOutput()
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
