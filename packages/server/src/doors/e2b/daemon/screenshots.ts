import { text } from 'node:stream/consumers'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Looks } from '../../../modules/actions/looks.ts'
import { startProcess } from '../../../modules/processes/start-process.ts'
import type { Inside } from '../../../modules/sandboxes/sandbox-router.ts'

/** If the picture is not in the machine by then, the program takes it. */
const timeoutMs = 5000

/** What `scrot --pointer` shows, and in which format. */
const choice = { screenShotFormat: 'png', includePointer: true, longestSide: undefined } as const

/**
 * Puts pictures of screens into files of their machines, as the program `scrot` would. The service has the frame already, so this
 * takes a fraction of the time that a shell, the program and its encoder take.
 */
export class Screenshots {
  readonly #looks: Looks
  readonly #log: Logger
  /** Whether what a command finds as `scrot` is the program of Debian. */
  readonly #hasScrot = new WeakMap<RunningMachine, boolean>()

  constructor(looks: Looks, log: Logger) {
    this.#looks = looks
    this.#log = log
  }

  /**
   * Resolves when the file has a picture of what programs have drawn by now. Resolves to false if the program has to do it: if a
   * machine has another one of this name or none, if there is such a file, or if anything fails, because then the program says why.
   * Nothing is written before the attempt is recorded.
   */
  async put(inside: Omit<Inside, 'actor'>, path: string, recorded: Promise<void>): Promise<boolean> {
    if (!this.#isUsual(inside.machine)) return false
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const [picture] = await Promise.all([this.#taken(inside, signal), recorded])
      await inside.machine.files.create(path, picture, { signal })
      return true
    } catch (error) {
      this.#log.debug({ sandbox: inside.sandbox.id, error }, 'a program takes the screenshot instead')
      return false
    }
  }

  async #taken(inside: Omit<Inside, 'actor'>, signal: AbortSignal): Promise<Buffer> {
    const picture = await this.#looks.picture(inside, choice, signal)
    return (await picture.bytes()).body
  }

  /** Finds out about a machine when it is first asked about, and answers no until that is known. */
  #isUsual(machine: RunningMachine): boolean {
    const known = this.#hasScrot.get(machine)
    if (known !== undefined) return known
    this.#hasScrot.set(machine, false)
    whatIs('scrot', machine).then(
      found => this.#hasScrot.set(machine, found === '/usr/bin/scrot\n'),
      () => this.#hasScrot.delete(machine),
    )
    return false
  }
}

/** Returns the path of a program as a login shell finds it, followed by a newline. */
async function whatIs(name: string, machine: RunningMachine): Promise<string> {
  const process = await startProcess(machine, {
    executable: '/bin/bash',
    args: ['-l', '-c', `command -v ${name}`],
  })
  process.stdin.end()
  process.stderr.resume()
  return await text(process.stdout)
}
