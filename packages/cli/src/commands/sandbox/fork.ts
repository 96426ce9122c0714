import { command } from '../../command-definition.ts'
import { deleteAgain } from '../../create-sandbox.ts'
import { CliError } from '../../failures.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { parseDuration, wholeNumber } from '../../quantities.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'

interface Options {
  readonly count?: number
  readonly name?: string
  readonly life?: number
  readonly memory?: boolean
}

export default command<Options>({
  name: 'fork',
  summary: 'Create sandboxes whose disks start as the disk of this one is now.',
  details: 'It prints their ids. Ctrl-C deletes what was begun.',
  arguments: [sandboxArgument],
  options: [
    { flags: '-c, --count <number>', description: 'How many, from 1 to 20.', parse: wholeNumber(1, 20) },
    { flags: '-n, --name <name>', description: 'The name of every fork.' },
    {
      flags: '--life <time>',
      description: 'How long they live; an hour unless given.',
      parse: parseDuration,
    },
    { flags: '--memory', description: 'Programs continue in the forks, for shapes that can do this.' },
  ],
  examples: [{ command: 'sandglass sandbox fork ID --count 2 --name try', explanation: 'Two more like it.' }],
  async run(context, { args: [text = ''], options: { count, name, life, memory } }) {
    const sandboxId = await findSandboxId(context, text)
    const client = await context.client()
    const body = {
      ...(count !== undefined && { count }),
      ...(name && { name }),
      ...(life !== undefined && { maxLifeSeconds: life }),
      ...(memory && { memory }),
    }
    // Not with the signal: forks that nobody knows would be left.
    const { results, pauseMs } = await client.forkSandbox({ sandboxId, body })
    const forks = results.flatMap(result => ('sandbox' in result ? [result.sandbox] : []))
    if (context.signal.aborted) {
      for (const { id } of forks) await deleteAgain(client, context, id)
      context.signal.throwIfAborted()
    }
    if (context.output.format === 'json') context.output.json({ results, pauseMs })
    else for (const { id } of forks) context.output.line(id)
    const failed = results.flatMap(result => ('error' in result ? [result.error.message] : []))
    if (failed.length > 0)
      throw new CliError(
        `${failed.length} of ${results.length} forks failed: ${[...new Set(failed)].join(' ')}`,
      )
  },
})
