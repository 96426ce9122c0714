import { Readable } from 'node:stream'
import { MachineError } from '../../../../contract/errors.ts'
import type { GuestProfile } from '../../../../contract/guest-profile.ts'
import type { ExecSpec, MachineProcess, ProcessExit } from '../../../../contract/process.ts'
import type { GuestAgent } from './guest-agent.ts'
import { ProgramInput } from './program-input.ts'
import { awaitProgram, startProgram } from './run-program.ts'
import { refusals, startScripts } from './start-scripts.ts'

const killSignal = 9
const what = 'processes'

/**
 * Runs a program with QEMU's guest agent. The agent takes the input of a program together with its start, and passes its
 * output on when it has ended. So the program starts when its input has ended, and `pid` is not known before.
 */
export async function exec(agent: GuestAgent, guest: GuestProfile, spec: ExecSpec): Promise<MachineProcess> {
  spec.signal?.throwIfAborted()
  requireSupported(guest, spec)
  const scripts = startScripts(guest)
  const conversation = await agent.begin(what, spec.signal)
  const { ask } = conversation
  try {
    const check = scripts.check?.(spec)
    const refusal = check && refusals.get((await awaitProgram(ask, await startProgram(ask, check))).code)
    if (refusal) throw refusal(spec)
  } catch (error) {
    conversation.close()
    throw error
  }
  // From here on the signal kills the program, and the conversation goes on until it has ended.
  conversation.close()
  const input = new ProgramInput()
  const killed = Promise.withResolvers<ProcessExit>()
  let pid: number | undefined
  let hasEnded = false
  const [stdout, stderr] = [output(), output()]
  const run = async (): Promise<ProcessExit> => {
    const content = await Promise.race([input.content, killed.promise])
    if ('code' in content) return content
    return await agent.with(what, undefined, async ask => {
      pid = await startProgram(ask, scripts.start(spec), content)
      const { stdout: out, stderr: err, ...exit } = await awaitProgram(ask, pid)
      stdout.push(out)
      stderr.push(err)
      return exit
    })
  }
  const kill = (signal = killSignal) => {
    if (hasEnded) return
    if (pid === undefined) return killed.resolve({ code: 128 + signal, signal })
    const command = scripts.kill(pid, signal)
    void agent.with(what, undefined, ask => startProgram(ask, command)).catch(() => {})
  }
  const abort = () => kill()
  spec.signal?.addEventListener('abort', abort, { once: true })
  if (spec.signal?.aborted) abort()
  const exited = run().finally(() => {
    hasEnded = true
    spec.signal?.removeEventListener('abort', abort)
    input.stdin.destroy()
    for (const stream of [stdout, stderr]) stream.push(null)
  })
  const gone = exited.then(
    () => {},
    () => {},
  )
  return {
    pid: 0,
    stdin: input.stdin,
    stdout,
    stderr,
    exited,
    gone,
    kill,
    resize: () => {},
    release: () => {
      if (!spec.detached) kill()
    },
  }
}

function output(): Readable {
  return new Readable({ read: () => {} })
}

function requireSupported(
  guest: GuestProfile,
  { executable, args = [], env = {}, terminal, user }: ExecSpec,
): void {
  if (terminal)
    throw new MachineError(
      'LACKS_AGENT',
      "The system in this machine has no agent of ours, and QEMU's guest agent has no terminals. Run the command without a terminal.",
    )
  if (
    executable === '' ||
    [executable, ...args, ...Object.entries(env).flat()].some(text => text.includes('\0'))
  )
    throw new MachineError(
      'INVALID',
      'the program must have a name, and neither it nor its arguments or environment may contain NUL',
    )
  const name = Object.keys(env).find(name => name === '' || name.includes('='))
  if (name !== undefined)
    throw new MachineError('INVALID', `${JSON.stringify(name)} is no name of a variable`)
  requireUser(guest, user)
}

/** QEMU's guest agent acts as one user. */
export function requireUser(guest: GuestProfile, user: string | undefined): void {
  if (user !== undefined && user !== guest.user)
    throw new MachineError('INVALID', `the agent in this machine acts as ${guest.user} only, not as ${user}`)
}
