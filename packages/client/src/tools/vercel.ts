import type { CallOptions } from '../call-options.ts'
import { type FunctionTool, otherTools, screenTool } from './function-tools.ts'
import type { Outcome } from './outcome.ts'
import type { ToolOptions, ToolTarget } from './target.ts'
import { ToolMachine } from './tool-machine.ts'
import { type VercelSchema, vercelSchema } from './vercel-schema.ts'

/** A tool as the AI SDK takes it, from version 6. */
export interface VercelTool {
  description: string
  inputSchema: VercelSchema
  execute(input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<Outcome>
  toModelOutput(options: { readonly output: Outcome }): VercelOutput
}

/** What the model is told. */
export type VercelOutput =
  | { type: 'error-text'; value: string }
  | {
      type: 'content'
      value: ({ type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string })[]
    }

/**
 * Gives a model a computer or a phone, through Vercel's AI SDK.
 *
 * @example
 * const { text } = await generateText({ model, tools: await vercelTools(box), stopWhen: stepCountIs(50), prompt })
 */
export async function vercelTools(
  target: ToolTarget,
  options: ToolOptions = {},
  call: CallOptions = {},
): Promise<Record<string, VercelTool>> {
  const machine = await ToolMachine.open(target, options, call)
  const tools = [screenTool(machine), ...otherTools(machine, options)]
  return Object.fromEntries(tools.map(tool => [tool.name, vercelTool(tool)]))
}

function vercelTool({ description, parameters, run }: FunctionTool): VercelTool {
  return {
    description,
    inputSchema: vercelSchema(parameters),
    execute: (input, { abortSignal } = {}) => run(input, { signal: abortSignal }),
    toModelOutput: ({ output }) => outputOf(output),
  }
}

function outputOf({ text, picture, isError }: Outcome): VercelOutput {
  if (isError) return { type: 'error-text', value: text }
  return {
    type: 'content',
    value: [
      { type: 'text', text },
      ...(picture
        ? [{ type: 'image-data', data: picture.base64, mediaType: picture.mediaType } as const]
        : []),
    ],
  }
}
