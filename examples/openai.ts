import { Sandbox } from 'sandglass'
import { type OpenaiOutputItem, type OpenaiTools, openaiTools } from 'sandglass/tools'
import { scriptedOpenai } from './scripted/openai.ts'

/** With OpenAI's SDK: `request => client.responses.create({ model, truncation: 'auto', ...request })`. */
export type OpenaiModel = (request: {
  tools: OpenaiTools['definitions']
  input: string | Awaited<ReturnType<OpenaiTools['run']>>
  previous_response_id?: string
}) => Promise<{ id: string; output: OpenaiOutputItem[]; output_text: string }>

export async function useComputer(box: Sandbox, task: string, model: OpenaiModel): Promise<string> {
  const tools = await openaiTools(box, {
    acknowledge: checks => askPerson(checks.map(({ message }) => message)),
  })
  let response = await model({ tools: tools.definitions, input: task })
  for (;;) {
    const input = await tools.run(response.output)
    if (input.length === 0) return response.output_text
    response = await model({ tools: tools.definitions, input, previous_response_id: response.id })
  }
}

/** OpenAI's API wants to know that a person has agreed to some actions. Nobody is there in this example, so nobody agrees. */
function askPerson(reasons: unknown[]): boolean {
  console.warn('Not confirmed:', ...reasons)
  return false
}

if (import.meta.main) {
  await using box = await Sandbox.create()
  console.log(
    await useComputer(box, 'Write a greeting to hello.txt in a terminal.', scriptedOpenai('hello.txt')),
  )
  console.log(await box.files.readText('hello.txt'))
}
