import { z } from 'zod'
import { action } from './action.ts'
import { UiElement } from './ui-element.ts'

/** An element as it was told: whatever is given of it here must still be so when it is acted on. */
export const ElementName = UiElement.pick({ role: true, name: true })
  .extend({
    path: UiElement.shape.path.min(1).max(2000).optional(),
    id: z.string().min(1).max(10_000).optional(),
    text: UiElement.shape.text.optional().describe('Leave it out where it may change, as in a field.'),
  })
  .refine(({ path, id }) => path !== undefined || id !== undefined, {
    message: 'path or id has to be given: uiTree tells them.',
  })
  .meta({ id: 'ElementName' })
export type ElementName = z.infer<typeof ElementName>

const element = ElementName

/** Actions of ours on an element of the UI tree, for whichever kind of machine. They come in and never go out of parsers. */
export const elementActions = [
  action('os:clickElement', { element }),
  action('os:setElementText', { element, text: z.string() }),
  action('os:scrollElement', {
    element,
    direction: z.enum(['up', 'down', 'left', 'right']).describe('Where to: down shows what is further down.'),
    steps: z.int().min(1).max(100).default(3).describe('Of a wheel; a tenth of the screen each on a phone.'),
  }),
] as const

export const ElementAction = z.discriminatedUnion('type', [...elementActions]).meta({ id: 'ElementAction' })
export type ElementAction = z.infer<typeof ElementAction>
