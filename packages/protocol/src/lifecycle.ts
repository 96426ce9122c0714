import { z } from 'zod'
import { operation } from './operation.ts'

const onTimeout = z
  .enum(['delete', 'pause'])
  .describe(
    'What happens at expiresAt. A paused sandbox keeps its memory, or at least its files, and is not billed.',
  )
const onIdle = z
  .enum(['delete', 'pause'])
  .describe('What happens when the sandbox has been idle for idleSeconds.')
const autoResume = z
  .boolean()
  .describe(
    'Whether a call into the sandbox, a request to one of its mappings or a viewer wakes it if it is paused or hibernated.',
  )
export const IdleSeconds = z.int().min(10).max(86_400)
const aboutIdle =
  'A sandbox is idle if for this long nobody called it or used it in the live view, and nothing worked in it: no call, no shell, no traffic through a mapping or a tunnel, and no program that uses the processor.'

/** What happens to a sandbox when its time is up and when it is idle, and whether a call wakes it. */
export const Lifecycle = z
  .object({
    onTimeout,
    autoResume,
    idleSeconds: z.int().optional().describe(`${aboutIdle} Without it, a sandbox is never idle.`),
    onIdle,
  })
  .meta({ id: 'Lifecycle' })
export type Lifecycle = z.infer<typeof Lifecycle>

/** The rules of a new sandbox. What is left out is as it was before there were rules. */
export const NewLifecycle = z.object({
  onTimeout: onTimeout.default('delete'),
  autoResume: autoResume.default(false),
  idleSeconds: IdleSeconds.optional().describe(aboutIdle),
  onIdle: onIdle.default('delete'),
})

/** A change of the rules. What is left out stays as it is. */
export const LifecycleChange = z.object({
  onTimeout: onTimeout.optional(),
  autoResume: autoResume.optional(),
  idleSeconds: IdleSeconds.nullable().optional().describe(`${aboutIdle} null removes the rule.`),
  onIdle: onIdle.optional(),
})
export type LifecycleChange = z.infer<typeof LifecycleChange>

/** Whether `idleSeconds`, which is also a field of its own for earlier clients, is the same in both places. */
export function agreesOnIdle({
  idleSeconds,
  lifecycle,
}: {
  readonly idleSeconds?: number | undefined
  readonly lifecycle: { readonly idleSeconds?: number | undefined }
}): boolean {
  const { idleSeconds: rule } = lifecycle
  return idleSeconds === undefined || rule === undefined || idleSeconds === rule
}

export const disagreesOnIdle = {
  path: ['idleSeconds'],
  message: 'must equal lifecycle.idleSeconds or be omitted',
}

/** Applies a change to the rules of a sandbox. */
export function changedLifecycle(before: Lifecycle, change: LifecycleChange): Lifecycle {
  const { onTimeout = before.onTimeout, autoResume = before.autoResume, onIdle = before.onIdle } = change
  const idleSeconds =
    change.idleSeconds === undefined ? before.idleSeconds : (change.idleSeconds ?? undefined)
  return { onTimeout, autoResume, onIdle, ...(idleSeconds !== undefined && { idleSeconds }) }
}

/** What can fail before a call is inside a sandbox, which it may have to wake. */
export const enterErrors = [
  'sandbox.NOT_FOUND',
  'sandbox.STATE',
  'sandbox.LACKS_AGENT',
  'sandbox.UNREACHABLE',
  'sandbox.WAKING',
  'machine.NO_CAPACITY',
  'machine.FAILED',
] as const

export const changeSandboxLifecycle = operation({
  id: 'changeSandboxLifecycle',
  tag: 'Sandboxes',
  summary:
    'Change what happens to a sandbox when its time is up and when it is idle, and whether a call wakes it.',
  method: 'PATCH',
  path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/lifecycle',
  access: { to: 'organization', role: 'member', trial: true },
  body: LifecycleChange,
  response: Lifecycle,
  addition: true,
  examples: [{ body: { onTimeout: 'pause', autoResume: true } }],
  errors: ['sandbox.NOT_FOUND', 'node.GONE'],
})
