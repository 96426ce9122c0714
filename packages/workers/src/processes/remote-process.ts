import type { Readable, Writable } from 'node:stream'
import type { ExecSpec, MachineProcess, ProcessExit, TerminalSize } from '@sandglass/machines/contract'
import type { Caller, Channel } from '@sandglass/rpc'
import { machineErrors, unreachable } from '../errors.ts'
import { type Order, unpackReport } from './messages.ts'
import type { processMethods } from './methods.ts'
import { type ProcessChannels, processChannels } from './process-channels.ts'

/** Starts a program in a machine whose worker is another process. */
export async function remoteExec(
  caller: Caller<typeof processMethods>,
  machine: string,
  { signal, ...program }: ExecSpec,
): Promise<MachineProcess> {
  const { channels, answer } = caller.start('processes.exec', { ...program, machine }, { signal })
  const named = processChannels(channels)
  named.stdin.resume()
  named.stdout.end()
  named.stderr.end()
  const { value: pid } = await answer
  const process = new RemoteProcess(pid, named, () => caller.close())
  const kill = () => process.kill()
  signal?.addEventListener('abort', kill, { once: true })
  void process.gone.then(() => signal?.removeEventListener('abort', kill))
  if (signal?.aborted) kill()
  return process
}

/** A program in a machine whose worker is another process. */
export class RemoteProcess implements MachineProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly #control: Channel
  readonly #exit = Promise.withResolvers<ProcessExit>()
  readonly exited = this.#exit.promise
  readonly #end = Promise.withResolvers<void>()
  readonly gone = this.#end.promise

  /** `distrust` is called if the worker reports what it must not. */
  constructor(pid: number, { stdin, stdout, stderr, control }: ProcessChannels, distrust: () => void) {
    this.pid = pid
    this.stdin = stdin
    this.stdout = stdout
    this.stderr = stderr
    this.#control = control
    // Callers that do not await the exit must not be crashed by the end of the machine.
    this.exited.catch(() => {})
    control.on('data', (message: Buffer) => {
      try {
        this.#receive(message)
      } catch (error) {
        this.#exit.reject(unreachable(error))
        distrust()
      }
    })
    control.once('end', () => control.end())
    control.once('close', () => {
      this.#exit.reject(control.errored ?? unreachable(undefined))
      this.#end.resolve()
    })
  }

  kill(signal = 9): void {
    this.#order({ kill: signal })
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#order({ resize: { columns, rows } })
  }

  release(): void {
    this.#order({ release: true })
  }

  #order(order: Order): void {
    if (this.#control.writable) this.#control.write(JSON.stringify(order))
  }

  #receive(message: Buffer): void {
    const report = unpackReport(message)
    if ('exited' in report) this.#exit.resolve(report.exited)
    else if ('failed' in report) this.#exit.reject(machineErrors.revive(report.failed))
    else this.#end.resolve()
  }
}
