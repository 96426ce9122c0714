import { computerUse, mobileUse } from '@sandglass/protocol/tools'
import type { CallOptions } from '../call-options.ts'
import { AnthropicComputer } from './anthropic-computer.ts'
import type {
  AnthropicBlock,
  AnthropicComputerType,
  AnthropicToolDefinition,
  AnthropicToolResult,
} from './anthropic-shapes.ts'
import { BashSession } from './bash-session.ts'
import { screenTool } from './function-tools.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { RunOptions, ToolOptions, ToolTarget } from './target.ts'
import { editText } from './text-editor.ts'
import { ToolMachine } from './tool-machine.ts'

export interface AnthropicOptions extends ToolOptions {
  /**
   * Which of Anthropic's computer tools the model is given; `function` is our own `computer-use` or `mobile-use`, for models that
   * know none of them. The toolset by default, and `function` for a phone.
   */
  readonly computer?: AnthropicComputerType | 'function' | undefined
}

/** Tools for Anthropic's Messages API. */
export interface AnthropicTools {
  /** For `tools`. */
  readonly definitions: AnthropicToolDefinition[]
  /** For `betas`: what has to be turned on for the definitions. */
  readonly betas: string[]
  /** Performs the tool calls of a message, in order, and returns what to answer with. It is empty if there are none. */
  run(content: readonly AnthropicBlock[], options?: RunOptions): Promise<AnthropicToolResult[]>
}

const betas = {
  computer_toolset_20260801: [],
  computer_20251124: ['computer-use-2025-11-24'],
  computer_20250124: ['computer-use-2025-01-24'],
  function: [],
} as const

const editorName = 'str_replace_based_edit_tool'

/** The tools whose calls depend on what the calls before them have done to the screen. */
const screens: ReadonlySet<string> = new Set(['computer', computerUse.name, mobileUse.name])

const notDone: Outcome = {
  text: 'This was not done, because a call before it failed. Look at the screen and go on from there.',
  isError: true,
}

type Run = (block: AnthropicBlock, call: CallOptions) => Promise<Outcome>

/**
 * Gives a model of Anthropic a computer or a phone.
 *
 * @example
 * const tools = await anthropicTools(box)
 * const message = await anthropic.beta.messages.create({ tools: tools.definitions, betas: tools.betas, messages, ... })
 * messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: await tools.run(message.content) })
 */
export async function anthropicTools(
  target: ToolTarget,
  options: AnthropicOptions = {},
  call: CallOptions = {},
): Promise<AnthropicTools> {
  const machine = await ToolMachine.open(target, options, call)
  const type = options.computer ?? (machine.isPhone ? 'function' : 'computer_toolset_20260801')
  const definitions: AnthropicToolDefinition[] = []
  const runs = new Map<string, Run>()
  if (type === 'function') {
    const { name, description, parameters, run } = screenTool(machine)
    definitions.push({ name, description, input_schema: { ...parameters, type: 'object' } })
    runs.set(name, ({ input }, given) => run(input, given))
  } else {
    const computer = new AnthropicComputer(machine, type)
    definitions.push(computer.definition)
    runs.set('computer', (block, given) => computer.run(block, given))
  }
  if (options.shell !== false && !machine.isPhone) {
    const bash = new BashSession(target)
    definitions.push({ type: 'bash_20250124', name: 'bash' })
    runs.set('bash', ({ input }, given) => bash.run(input, given))
  }
  if (options.files !== false && !machine.isPhone) {
    definitions.push({ type: 'text_editor_20250728', name: editorName })
    runs.set(editorName, ({ input }, given) => editText(target, input, given))
  }
  return { definitions, betas: [...betas[type]], run: (content, given) => runAll(runs, content, given) }
}

async function runAll(
  runs: ReadonlyMap<string, Run>,
  content: readonly AnthropicBlock[],
  options: RunOptions = {},
): Promise<AnthropicToolResult[]> {
  const results: AnthropicToolResult[] = []
  const failed = new Set<string>()
  for (const block of content) {
    if (block.type !== 'tool_use') continue
    const name = block.toolset_name ?? block.name ?? ''
    const outcome = failed.has(name) ? notDone : await runOne(runs, name, block, options)
    if (outcome.isError && screens.has(name)) failed.add(name)
    results.push(resultOf(block, outcome))
  }
  return results
}

async function runOne(
  runs: ReadonlyMap<string, Run>,
  name: string,
  block: AnthropicBlock,
  call: CallOptions,
): Promise<Outcome> {
  const run = runs.get(name)
  if (run) return outcomeOf(() => run(block, call))
  return { text: `There is no tool ${name}. Use one of: ${[...runs.keys()].join(', ')}.`, isError: true }
}

function resultOf(
  { id = '', toolset_name }: AnthropicBlock,
  { text, picture, isError }: Outcome,
): AnthropicToolResult {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: [
      ...(text === '' ? [] : [{ type: 'text', text } as const]),
      ...(picture ? [imageOf(picture)] : []),
    ],
    ...(isError && { is_error: true }),
    ...(toolset_name && { toolset_name }),
  }
}

function imageOf({ mediaType, base64 }: NonNullable<Outcome['picture']>) {
  const media_type = mediaType as 'image/webp' | 'image/png' | 'image/jpeg'
  return { type: 'image', source: { type: 'base64', media_type, data: base64 } } as const
}
