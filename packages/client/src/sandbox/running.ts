import type * as protocol from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { ServerError } from '../errors.ts'
import { Deadline } from './deadline.ts'
import type { Target } from './target.ts'

/** What the service knows about a sandbox. */
export type SandboxInfo = protocol.Sandbox

/** As long as a call waits for a sandbox. Shorter than the minute after which proxies give up. */
export const waitSeconds = 50

/** Resolves when a sandbox runs. The service waits, so there is no polling. */
export async function untilRunning(
  { client, sandboxId }: Target,
  options: CallOptions = {},
  known?: SandboxInfo,
): Promise<SandboxInfo> {
  const deadline = new Deadline(options)
  let info = known
  while (!info || info.status === 'PENDING') {
    const answer = await client.getSandbox({ sandboxId, wait: waitSeconds }, deadline.next('The start'))
    info = answer.sandbox
  }
  if (info.status === 'RUNNING') return info
  const reason = info.reason === undefined ? '' : ` ${info.reason}`
  throw new ServerError(`The sandbox ${info.id} does not run, it is ${info.status}.${reason}`, {
    code: 'client.NOT_RUNNING',
    fields: { sandboxId, status: info.status },
  })
}
