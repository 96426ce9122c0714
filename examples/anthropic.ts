import { Sandbox } from 'sandglass'
import { type AnthropicBlock, type AnthropicTools, anthropicTools } from 'sandglass/tools'
import { scriptedAnthropic } from './scripted/anthropic.ts'

type Message = { role: 'user' | 'assistant'; content: string | readonly object[] }

/** With Anthropic's SDK: `request => client.beta.messages.create({ model, max_tokens: 4096, ...request })`. */
export type AnthropicModel = (request: {
  tools: AnthropicTools['definitions']
  betas: string[]
  messages: Message[]
}) => Promise<{ content: (AnthropicBlock & { text?: string })[] }>

export async function useComputer(box: Sandbox, task: string, model: AnthropicModel): Promise<string> {
  const tools = await anthropicTools(box)
  const messages: Message[] = [{ role: 'user', content: task }]
  for (;;) {
    const { content } = await model({ tools: tools.definitions, betas: tools.betas, messages })
    const results = await tools.run(content)
    if (results.length === 0) return content.map(block => block.text ?? '').join('')
    messages.push({ role: 'assistant', content }, { role: 'user', content: results })
  }
}

if (import.meta.main) {
  await using box = await Sandbox.create()
  console.log(
    await useComputer(box, 'Write a greeting to hello.txt in a terminal.', scriptedAnthropic('hello.txt')),
  )
  console.log(await box.files.readText('hello.txt'))
}
