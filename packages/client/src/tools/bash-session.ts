import { parseArguments } from '@sandglass/protocol/tools'
import { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import { done, type Outcome } from './outcome.ts'
import { runCommand } from './run-command.ts'
import type { ToolTarget } from './target.ts'

const timeoutSeconds = 240

const Input = z.union([
  z.object({ command: z.string().min(1).max(100_000) }),
  z.object({ restart: z.literal(true) }),
])

/**
 * Commands that follow one another as in one shell: the folder, exported variables and functions of one are there for the next. They
 * are kept in a file of the machine between the commands, so that a command that does not end does not end the session.
 */
export class BashSession {
  readonly #target: ToolTarget
  readonly #state = `/tmp/.sandglass-${crypto.randomUUID()}`

  constructor(target: ToolTarget) {
    this.#target = target
  }

  async run(given: unknown, call: CallOptions = {}): Promise<Outcome> {
    const input = parseArguments({ name: 'bash', input: Input }, given)
    if ('command' in input) return this.#bash(`${this.#resume}\n${input.command}`, call)
    await this.#bash(`rm -f ${this.#state}`, call)
    return done('The shell was restarted.')
  }

  #bash(command: string, call: CallOptions): Promise<Outcome> {
    return runCommand(this.#target, { command, timeoutSeconds }, call)
  }

  /** The trap also saves the state if the command exits. */
  get #resume(): string {
    const save = `{ declare -px; declare -f; printf 'cd %q\\n' "$PWD"; } > ${this.#state}`
    return `[ -f ${this.#state} ] && . ${this.#state} 2>/dev/null; trap ${quoted(save)} EXIT`
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
