import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { ExecSpec, MachineProcess, ProcessExit } from '../../contract/process.ts'
import { execScript, tokenVariable } from './exec-script.ts'
import type { PhoneGuest } from './phone-guest.ts'
import { answerTimeoutMs, readLine } from './read-line.ts'
import { type ShellProcess, startShell } from './shell-process.ts'
import { isLeft, run, sweep } from './sweep.ts'
import { UntilMark } from './until-mark.ts'

const killSignal = 9
/** How often to check whether processes that a program left behind still run; no event reports it. */
const pollMs = 1000

/** Runs a program on the device over ADB's shell protocol. */
export async function exec(guest: PhoneGuest, spec: ExecSpec): Promise<MachineProcess> {
  spec.signal?.throwIfAborted()
  guest.requireUser(spec.user)
  const token = randomBytes(12).toString('hex')
  const mark = `\x1e${randomBytes(12).toString('hex')}`
  const { machine, home, env } = guest
  const script = execScript({ spec, machine, token, mark, home, env })
  const link = await guest.link()
  const shell = await startShell(link, script, spec.terminal)
  try {
    const { group, pid } = await beginning(shell, mark, spec)
    spec.signal?.throwIfAborted()
    return processOf(guest, shell, { token, mark, group, pid, spec })
  } catch (error) {
    shell.close()
    // The program may have started before the caller aborted.
    if (spec.signal?.aborted) void sweep(link, tokenVariable, token).catch(() => {})
    throw error
  }
}

interface Running {
  readonly token: string
  readonly mark: string
  readonly group: number
  readonly pid: number
  readonly spec: ExecSpec
}

function processOf(guest: PhoneGuest, shell: ShellProcess, running: Running): MachineProcess {
  const { token, mark, group, pid, spec } = running
  const stdout = shell.stdout.pipe(new UntilMark(mark))
  const stderr = shell.stderr.pipe(new UntilMark(mark))
  const codes = Promise.all(spec.terminal ? [stdout.trailer] : [stdout.trailer, stderr.trailer])
  const onDevice = async (work: (link: AdbLink) => Promise<unknown>) => {
    try {
      await work(await guest.link())
    } catch {
      // A device that is gone has no processes.
    }
  }
  const end = () => onDevice(link => sweep(link, tokenVariable, token))
  let hasEnded = false
  const exited = Promise.race([
    codes.then(([code]) => (code === undefined ? shell.exited : Number(code))),
    shell.exited,
  ]).then(code => {
    hasEnded = true
    return exitOf(code)
  })
  const over = exited.then(
    () => {},
    // The connection was lost, so nobody reads the output of the program any more.
    () => {
      hasEnded = true
      if (!spec.detached) void end()
    },
  )
  void over.then(async () => {
    await Promise.all([stdout.trailer, ...(spec.terminal ? [] : [stderr.trailer])])
    shell.close()
  })
  const released = Promise.withResolvers<void>()
  const gone = spec.whole
    ? Promise.race([released.promise, over.then(() => emptied(guest, token, released.promise))])
    : over
  const kill = (signal = killSignal) => {
    if (signal === killSignal) void end().then(() => released.resolve())
    else if (!hasEnded) void onDevice(link => run(link, `kill -${Math.trunc(signal)} -${group}`))
  }
  const onAbort = () => kill()
  spec.signal?.addEventListener('abort', onAbort, { once: true })
  void gone.then(() => spec.signal?.removeEventListener('abort', onAbort))
  return {
    pid,
    stdin: shell.stdin,
    stdout,
    stderr,
    exited,
    gone,
    kill,
    resize: size => shell.resize(size),
    release() {
      if (!hasEnded && !spec.detached) kill()
      else if (!hasEnded) shell.close()
      released.resolve()
    },
  }
}

/** Resolves when no process that the program started is left, or the caller has released it. */
async function emptied(guest: PhoneGuest, token: string, released: Promise<void>): Promise<void> {
  let isWanted = true
  void released.then(() => {
    isWanted = false
  })
  try {
    while (isWanted && (await isLeft(await guest.link(), tokenVariable, token)))
      await pause(pollMs, undefined, { ref: false })
  } catch {
    // A device that is gone has no processes.
  }
}

/** ADB reports a signal only as an exit code above 128. */
function exitOf(code: number): ProcessExit {
  return code > 128 && code <= 128 + 64 ? { code, signal: code - 128 } : { code }
}

const reasons = {
  missing: ['NOT_FOUND', 'No such file or directory'],
  kind: ['WRONG_KIND', 'Is of the wrong kind'],
  denied: ['DENIED', 'Permission denied'],
} as const

/** Waits for the first line, which the supervising shell prints. */
async function beginning(shell: ShellProcess, mark: string, spec: ExecSpec) {
  const line = (await readLine(shell.stdout, { signal: spec.signal, timeoutMs: answerTimeoutMs })) ?? ''
  const words = line.slice(line.indexOf(mark) + mark.length).split(' ')
  const [what, first = '', second] = words
  if (!line.includes(mark))
    throw new MachineError(
      'MACHINE_FAILED',
      `The device did not start a shell: ${line.slice(0, 200) || 'no output'}`,
    )
  if (what === 'up') return { group: Number(first), pid: Number(second) }
  const [code, reason] = reasons[first as keyof typeof reasons] ?? reasons.missing
  const [subject, path] =
    what === 'folder' ? ['working directory', spec.workingDirectory] : ['program', spec.executable]
  throw new MachineError(code, `the ${subject} cannot be used: ${reason}: ${path}`)
}
