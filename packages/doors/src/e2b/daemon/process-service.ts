import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import type { TerminalSize } from '@sandglass/machines/contract'
import {
  type Process,
  type ProcessEventSchema,
  type ProcessInput,
  type ProcessSelector,
  type PTY,
  Signal,
  StartResponseSchema,
} from '../proto/process_pb.js'
import type { Program, ProgramChoice, ProgramEnd } from './programs.ts'
import { keepaliveMs, requireDaemon } from './request.ts'

type Event = MessageInitShape<typeof ProcessEventSchema>

/** The programs of a sandbox for clients of the Connect protocol. */
export const processService: ServiceImpl<typeof Process> = {
  list(_request, context) {
    const { programs } = requireDaemon(context)
    return {
      processes: programs.list().map(({ pid, tag, executable, args, env, workingDirectory }) => ({
        pid,
        ...(tag !== undefined && { tag }),
        config: {
          cmd: executable,
          args: [...args],
          envs: { ...env },
          ...(workingDirectory !== undefined && { cwd: workingDirectory }),
        },
      })),
    }
  },

  async *start({ process, pty, tag, stdin }, context) {
    const daemon = requireDaemon(context)
    if (!process?.cmd) throw new ConnectError('process.cmd is required.', Code.InvalidArgument)
    const asked = {
      executable: process.cmd,
      args: process.args,
      env: process.envs,
      workingDirectory: process.cwd || undefined,
      tag,
      terminal: pty && sizeOf(pty),
      // Clients of early versions do not say whether they will send input, and may.
      takesInput: stdin ?? true,
      timeoutMs: context.timeoutMs(),
    }
    const program = await daemon.programs.start(asked, daemon.record())
    for await (const event of eventsOf(program, 'start', context))
      yield create(StartResponseSchema, { event })
  },

  async *connect({ process }, context) {
    const program = requireDaemon(context).programs.find(choiceOf(process))
    for await (const event of eventsOf(program, 'now', context)) yield { event }
  },

  update({ process, pty }, context) {
    const program = requireDaemon(context).programs.find(choiceOf(process))
    if (pty) program.resize(sizeOf(pty))
    return {}
  },

  async streamInput(requests, context) {
    let program: Program | undefined
    for await (const { event } of requests) {
      if (event.case === 'start')
        program = requireDaemon(context).programs.find(choiceOf(event.value.process))
      if (event.case !== 'data') continue
      if (!program) throw new ConnectError('The first message must name a process.', Code.InvalidArgument)
      program.write(bytesOf(event.value.input))
    }
    return {}
  },

  sendInput({ process, input }, context) {
    requireDaemon(context).programs.find(choiceOf(process)).write(bytesOf(input))
    return {}
  },

  async sendSignal({ process, signal }, context) {
    const daemon = requireDaemon(context)
    const program = daemon.programs.find(choiceOf(process))
    if (signal !== Signal.SIGKILL && signal !== Signal.SIGTERM)
      throw new ConnectError('signal must be SIGKILL or SIGTERM.', Code.InvalidArgument)
    await daemon.record()
    program.kill(signal)
    return {}
  },

  closeStdin({ process }, context) {
    requireDaemon(context).programs.find(choiceOf(process)).closeInput()
    return {}
  },
}

async function* eventsOf(
  program: Program,
  from: 'start' | 'now',
  context: HandlerContext,
): AsyncGenerator<Event> {
  const { pid, hasTerminal } = program
  const idleMs = keepaliveMs(context.requestHeader)
  // Begin to read before the first event is sent, because output that nobody reads may be dropped.
  const parts = program.output(from, { idleMs, signal: context.signal })
  yield { event: { case: 'start', value: { pid } } }
  for await (const part of parts) {
    if (!part) yield { event: { case: 'keepalive', value: {} } }
    else if (part.kind === 'end') yield { event: { case: 'end', value: endOf(part) } }
    else {
      const output = { case: hasTerminal ? ('pty' as const) : part.kind, value: part.bytes }
      yield { event: { case: 'data', value: { output } } }
    }
  }
}

const signalNames: Readonly<Record<number, string>> = {
  1: 'hangup',
  2: 'interrupt',
  6: 'aborted',
  9: 'killed',
  11: 'segmentation fault',
  13: 'broken pipe',
  15: 'terminated',
}

/** A program that a signal ended has no exit code of its own, which clients know as -1. */
function endOf({ code, signal }: ProgramEnd) {
  const status = signal === undefined ? `exit status ${code}` : `signal: ${signalNames[signal] ?? signal}`
  const exitCode = signal === undefined ? code : -1
  return { exitCode, exited: signal === undefined, status, ...(exitCode !== 0 && { error: status }) }
}

function choiceOf(process: ProcessSelector | undefined): ProgramChoice {
  const selector = process?.selector
  if (selector?.case === 'pid') return { pid: selector.value }
  if (selector?.case === 'tag') return { label: selector.value }
  throw new ConnectError('process must have a pid or a tag.', Code.InvalidArgument)
}

function bytesOf(input: ProcessInput | undefined): Uint8Array {
  return input?.input.value ?? new Uint8Array()
}

function sizeOf({ size }: PTY): TerminalSize {
  const { cols = 0, rows = 0 } = size ?? {}
  const isSize = cols >= 1 && rows >= 1 && cols <= 1000 && rows <= 1000
  if (!isSize) throw new ConnectError('pty.size must have 1 to 1000 cols and rows.', Code.InvalidArgument)
  return { columns: cols, rows }
}
