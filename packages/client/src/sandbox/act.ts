import type { Acted, ActedBatch, ActedText } from './acted.ts'
import { actedBatchOf, actedOf } from './acted.ts'
import { type ActionInput, wireAction } from './action-input.ts'
import { type ObserveOptions, observationFields } from './observe-options.ts'
import type { Target } from './target.ts'

/** Performs one action in one request. */
export async function actOnce(
  { client, sandboxId }: Target,
  action: ActionInput,
  options: ObserveOptions = {},
): Promise<Acted> {
  const body = { action: wireAction(action), ...observationFields(options) }
  return actedOf(client, await client.executeSandboxAction({ sandboxId, body }, options), options.format)
}

/** Performs several actions in one request. */
export async function actAll(
  { client, sandboxId }: Target,
  actions: readonly ActionInput[],
  options: ObserveOptions = {},
): Promise<ActedBatch> {
  const body = { actions: actions.map(wireAction), ...observationFields(options) }
  return actedBatchOf(
    client,
    await client.executeSandboxActions({ sandboxId, body }, options),
    options.format,
  )
}

export interface RunTextOptions extends ObserveOptions {
  /** The size of the image that the model was given, if it differs from the screen. */
  readonly imageWidth?: number | undefined
  readonly imageHeight?: number | undefined
}

/** Performs what a model wrote in one request. */
export async function actText(
  { client, sandboxId }: Target,
  type: string,
  textContent: string,
  options: RunTextOptions = {},
): Promise<ActedText> {
  const { imageWidth, imageHeight } = options
  const body = {
    type,
    textContent,
    ...(imageWidth !== undefined && { imageWidth }),
    ...(imageHeight !== undefined && { imageHeight }),
    ...observationFields(options),
  }
  const result = await client.runModelText({ sandboxId, body }, options)
  const { actions, thoughts, memory, unknown, coordinates } = result
  const acted = await actedBatchOf(client, result, options.format)
  return { ...acted, actions, thoughts, memory, unknown, coordinates }
}
