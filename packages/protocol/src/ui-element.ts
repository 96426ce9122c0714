import { z } from 'zod'

/** One thing on the screen of a desktop or a phone, as programs tell those who cannot see it. */
export const UiElement = z
  .object({
    role: z
      .string()
      .describe('What it is: button, edit, text, list, image, … ; group where it only holds others.'),
    name: z.string().describe('What it is called, where that is not its text.'),
    text: z.string().describe('What is written on it or in it; nothing of a password.'),
    path: z
      .string()
      .describe('Where it is in the tree. The actions on elements name it by that, with its role and name.'),
    id: z.string().optional().describe("The name that the program's maker gave it."),
    bounds: z
      .object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() })
      .describe('In pixels of the screen.'),
    states: z.array(z.enum(['checked', 'disabled', 'focused', 'password', 'selected', 'expanded'])),
    actions: z.array(z.enum(['click', 'longPress', 'type', 'scroll'])).describe('What can be done with it.'),
    depth: z.int().describe('The parent is the last element before it whose depth is smaller.'),
  })
  .meta({ id: 'UiElement' })
export type UiElement = z.infer<typeof UiElement>
