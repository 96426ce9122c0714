import type { ArgumentDefinition } from './command-definition.ts'

/** The sandbox that a command is about. */
export const sandboxArgument: ArgumentDefinition = {
  syntax: '<sandbox>',
  description: 'Its name, its id or the beginning of its id.',
  completes: 'sandboxes',
}
