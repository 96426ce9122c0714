import { Phone } from 'sandglass'
import { type OpenaiTools, openaiTools } from 'sandglass/tools'
import type { OpenaiModel } from './openai.ts'
import { scriptedPhone } from './scripted/phone.ts'

/** The same loop as for a computer: a phone's tool is the function `mobile-use`. */
export async function usePhone(phone: Phone, task: string, model: OpenaiModel): Promise<string> {
  const tools: OpenaiTools = await openaiTools(phone)
  let response = await model({ tools: tools.definitions, input: task })
  for (;;) {
    const input = await tools.run(response.output)
    if (input.length === 0) return response.output_text
    response = await model({ tools: tools.definitions, input, previous_response_id: response.id })
  }
}

if (import.meta.main) {
  await using phone = await Phone.create()
  console.log(await usePhone(phone, 'Write the note "Buy milk".', scriptedPhone('Buy milk')))
}
