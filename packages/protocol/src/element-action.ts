import { z } from 'zod'
import { action } from './action.ts'
import { UiElement } from './ui-element.ts'

/**
 * Identifies an element of an earlier UI tree. The action fails if any of the given properties no longer matches, so
 * that it does not affect another element.
 */
export const ElementName = UiElement.pick({ role: true, name: true })
  .extend({
    path: UiElement.shape.path.min(1).max(2000).optional(),
    id: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe('The identifier that the developer of the program gave it.'),
    text: UiElement.shape.text.optional().describe('Omit it if it can change, as in an input field.'),
  })
  .refine(({ path, id }) => path !== undefined || id !== undefined, {
    message: 'path or id is required; both are in uiTree.',
  })
  .meta({ id: 'ElementName' })
export type ElementName = z.infer<typeof ElementName>

const element = ElementName.describe('The element, as an earlier uiTree described it.')

/**
 * Actions on an element of the UI tree, for any kind of machine. They are additions to the contract: requests may
 * contain them, and parsers do not return them.
 */
export const elementActions = [
  action('os:clickElement', { element }),
  action('os:setElementText', {
    element,
    text: z.string().describe('What the element contains afterwards.'),
  }),
  action('os:scrollElement', {
    element,
    direction: z.enum(['up', 'down', 'left', 'right']).describe('down shows content that is further down.'),
    steps: z
      .int()
      .min(1)
      .max(100)
      .default(3)
      .describe('Wheel steps; on a phone each is a tenth of the screen.'),
  }),
] as const

/** Any action on a UI element. */
export const ElementAction = z.discriminatedUnion('type', [...elementActions]).meta({ id: 'ElementAction' })
export type ElementAction = z.infer<typeof ElementAction>
