import type { AnthropicModel } from '../anthropic.ts'
import { follow, greet, inTerminal, openTerminal } from './script.ts'

/** Answers as Anthropic's Messages API does. */
export function scriptedAnthropic(file: string): AnthropicModel {
  const { x, y } = inTerminal
  const use = (name: string, input: object) => ({ type: 'tool_use', name, input, toolset_name: 'computer' })
  const next = follow([
    [{ type: 'tool_use', name: 'bash', input: { command: openTerminal } }],
    [use('screenshot', {})],
    [use('left_click', { coordinate: [x, y] })],
    [use('type', { text: greet(file) }), use('key', { text: 'Return' })],
  ])
  let calls = 0
  return async ({ messages }) => {
    const failed = JSON.stringify(messages.at(-1)).includes('"is_error":true')
    if (failed) throw new Error(`a call failed: ${JSON.stringify(messages.at(-1)).slice(0, 500)}`)
    const blocks = next()?.map(block => ({ ...block, id: `toolu_${calls++}` }))
    return { content: blocks ?? [{ type: 'text', text: 'The greeting is written.' }] }
  }
}
