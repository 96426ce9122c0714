import type { CallOptions } from '../call-options.ts'
import { ServerError } from '../errors.ts'
import type { LifecycleChange } from './base-sandbox.ts'
import { Deadline } from './deadline.ts'
import { untilRunning } from './running.ts'
import type { Target } from './target.ts'

export interface ForkOptions extends CallOptions {
  /** The name of the forks. That of the sandbox by default. */
  readonly name?: string | undefined
  /** An hour by default. */
  readonly lifeSeconds?: number | undefined
  /** Whether its programs continue in the forks. Only virtual machines can do that. */
  readonly memory?: boolean | undefined
  /** Changes to the rules of the sandbox. */
  readonly lifecycle?: LifecycleChange | undefined
}

/** Forks a sandbox, and returns the ids of the forks once all of them run. If one fails, the others are deleted. */
export async function forkRunning(target: Target, count: number, options: ForkOptions): Promise<string[]> {
  const { client, sandboxId } = target
  const { name, lifeSeconds, lifecycle, memory, ...call } = options
  const deadline = new Deadline(call)
  const body = {
    ...(memory !== undefined && { memory }),
    count,
    ...(name !== undefined && { name }),
    ...(lifeSeconds !== undefined && { maxLifeSeconds: lifeSeconds }),
    ...(lifecycle && { lifecycle }),
  }
  const { results } = await client.forkSandbox({ sandboxId, body }, deadline.next('The fork'))
  const made = results.flatMap(result => ('sandbox' in result ? [result.sandbox] : []))
  try {
    for (const result of results)
      if ('error' in result) throw new ServerError(result.error.message, { code: result.error.code })
    await Promise.all(
      made.map(info => untilRunning({ client, sandboxId: info.id }, deadline.next('The fork'), info)),
    )
    return made.map(({ id }) => id)
  } catch (error) {
    for (const { id } of made) client.deleteSandbox({ sandboxId: id }).catch(() => {})
    throw error
  }
}
