import type { CallOptions } from '../call-options.ts'
import { NotFoundError, SandglassError } from '../errors.ts'
import type { Input } from '../operations.ts'
import type { SandglassOptions } from '../options.ts'
import { Sandglass } from '../sandglass.ts'
import { Deadline } from './deadline.ts'
import { type SandboxInfo, untilRunning, waitSeconds } from './running.ts'
import type { Target } from './target.ts'

type Body = NonNullable<Input<'createSandbox'>['body']>
type Choices = Pick<Body, 'env' | 'labels' | 'screen' | 'lifecycle' | 'volumes' | 'egress' | 'projectId'>

/** Which service to use. */
export interface ClientOptions extends SandglassOptions {
  /** A client that is used in place of a new one. */
  readonly client?: Sandglass | undefined
}

/** What a new sandbox is. Everything has a default. */
export interface CreateOptions extends ClientOptions, Choices {
  /** The kind of machine. The usual desktop or phone of the service by default. */
  readonly shape?: string | undefined
  /** The id of an image, whose disk and shape the sandbox has. */
  readonly image?: string | undefined
  readonly name?: string | undefined
  /** After how long it is deleted, or paused if `lifecycle` says so. An hour by default. */
  readonly lifeSeconds?: number | undefined
}

/** The shape that is taken if none is named. */
export interface UsualShape {
  readonly name: string
  /** If there is none of that name, the first shape with this system. */
  readonly os: 'Linux' | 'Android'
}

export interface Created {
  readonly client: Sandglass
  readonly info: SandboxInfo
}

export function clientOf({ client, ...options }: ClientOptions): Sandglass {
  return client ?? new Sandglass(options)
}

/** Creates a sandbox and waits until it runs, usually in one request. One that does not run in time is deleted. */
export async function createRunning(
  options: CreateOptions,
  usual: UsualShape,
  call: CallOptions,
): Promise<Created> {
  const client = clientOf(clientOptionsOf(options))
  const deadline = new Deadline(call)
  const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID()
  const create = (shape: string) =>
    createOne(client, options, shape, { ...deadline.next('The start'), idempotencyKey })
  let info: SandboxInfo
  let shape = options.shape ?? usual.name
  try {
    info = await create(shape).catch(async error => {
      if (options.shape !== undefined || options.image !== undefined || !isShapeMissing(error)) throw error
      shape = await usualShapeOf(client, usual, deadline.next('The start'))
      return create(shape)
    })
  } catch (error) {
    // The service may have created it although its answer was not awaited, and would keep it for an hour.
    if (isUnknown(error, call)) deleteUnanswered(client, options, shape, idempotencyKey)
    throw error
  }
  const target = { client, sandboxId: info.id }
  try {
    return { client, info: await untilRunning(target, deadline.next('The start'), info) }
  } catch (error) {
    deleteQuietly(target)
    throw error
  }
}

async function createOne(
  client: Sandglass,
  options: CreateOptions,
  shapeName: string,
  call: CallOptions,
): Promise<SandboxInfo> {
  const { image: imageId, name = 'sandbox', lifeSeconds: maxLifeSeconds = 3600 } = options
  const common = { name, maxLifeSeconds, wait: waitSeconds, ...choicesOf(options) }
  if (imageId === undefined) return client.createSandbox({ body: { ...common, shapeName } }, call)
  const { sandbox } = await client.createSandboxFromImage({ body: { ...common, imageId } }, call)
  return sandbox
}

function choicesOf({ env, labels, screen, lifecycle, volumes, egress, projectId }: CreateOptions): Choices {
  return {
    ...(env && { env }),
    ...(labels && { labels }),
    ...(screen && { screen }),
    ...(lifecycle && { lifecycle }),
    ...(volumes && { volumes }),
    ...(egress !== undefined && { egress }),
    ...(projectId !== undefined && { projectId }),
  }
}

function clientOptionsOf(options: CreateOptions): ClientOptions {
  const { client, url, orgId, apiKey, fetch, timeoutMs, retries, headers } = options
  return { client, url, orgId, apiKey, fetch, timeoutMs, retries, headers }
}

function isShapeMissing(error: unknown): boolean {
  return error instanceof SandglassError && error.code === 'shape.NOT_FOUND'
}

async function usualShapeOf(client: Sandglass, { name, os }: UsualShape, call: CallOptions): Promise<string> {
  const shapes = await client.listShapes({}, call)
  const found = shapes.find(shape => shape.os === os)
  if (found) return found.name
  throw new NotFoundError(
    `The service has neither the shape ${name} nor another one with ${os}. It has: ` +
      `${shapes.map(shape => shape.name).join(', ') || 'none'}. Pass shape.`,
    { code: 'shape.NOT_FOUND' },
  )
}

/** Whether a create may have been done that failed for its caller. */
function isUnknown(error: unknown, { signal }: CallOptions): boolean {
  if (signal?.aborted) return true
  return error instanceof SandglassError && ['client.TIMEOUT', 'client.DISCONNECTED'].includes(error.code)
}

/** The same create with the same key answers with the sandbox of the first one. */
function deleteUnanswered(
  client: Sandglass,
  options: CreateOptions,
  shapeName: string,
  idempotencyKey: string,
): void {
  createOne(client, options, shapeName, { idempotencyKey, timeoutMs: 120_000 })
    .then(({ id }) => client.deleteSandbox({ sandboxId: id }))
    .catch(() => {})
}

function deleteQuietly({ client, sandboxId }: Target): void {
  client.deleteSandbox({ sandboxId }).catch(() => {})
}
