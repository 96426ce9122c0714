import { defaultTimeoutSeconds, Seconds, stateOf, timeoutIn } from '@sandglass/doors/e2b'
import * as protocol from '@sandglass/protocol'
import { ApiError, type Sandbox } from '@sandglass/protocol'
import { z } from 'zod'
import { parseInput } from '../../../http/input.ts'
import type { DoorParts } from '../door-parts.ts'
import type { ControlCall } from './control-call.ts'
import { running } from './create.ts'
import { findSandbox } from './find.ts'
import { setLife } from './life.ts'

const ConnectBody = z.object({
  timeout: Seconds.default(defaultTimeoutSeconds),
  memory: z.boolean().optional(),
})
const PauseBody = z.object({ memory: z.boolean().nullish() })

/** Pauses a sandbox. It is kept whatever happens to it otherwise when its time is up, until a client connects to it. */
export async function pause(call: ControlCall): Promise<void> {
  const { memory } = parseInput(PauseBody, call.request.body ?? {}, 'body')
  const { sandbox, state } = await findSandbox(call)
  if (state === 'paused') throw new ApiError('sandbox.STATE', { message: 'The sandbox is paused already.' })
  const { sandbox: params } = call
  if (timeoutIn(sandbox.labels) !== undefined)
    await call.native(protocol.changeSandboxLifecycle, { params, body: { onTimeout: 'pause' } })
  await call.native(memory === false ? protocol.hibernateSandbox : protocol.pauseSandbox, { params })
}

/** Wakes a sandbox if it is paused, and lets it live at least for the timeout of the client. */
export async function connect(
  parts: DoorParts,
  call: ControlCall,
): Promise<{ readonly sandbox: Sandbox; readonly isResumed: boolean }> {
  const { timeout, memory } = parseInput(ConnectBody, call.request.body ?? {}, 'body')
  const { sandbox, state } = await findSandbox(call)
  if (state === 'paused') {
    await resume(call, sandbox, memory === false)
    await setLife(parts, call, sandbox.id, timeout)
  } else if (Date.parse(sandbox.expiresAt) < parts.sandboxes.clock.now() + timeout * 1000)
    await setLife(parts, call, sandbox.id, timeout)
  return { sandbox: (await findSandbox(call)).sandbox, isResumed: state === 'paused' }
}

async function resume(call: ControlCall, sandbox: Sandbox, withoutMemory: boolean): Promise<void> {
  const { sandbox: params } = call
  await call.native(withoutMemory ? protocol.restartSandbox : protocol.resumeSandbox, { params })
  const { sandbox: awake } = await call.native(protocol.getSandbox, { params })
  if (stateOf(awake) === 'running') await running(call, awake)
  const rule = timeoutIn(sandbox.labels)
  if (rule === 'kill')
    await call.native(protocol.changeSandboxLifecycle, { params, body: { onTimeout: 'delete' } })
}
