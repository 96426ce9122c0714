import type { Generate } from '../vercel.ts'
import { greet, inTerminal, openTerminal } from './script.ts'

/** Calls tools as `generateText` of the AI SDK does. */
export function scriptedVercel(file: string): Generate {
  const { x, y } = inTerminal
  const calls = [
    { toolName: 'shell', input: { command: openTerminal } },
    { toolName: 'computer-use', input: { action: 'screenShot' } },
    { toolName: 'computer-use', input: { action: 'click', coordinate: [x, y] } },
    { toolName: 'computer-use', input: { action: 'type', text: `${greet(file)}\n` } },
  ]
  return async ({ tools }) => {
    for (const { toolName, input } of calls) {
      const tool = tools[toolName]
      if (!tool) throw new Error(`there is no tool ${toolName}`)
      const told = tool.toModelOutput({ output: await tool.execute(input) })
      if (told.type === 'error-text') throw new Error(`a call failed: ${told.value}`)
    }
    return { text: 'The greeting is written.' }
  }
}
