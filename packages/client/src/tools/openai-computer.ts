import { ToolError } from '@sandglass/protocol/tools'
import type { CallOptions } from '../call-options.ts'
import type { OpenaiInputItem, OpenaiOutputItem, OpenaiSafetyCheck } from './openai-shapes.ts'
import { done, type Outcome, outcomeOf } from './outcome.ts'
import { SafetyCheckError } from './safety-check-error.ts'
import type { ToolMachine } from './tool-machine.ts'

/** The service reads the arguments of actions, as it reads a model's text. */
const known = ['screenshot', 'click', 'double_click', 'move', 'drag', 'scroll', 'keypress', 'type', 'wait']

/** Decides whether the actions of a call may be performed although they have to be confirmed. */
export type Acknowledge = (
  checks: readonly OpenaiSafetyCheck[],
  item: OpenaiOutputItem,
) => boolean | Promise<boolean>

/** Performs calls of OpenAI's computer tools: `computer`, with several actions, and `computer_use_preview`, with one. */
export async function runComputerCall(
  machine: ToolMachine,
  item: OpenaiOutputItem,
  acknowledge: Acknowledge | undefined,
  call: CallOptions,
): Promise<OpenaiInputItem[]> {
  const checks = item.pending_safety_checks ?? []
  if (checks.length > 0 && !(await acknowledge?.(checks, item))) throw new SafetyCheckError(checks)
  const { picture, text, isError } = await outcomeOf(() => perform(machine, item, call))
  // An answer has to have a picture, also if the actions failed.
  const { mediaType, base64 } = picture ?? (await machine.look(call)).picture
  return [
    {
      type: 'computer_call_output',
      call_id: item.call_id ?? '',
      output: { type: 'computer_screenshot', image_url: `data:${mediaType};base64,${base64}` },
      ...(checks.length > 0 && { acknowledged_safety_checks: checks.map(check => ({ ...check })) }),
    },
    ...(isError ? [errorMessage(text)] : []),
  ]
}

async function perform(machine: ToolMachine, item: OpenaiOutputItem, call: CallOptions): Promise<Outcome> {
  const actions: unknown[] = Array.isArray(item.actions) ? item.actions : item.action ? [item.action] : []
  if (actions.length === 0) throw new ToolError('The call has no action.')
  for (const action of actions) {
    const type = typeof action === 'object' && action !== null && 'type' in action ? action.type : undefined
    if (typeof type !== 'string' || !known.includes(type))
      throw new ToolError(`There is no action ${type}. Nothing was done. Use one of: ${known.join(', ')}.`)
  }
  const { picture } = await machine.actOn('openai', { type: 'computer_call', actions }, call)
  return done('', picture)
}

/** The output of a computer call has no field for errors. */
function errorMessage(text: string): OpenaiInputItem {
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: `The computer reported an error: ${text}` }],
  }
}
