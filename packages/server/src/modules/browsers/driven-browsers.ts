import {
  type BrowserChoices,
  type BrowserEndpoint,
  browserExitCodes,
  noBrowserExitCode,
} from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { runProcess } from '../processes/run-process.ts'

/** The guest itself gives up earlier, and says why. */
const startSeconds = 180
const stopSeconds = 60

/** The browsers that programs drive in the machines of this process. */
export class DrivenBrowsers {
  /** Calls that come at the same time share one start. */
  readonly #starting = new WeakMap<RunningMachine, Promise<BrowserEndpoint>>()

  /** Starts the browser of a machine unless it runs, with whichever options. */
  running(machine: RunningMachine): Promise<BrowserEndpoint> {
    const starting = this.#starting.get(machine)
    if (starting) return starting
    const started = start(machine).finally(() => this.#starting.delete(machine))
    this.#starting.set(machine, started)
    return started
  }

  /** Starts the browser of a machine, or throws `browser.RUNNING` if it runs with other options. */
  startWith(machine: RunningMachine, choices: BrowserChoices): Promise<BrowserEndpoint> {
    return start(machine, choices)
  }

  async stop(machine: RunningMachine): Promise<void> {
    const { browser } = machine.guest
    if (!browser) return
    const { executable, args } = browser.stop
    const { exitCode, stderrBase64 } = await run(machine, { executable, args, timeoutSeconds: stopSeconds })
    if (exitCode !== 0) throw failed(lastLineOf(stderrBase64))
  }
}

async function start(machine: RunningMachine, choices?: BrowserChoices): Promise<BrowserEndpoint> {
  const { browser } = machine.guest
  if (!browser || machine.isPhone) throw new ApiError('browser.UNAVAILABLE')
  const { executable, args } = browser.start(choices)
  const { exitCode, stdoutBase64, stderrBase64 } = await run(machine, {
    executable,
    args,
    timeoutSeconds: startSeconds,
  })
  if (exitCode === noBrowserExitCode) throw new ApiError('browser.UNAVAILABLE')
  if (exitCode === browserExitCodes.isOtherwise) throw new ApiError('browser.RUNNING')
  const reason = lastLineOf(stderrBase64)
  if (exitCode === browserExitCodes.invalidChoice)
    throw new ApiError('browser.INVALID', { message: `The browser cannot use these options: ${reason}.` })
  const endpoint = exitCode === 0 ? browser.endpointIn(textOf(stdoutBase64)) : undefined
  if (!endpoint) throw failed(reason)
  return endpoint
}

/** Goes on when a caller disconnects, because others may wait for the same browser. */
async function run(
  machine: RunningMachine,
  { args, ...command }: { executable: string; args: readonly string[]; timeoutSeconds: number },
): ReturnType<typeof runProcess> {
  try {
    return await runProcess(machine, { ...command, args: [...args] }, new AbortController().signal)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'process.CANNOT_START')
      throw new ApiError('browser.UNAVAILABLE', { cause: error })
    throw error
  }
}

function failed(reason: string): ApiError {
  const message = reason === '' ? undefined : `The browser of the sandbox did not start: ${reason}`
  return new ApiError('browser.FAILED', { message })
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString()
}

/** Programs in the machine can print anything. */
function lastLineOf(base64: string): string {
  const [last = ''] = textOf(base64).trimEnd().split('\n').slice(-1)
  return last
    .replaceAll(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(0, 300)
}
