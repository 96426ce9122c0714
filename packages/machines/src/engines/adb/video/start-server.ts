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
import { PrintedText } from './printed-text.ts'
import { knownVersions, type ServerStart, serverStart } from './scrcpy-options.ts'
import type { ScrcpyServer } from './scrcpy-server.ts'

/** It is a program of its own that a busy device takes seconds to start. */
const startMs = 15_000
const betweenMs = 100

export interface RunningServer {
  readonly version: string
  /** Its video. */
  readonly stream: Duplex
  /** Why its video has ended. */
  lastWords(): Promise<string>
  close(): void
}

/** Brings a server to a device and starts it there. A device that is hung up on keeps neither the server nor its file. */
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

/** Tells its version where it refuses the one that it was started with. */
async function start(
  { link }: Session,
  { content }: ScrcpyServer,
  version: string,
  machine: string,
  signal: AbortSignal,
): Promise<RunningServer | string> {
  // 31 bits, which is what a server takes.
  const name = (randomBytes(4).readUInt32BE() >>> 1).toString(16).padStart(8, '0')
  const known = serverStart(version, name)
  if (!known)
    throw failed(
      `the scrcpy server is of version ${version}, and only ${knownVersions} are known; install one of these`,
    )
  const path = `/data/local/tmp/sandglass-${name}.jar`
  const shell = await startShell(link, script(path, version, machine, known))
  const printed = new PrintedText(shell)
  try {
    const file = ReadableStream.from([content])
    await withSync(link, path, sync => sync.write({ filename: path, file, permission: 0o644 }))
    shell.stdin.write('go\n')
    const stream = await openVideo(link, known.service, printed, signal)
    if (stream) return runningServer(version, stream, shell, printed)
    await printed.untilEnd()
    const silence = printed.hasEnded ? 'ended without a word' : `gave no video within ${startMs / 1000} s`
    if (!printed.otherVersion) throw failed(printed.complaint ?? `the scrcpy server ${silence}`)
  } catch (error) {
    shell.close()
    throw error
  }
  shell.close()
  return printed.otherVersion
}

/** Undefined where the server has ended, or takes too long. */
async function openVideo(
  link: AdbLink,
  service: string,
  printed: PrintedText,
  signal: AbortSignal,
): Promise<Duplex | undefined> {
  const deadlineMs = performance.now() + startMs
  while (!printed.hasEnded && performance.now() < deadlineMs) {
    signal.throwIfAborted()
    const socket = await link.connect(service).catch(() => undefined)
    if (socket) return socketStream(socket).on('error', () => {})
    await pause(betweenMs)
  }
  return undefined
}

function runningServer(
  version: string,
  stream: Duplex,
  shell: ShellProcess,
  printed: PrintedText,
): RunningServer {
  return {
    version,
    stream,
    lastWords: async () => {
      await printed.untilEnd()
      return printed.complaint ?? 'its video ended'
    },
    close: () => {
      stream.destroy()
      shell.close()
    },
  }
}

/**
 * A shell that waits until the file has come, sees to the server, and takes the file away when that has ended or nobody watches any
 * more, which is when it is hung up on. What it runs is the tenant's, like what they start themselves.
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
