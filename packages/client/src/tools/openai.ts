import type { CallOptions } from '../call-options.ts'
import { type FunctionTool, otherTools, screenTool } from './function-tools.ts'
import { type Acknowledge, runComputerCall } from './openai-computer.ts'
import type { OpenaiInputItem, OpenaiOutputItem, OpenaiToolDefinition } from './openai-shapes.ts'
import type { Outcome } from './outcome.ts'
import type { RunOptions, ToolOptions, ToolTarget } from './target.ts'
import { ToolMachine } from './tool-machine.ts'

export interface OpenaiOptions extends ToolOptions {
  /**
   * Which of OpenAI's computer tools the model is given; `function` is our own `computer-use` or `mobile-use`, for models that know
   * none of them. `computer` by default, and `function` for a phone.
   */
  readonly computer?: 'computer' | 'computer_use_preview' | 'function' | undefined
  /**
   * Called when the API wants a confirmation before the actions of a call are performed. Without it, or if it returns false,
   * nothing is done and `run` throws a `SafetyCheckError`.
   */
  readonly acknowledge?: Acknowledge | undefined
}

/** Tools for OpenAI's Responses API. */
export interface OpenaiTools {
  /** For `tools`. */
  readonly definitions: OpenaiToolDefinition[]
  /** Performs the calls of a response, in order, and returns the next `input`. It is empty if there are none. */
  run(output: readonly OpenaiOutputItem[], options?: RunOptions): Promise<OpenaiInputItem[]>
}

/**
 * Gives a model of OpenAI a computer or a phone.
 *
 * @example
 * const tools = await openaiTools(box)
 * const response = await openai.responses.create({ tools: tools.definitions, input, ... })
 * input = await tools.run(response.output)
 */
export async function openaiTools(
  target: ToolTarget,
  options: OpenaiOptions = {},
  call: CallOptions = {},
): Promise<OpenaiTools> {
  const machine = await ToolMachine.open(target, options, call)
  const computer = options.computer ?? (machine.isPhone ? 'function' : 'computer')
  const functions = [
    ...(computer === 'function' ? [screenTool(machine)] : []),
    ...otherTools(machine, options),
  ]
  return {
    definitions: [
      ...(computer === 'function' ? [] : [computerDefinition(computer, machine)]),
      ...functions.map(definitionOf),
    ],
    async run(output, given = {}) {
      const items: OpenaiInputItem[] = []
      for (const item of output)
        if (item.type === 'computer_call')
          items.push(...(await runComputerCall(machine, item, options.acknowledge, given)))
        else if (item.type === 'function_call') items.push(await runFunctionCall(functions, item, given))
      return items
    },
  }
}

function computerDefinition(
  type: 'computer' | 'computer_use_preview',
  { scale }: ToolMachine,
): OpenaiToolDefinition {
  if (type === 'computer') return { type }
  const { width, height } = scale.picture
  return { type, display_width: width, display_height: height, environment: 'linux' }
}

function definitionOf({ name, description, parameters }: FunctionTool): OpenaiToolDefinition {
  return { type: 'function', name, description, parameters, strict: false }
}

async function runFunctionCall(
  functions: readonly FunctionTool[],
  { name, call_id, arguments: given }: OpenaiOutputItem,
  call: CallOptions,
): Promise<OpenaiInputItem> {
  const tool = functions.find(known => known.name === name)
  const names = functions.map(known => known.name).join(', ')
  const input = argumentsOf(given)
  const outcome: Outcome = !tool
    ? { text: `There is no function ${name}. Use one of: ${names}.`, isError: true }
    : input === undefined
      ? { text: `The arguments of ${name} are not JSON. Fix them and call again.`, isError: true }
      : await tool.run(input, call)
  return { type: 'function_call_output', call_id: call_id ?? '', output: contentOf(outcome) }
}

/** The API sends arguments as text. */
function argumentsOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

/** The output of a function call has no field for errors, so that the text says it. */
function contentOf({ text, picture, isError }: Outcome) {
  return [
    { type: 'input_text', text: isError ? `Error: ${text}` : text } as const,
    ...(picture
      ? [
          {
            type: 'input_image',
            image_url: `data:${picture.mediaType};base64,${picture.base64}`,
            detail: 'auto',
          } as const,
        ]
      : []),
  ]
}
