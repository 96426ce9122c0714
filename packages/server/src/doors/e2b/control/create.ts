import { egressOf, labelsOf, NewSandbox } from '@sandglass/doors/e2b'
import * as protocol from '@sandglass/protocol'
import { ApiError, type Sandbox } from '@sandglass/protocol'
import { parseInput } from '../../../http/input.ts'
import type { DoorParts } from '../door-parts.ts'
import type { ControlCall } from './control-call.ts'
import { setLife } from './life.ts'
import { findTemplate, type Template } from './templates.ts'

/** The longest wait that one of our operations allows. A create waits on until the caller gives up. */
const waitSeconds = 60
/** The shortest life that an image's sandbox can be created with; it is shortened afterwards. */
const minImageLife = 300

/** Creates a sandbox of a template, and waits until it runs. */
export async function createSandbox(parts: DoorParts, call: ControlCall): Promise<Sandbox> {
  const asked = parseInput(NewSandbox, call.request.body ?? {}, 'body')
  requireSupported(asked)
  const template = await findTemplate(call, asked.templateID)
  const created = await create(call, template, asked)
  if (template.kind === 'image' && asked.timeout < minImageLife)
    await setLife(parts, call, created.id, asked.timeout)
  return await running(call, created)
}

async function create(call: ControlCall, template: Template, asked: NewSandbox): Promise<Sandbox> {
  const { templateID, timeout, metadata, envVars: env, autoPause, autoResume, network } = asked
  const labels = labelsOf(metadata, {
    template: templateID,
    onTimeout: autoPause ? 'pause' : 'kill',
  })
  const choices = {
    name: templateID.slice(0, 100),
    labels,
    env,
    egress: egressOf(network ?? {}, asked.allow_internet_access !== false),
    lifecycle: {
      onTimeout: autoPause ? ('pause' as const) : ('delete' as const),
      autoResume: autoResume?.enabled ?? false,
    },
    volumes: asked.volumeMounts,
    wait: waitSeconds,
  }
  const params = { orgId: call.orgId }
  if (template.kind === 'shape') {
    const body = { ...choices, shapeName: template.shapeName, maxLifeSeconds: Math.max(1, timeout) }
    return await call.native(protocol.createSandbox, { params, body })
  }
  const body = { ...choices, imageId: template.image.id, maxLifeSeconds: Math.max(minImageLife, timeout) }
  return (await call.native(protocol.createSandboxFromImage, { params, body })).sandbox
}

/** Waits until a new sandbox runs. One that cannot start is deleted, because its client never learns its id. */
export async function running(call: ControlCall, created: Sandbox): Promise<Sandbox> {
  const params = { orgId: call.orgId, sandboxId: created.id }
  let sandbox: Sandbox = created
  while (sandbox.status === 'PENDING' && !call.signal.aborted)
    sandbox = (await call.native(protocol.getSandbox, { params, query: { wait: waitSeconds } })).sandbox
  if (sandbox.status === 'RUNNING') return sandbox
  await call.native(protocol.deleteSandbox, { params })
  throw new ApiError('machine.FAILED', { message: sandbox.reason ?? 'The sandbox did not start.' })
}

function requireSupported({ mcp, iam }: NewSandbox): void {
  const field = mcp !== undefined ? 'mcp' : iam !== undefined ? 'iam' : undefined
  if (field)
    throw new ApiError('request.INVALID', {
      message: `${field} is not supported here.`,
      fields: { issues: [{ path: field, message: 'is not supported' }] },
    })
}
