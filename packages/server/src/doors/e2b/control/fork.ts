import { defaultTimeoutSeconds, Seconds } from '@sandglass/doors/e2b'
import { errors, forkSandbox, type Sandbox } from '@sandglass/protocol'
import { z } from 'zod'
import { parseInput } from '../../../http/input.ts'
import type { ControlCall } from './control-call.ts'
import { running } from './create.ts'

const ForkBody = z.object({
  timeout: Seconds.default(defaultTimeoutSeconds),
  count: z.int().min(1).max(20).default(1),
})

/** Forks a sandbox, and waits until the forks run. Each fork can fail on its own. */
export async function fork<View>(call: ControlCall, view: (sandbox: Sandbox) => View) {
  const { timeout, count } = parseInput(ForkBody, call.request.body ?? {}, 'body')
  const { results } = await call.native(forkSandbox, {
    params: call.sandbox,
    body: { count, maxLifeSeconds: Math.max(1, timeout) },
  })
  return await Promise.all(
    results.map(async result => {
      if ('error' in result)
        return { error: { code: statusOf(result.error.code), message: result.error.message } }
      try {
        return { sandbox: view(await running(call, result.sandbox)) }
      } catch (error) {
        return { error: { code: 500, message: error instanceof Error ? error.message : 'The fork failed.' } }
      }
    }),
  )
}

/** The status with which our own operations report this error. */
function statusOf(code: string): number {
  return Object.entries(errors).find(([name]) => name === code)?.[1].status ?? 500
}
