import type { Sandglass } from '@sandglass/client'
import type { Context } from './context.ts'
import { CliError, UsageError } from './failures.ts'
import { findByName } from './find-by-name.ts'
import { imagesKind } from './image-kind.ts'
import { type LifecycleOptions, lifecycleOf } from './lifecycle-options.ts'
import { egressOf, type NewSandboxOptions } from './new-sandbox-options.ts'
import type { SandboxRecord } from './sandbox-view.ts'
import { type CreateCall, whenPrepared } from './when-prepared.ts'

type Options = NewSandboxOptions & LifecycleOptions

/** The longest that one call waits. */
const waitSeconds = 50

/** Creates a sandbox and waits until it runs. If the command is interrupted, nothing is left of it. */
export async function createSandbox(context: Context, options: Options): Promise<SandboxRecord> {
  if (options.image && options.shape)
    throw new UsageError('--shape and --image cannot be given together.', 'An image has a shape of its own.')
  const client = await context.client()
  const created = await whenPrepared(context, options.wait, call =>
    requestSandbox(client, context, options, call),
  )
  try {
    context.signal.throwIfAborted()
    return options.wait ? await untilRunning(client, created, context.signal) : created
  } catch (error) {
    if (context.signal.aborted) await deleteAgain(client, context, created.id)
    throw error
  }
}

/** Not with the signal: an answer that nobody reads would leave a sandbox that nobody knows. */
async function requestSandbox(
  client: Sandglass,
  context: Context,
  options: Options,
  call: CreateCall,
): Promise<SandboxRecord> {
  const { image, shape, name, label = [], env = [], life, volume, egress, screen, project } = options
  const choices = {
    labels: Object.fromEntries(label),
    env: Object.fromEntries(env),
    lifecycle: lifecycleOf(options),
    ...(project && { projectId: project }),
    ...(volume && { volumes: volume }),
    ...(egress && { egress: egressOf(egress) }),
    ...(screen && { screen }),
  }
  if (image) {
    const { id } = await findByName(image, imagesKind(client, context))
    const body = { ...choices, imageId: id, name: name ?? 'sandbox', maxLifeSeconds: life ?? 3600 }
    return (await client.createSandboxFromImage({ body }, call)).sandbox
  }
  const shapeName = shape ?? (await firstShape(client, context.signal))
  const body = {
    ...choices,
    shapeName,
    ...(name && { name }),
    ...(life !== undefined && { maxLifeSeconds: life }),
  }
  return client.createSandbox({ body }, call)
}

async function firstShape(client: Sandglass, signal: AbortSignal): Promise<string> {
  const [first] = await client.listShapes({}, { signal })
  if (!first)
    throw new CliError(
      'The organization may not use any shape.',
      'Ask the operator of the service for another plan.',
    )
  return first.name
}

async function untilRunning(
  client: Sandglass,
  created: SandboxRecord,
  signal: AbortSignal,
): Promise<SandboxRecord> {
  let sandbox = created
  while (sandbox.status === 'PENDING')
    sandbox = (await client.getSandbox({ sandboxId: created.id, wait: waitSeconds }, { signal })).sandbox
  if (sandbox.status === 'ERROR')
    throw new CliError(
      `Sandbox ${sandbox.id} could not start: ${sandbox.reason ?? 'no reason was given'}.`,
      `\`sandglass logs ${sandbox.id}\` shows what happened; \`sandglass sandbox delete ${sandbox.id}\` removes it.`,
    )
  return sandbox
}

/** Says which sandbox is left if it cannot be deleted. */
export async function deleteAgain(client: Sandglass, { stderr }: Context, sandboxId: string): Promise<void> {
  await client.deleteSandbox({ sandboxId }).then(
    () => stderr.write(`Deleted ${sandboxId} again.\n`),
    (error: Error) =>
      stderr.write(`Sandbox ${sandboxId} is left, because it could not be deleted: ${error.message}\n`),
  )
}
