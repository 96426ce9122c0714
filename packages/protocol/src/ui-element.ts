import { z } from 'zod'

/** An element on the screen of a desktop or a phone, as reported by the accessibility interface. */
export const UiElement = z
  .object({
    role: z
      .string()
      .describe('The kind of element: button, edit, text, list, image, …; group if it only contains others.'),
    name: z.string().describe('The accessible name, if it differs from the text.'),
    text: z.string().describe('The visible text or content; empty for passwords.'),
    path: z
      .string()
      .describe(
        'The position in the tree. Element actions use it with role and name to identify the element.',
      ),
    id: z.string().optional().describe('The identifier that the developer of the program gave it.'),
    bounds: z
      .object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() })
      .describe('In screen pixels.'),
    states: z.array(z.enum(['checked', 'disabled', 'focused', 'password', 'selected', 'expanded'])),
    actions: z
      .array(z.enum(['click', 'longPress', 'type', 'scroll']))
      .describe('The actions that it supports.'),
    depth: z.int().describe('The parent is the nearest preceding element with a smaller depth.'),
  })
  .meta({ id: 'UiElement' })
export type UiElement = z.infer<typeof UiElement>
