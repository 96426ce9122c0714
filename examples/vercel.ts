import { Sandbox } from 'sandglass'
import { type VercelTool, vercelTools } from 'sandglass/tools'
import { scriptedVercel } from './scripted/vercel.ts'

/** With the AI SDK: `options => generateText({ model, stopWhen: stepCountIs(50), ...options })`. */
export type Generate = (options: {
  tools: Record<string, VercelTool>
  prompt: string
}) => Promise<{ text: string }>

export async function useComputer(box: Sandbox, task: string, generate: Generate): Promise<string> {
  const { text } = await generate({ tools: await vercelTools(box), prompt: task })
  return text
}

if (import.meta.main) {
  await using box = await Sandbox.create()
  console.log(
    await useComputer(box, 'Write a greeting to hello.txt in a terminal.', scriptedVercel('hello.txt')),
  )
  console.log(await box.files.readText('hello.txt'))
}
