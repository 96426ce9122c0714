import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { TerminalSize } from './messages.ts'

/** What a worker does with the programs of its machines. */
export const processMethods = {
  /**
   * Starts a program and answers with its process id. The channels are its input, its output, its error output, and one for
   * messages about it. Closing the last one releases the program.
   */
  'processes.exec': method({
    args: z.object({
      machine: z.string(),
      executable: z.string(),
      args: z.array(z.string()).readonly().optional(),
      workingDirectory: z.string().optional(),
      env: z.record(z.string(), z.string()).readonly().optional(),
      user: z.string().optional(),
      terminal: TerminalSize.optional(),
      detached: z.boolean().optional(),
      whole: z.boolean().optional(),
    }),
    result: z.int(),
    channels: ['input', 'bytes', 'bytes', 'messages'],
  }),
}
