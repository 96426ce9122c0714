import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { MachineError } from '../../../contract/errors.ts'
import type { Json } from '../../../contract/handle.ts'
import type { ExecSpec, MachineProcess, ProcessExit, TerminalSize } from '../../../contract/process.ts'
import { ask } from './agent-client.ts'
import type { Guest, GuestStream } from './guest.ts'
import { malformed, parseAnswer, smallAnswer } from './parse-answer.ts'
import { readLine } from './read-line.ts'

/**
 * Runs a program in the machine. It has a control connection and one connection per stream, so that no stream blocks
 * another.
 */
export async function exec(guest: Guest, spec: ExecSpec): Promise<MachineProcess> {
  if ([spec.executable, ...(spec.args ?? [])].some(text => text.includes('\0')) || spec.executable === '') {
    throw new MachineError(
      'INVALID',
      'the program must have a name, and neither it nor its arguments may contain NUL',
    )
  }
  const token = randomUUID()
  const { socket: control, answer } = await ask(
    guest,
    {
      op: 'exec',
      token,
      executable: spec.executable,
      args: [...(spec.args ?? [])],
      ...(spec.workingDirectory !== undefined && { cwd: spec.workingDirectory }),
      ...(spec.env && { env: { ...spec.env } }),
      ...(spec.user !== undefined && { user: spec.user }),
      ...(spec.terminal && { terminal: { ...spec.terminal } }),
      ...(spec.detached && { detached: true }),
      ...(spec.whole && { whole: true }),
    },
    { signal: spec.signal },
  )
  const stream = async (number: 0 | 1 | 2): Promise<GuestStream> =>
    (await ask(guest, { op: 'stream', token, stream: number }, { signal: spec.signal })).socket
  try {
    const { pid } = answer
    if (!Number.isSafeInteger(pid)) throw malformed()
    const [stdin, stdout, stderr] = await Promise.all([
      stream(0),
      stream(1),
      spec.terminal ? Readable.from([]) : stream(2),
    ])
    stdin.resume()
    stdout.end()
    if ('end' in stderr) stderr.end()
    const send = (message: object) => {
      if (!control.destroyed) control.write(`${JSON.stringify(message)}\n`)
    }
    const kill = (signal = 9) => send({ kill: signal })
    const abort = () => kill()
    spec.signal?.addEventListener('abort', abort, { once: true })
    if (spec.signal?.aborted) abort()
    const release = () => void control.destroy()
    const gone = new Promise<void>(resolve => control.once('close', () => resolve()))
    control.once('end', release)
    void gone.then(() => spec.signal?.removeEventListener('abort', abort))
    const exited = awaitExit(control).finally(() => {
      stdin.destroy()
      // With `whole`, the next message means that no process of the program is left.
      if (spec.whole) control.once('data', release)
      else release()
    })
    // Callers that do not await the exit must not be crashed by the end of the machine.
    exited.catch(() => {})
    const resize = (size: TerminalSize) => send({ resize: size })
    return { pid: Number(pid), stdin, stdout, stderr, exited, gone, kill, resize, release }
  } catch (error) {
    control.destroy()
    throw error
  }
}

async function awaitExit(control: GuestStream): Promise<ProcessExit> {
  try {
    const { code, signal } = parseAnswer(await readLine(control, smallAnswer.maxBytes), smallAnswer)
    if (isStatus(code)) return { code, ...(isStatus(signal) && { signal }) }
  } catch (cause) {
    throw new MachineError('MACHINE_FAILED', 'the machine ended before the program did', { cause })
  }
  throw new MachineError('STATE', 'the machine sent a malformed exit status')
}

const isStatus = (value: Json | undefined): value is number => Number.isInteger(value)
