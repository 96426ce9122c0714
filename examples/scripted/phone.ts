import type { OpenaiModel } from '../openai.ts'
import { scriptedResponses } from './openai.ts'

/** Where the simulator's notes have the button for a new note, on its screen of 720x1280. */
const newNote = [660, 90]

/** Answers as OpenAI's Responses API does. */
export function scriptedPhone(note: string): OpenaiModel {
  const use = (input: object) => ({
    type: 'function_call',
    name: 'mobile-use',
    arguments: JSON.stringify(input),
  })
  return scriptedResponses(
    [
      use({ action: 'screenShot' }),
      use({ action: 'startApp', text: 'notes' }),
      use({ action: 'tap', coordinate: newNote }),
      use({ action: 'type', text: note }),
      use({ action: 'home' }),
    ],
    'The note is written.',
  )
}
