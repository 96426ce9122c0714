import type { Sandglass } from '@sandglass/client'
import { type CommandDefinition, command } from './command-definition.ts'
import { findSandboxId } from './find-by-name.ts'

type Change = 'pauseSandbox' | 'resumeSandbox' | 'hibernateSandbox' | 'restartSandbox'

interface ChangeCommand {
  readonly name: string
  readonly summary: string
  readonly operation: Change
  readonly example: string
  /** What a person reads: `Paused ID.` */
  readonly done: string
}

/** A command that changes sandboxes with an operation that needs nothing but their ids. */
export function changeCommand({ name, summary, operation, example, done }: ChangeCommand): CommandDefinition {
  return command({
    name,
    summary,
    arguments: [
      { syntax: '<sandbox...>', description: 'Names, ids or beginnings of ids.', completes: 'sandboxes' },
    ],
    examples: [{ command: `sandglass sandbox ${name} ID`, explanation: example }],
    async run(context, { args }) {
      const client: Sandglass = await context.client()
      const ids = []
      for (const text of args) ids.push(await findSandboxId(context, text))
      for (const sandboxId of ids) {
        await client[operation]({ sandboxId }, { signal: context.signal })
        context.output.done({ id: sandboxId }, sandboxId, `${done} ${sandboxId}.`)
      }
    },
  })
}
