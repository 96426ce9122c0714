import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ReadableStream } from '@yume-chan/stream-extra'
import type { AdbLink } from '../../../adb/adb-link.ts'
import { socketStream } from '../../../adb/socket-stream.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { Session } from '../../../screens/adb/device.ts'
import { ownerVariable } from '../exec-script.ts'
import { type ShellProcess, startShell } from '../shell-process.ts'
import { withSync } from '../sync-session.ts'
import { type ServerStart, serverStart } from './scrcpy-options.ts'
import type { ScrcpyServer } from './scrcpy-server.ts'
import { knownVersions } from './scrcpy-versions.ts'
import { ServerOutput } from './server-output.ts'

/** A busy device may take seconds to start the server. */
const startTimeoutMs = 15_000
const retryMs = 100

export interface RunningServer {
  readonly version: string
  /** The video stream. */
  readonly stream: Duplex
  /** Returns why the video has ended. */
  endReason(): Promise<string>
  close(): void
}

/**
 * Copies a server to a device and starts it. Neither the server nor its file remains after the device is
 * disconnected.
 */
export async function startServer(
  session: Session,
  server: ScrcpyServer,
  machine: string,
  signal: AbortSignal,
): Promise<RunningServer> {
  const attempt = (version: string) => start(session, server, version, machine, signal)
  const first = await attempt(server.version)
  if (typeof first !== 'string') return first
  const second = await attempt(first)
  if (typeof second !== 'string') return second
  throw failed('the server refuses its own version')
}

/** Returns the actual version as a string if the server refuses the version it was started with. */
async function start(
  { link }: Session,
  { content }: ScrcpyServer,
  version: string,
  machine: string,
  signal: AbortSignal,
): Promise<RunningServer | string> {
  // Servers accept 31 bits.
  const name = (randomBytes(4).readUInt32BE() >>> 1).toString(16).padStart(8, '0')
  const known = serverStart(version, name)
  if (!known)
    throw failed(
      `the scrcpy server has version ${version}, but only ${knownVersions} are supported; install one of these`,
    )
  const path = `/data/local/tmp/sandglass-${name}.jar`
  const shell = await startShell(link, script(path, version, machine, known))
  const output = new ServerOutput(shell)
  try {
    const file = ReadableStream.from([content])
    await withSync(link, path, sync => sync.write({ filename: path, file, permission: 0o644 }))
    shell.stdin.write('go\n')
    const stream = await openVideo(link, known.service, output, signal)
    if (stream) return runningServer(version, stream, shell, output)
    await output.untilEnd()
    const failure = output.hasEnded
      ? 'ended without output'
      : `sent no video within ${startTimeoutMs / 1000} s`
    if (!output.otherVersion) throw failed(output.error ?? `the scrcpy server ${failure}`)
  } catch (error) {
    shell.close()
    throw error
  }
  shell.close()
  return output.otherVersion
}

/** Returns undefined if the server has ended or takes too long. */
async function openVideo(
  link: AdbLink,
  service: string,
  output: ServerOutput,
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  const deadlineMs = performance.now() + startTimeoutMs
  while (!output.hasEnded && performance.now() < deadlineMs) {
    signal.throwIfAborted()
    const socket = await link.connect(service).catch(() => undefined)
    if (socket) return socketStream(socket).on('error', () => {})
    await pause(retryMs)
  }
  return undefined
}

function runningServer(
  version: string,
  stream: Duplex,
  shell: ShellProcess,
  output: ServerOutput,
): RunningServer {
  return {
    version,
    stream,
    endReason: async () => {
      await output.untilEnd()
      return output.error ?? 'its video ended'
    },
    close: () => {
      stream.destroy()
      shell.close()
    },
  }
}

/**
 * A shell that waits until the file has arrived, runs the server, and removes the file when the server has ended or
 * the shell receives SIGHUP because nobody watches any more. The server is marked as a process of the tenant, so that
 * it is cleaned up with the others.
 */
const script = (path: string, version: string, machine: string, { words }: ServerStart) => `exec 2>&1
export CLASSPATH=${path} ${ownerVariable}=${machine}
trap 'rm -f ${path}; [ -z "$p" ] || kill "$p"; exit 1' HUP TERM
if read -r go; then
app_process / com.genymobile.scrcpy.Server ${version} ${words.join(' ')} </dev/null &
p=$!
wait "$p"
fi
rm -f ${path}`

function failed(reason: string): MachineError {
  return new MachineError('MACHINE_FAILED', reason)
}
