import type { OpenaiOutputItem } from 'sandglass/tools'
import type { OpenaiModel } from '../openai.ts'
import { follow, greet, inTerminal, openTerminal } from './script.ts'

/** Answers as OpenAI's Responses API does. */
export function scriptedOpenai(file: string): OpenaiModel {
  const computer = (...actions: object[]) => ({ type: 'computer_call', actions, pending_safety_checks: [] })
  return scriptedResponses(
    [
      { type: 'function_call', name: 'shell', arguments: JSON.stringify({ command: openTerminal }) },
      computer({ type: 'screenshot' }),
      computer(
        { type: 'click', button: 'left', ...inTerminal },
        { type: 'type', text: greet(file) },
        { type: 'keypress', keys: ['ENTER'] },
      ),
    ],
    'The greeting is written.',
  )
}

/** One item per response, and the text at the end. */
export function scriptedResponses(items: readonly OpenaiOutputItem[], text: string): OpenaiModel {
  const next = follow(items)
  let count = 0
  return async ({ input }) => {
    const told = JSON.stringify(input)
    if (/reported an error|"Error: /.test(told)) throw new Error(`a call failed: ${told.slice(0, 500)}`)
    const item = next()
    const id = `resp_${count++}`
    return { id, output: item ? [{ ...item, call_id: `call_${id}` }] : [], output_text: item ? '' : text }
  }
}
