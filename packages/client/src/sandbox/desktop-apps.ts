import type { Application } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { NotFoundError, ServerError } from '../errors.ts'
import { Deadline } from './deadline.ts'
import { runProgram } from './run.ts'
import type { Target } from './target.ts'

const pollMs = 500
/** Starts a program that goes on by itself. 127 means, as in every shell, that there is none of this name. */
const openScript = 'command -v "$1" >/dev/null || exit 127; setsid "$@" >/dev/null 2>&1 </dev/null &'

export interface InstallOptions extends CallOptions {
  /** Called with every change: `{ step, fetched, total, percent … }`. */
  readonly onProgress?: ((detail: unknown) => void) | undefined
}

/** The applications of a desktop. */
export class DesktopApps {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /**
   * Lists the applications that can be installed.
   *
   * @example
   * for (const { id, name } of await box.apps.list()) console.log(id, name)
   */
  list(options: CallOptions = {}): Promise<readonly Application[]> {
    return this.#target.client.listApplications({}, options)
  }

  /**
   * Installs an application, and resolves when that is done.
   *
   * @example
   * await box.apps.install('libreoffice', { onProgress: detail => console.log(detail) })
   */
  async install(appId: string, options: InstallOptions = {}): Promise<void> {
    const { client, sandboxId } = this.#target
    const deadline = new Deadline(options)
    const what = `The installation of ${appId}`
    const { operationId } = await client.installSandboxApplication({ sandboxId, appId }, deadline.next(what))
    for (let last = ''; ; await deadline.pause(pollMs)) {
      const { status, detail } = await client.getSandboxApplicationOperation(
        { sandboxId, operationId },
        deadline.next(what),
      )
      const shown = JSON.stringify(detail)
      if (shown !== last) options.onProgress?.(detail)
      last = shown
      if (status === 'SUCCEEDED') return
      if (status === 'FAILED' || status === 'CANCELLED')
        throw new ServerError(`${what} did not succeed: ${reasonIn(detail)}`, {
          code: 'client.NOT_INSTALLED',
        })
    }
  }

  /**
   * Starts a program, which goes on by itself.
   *
   * @example
   * await box.apps.open('chromium', ['https://example.org'])
   */
  async open(program: string, args: readonly string[] = [], options: CallOptions = {}): Promise<void> {
    const { exitCode } = await runProgram(
      this.#target,
      ['sh', '-c', openScript, 'sh', program, ...args],
      options,
    )
    if (exitCode === 127)
      throw new NotFoundError(`There is no program ${program} in the sandbox. apps.install may have it.`, {
        code: 'client.NO_PROGRAM',
      })
  }
}

function reasonIn(detail: unknown): string {
  const { reason } = (detail ?? {}) as { reason?: unknown }
  return typeof reason === 'string' ? reason : 'no reason is known.'
}
