import { command } from '../../command-definition.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { formatDuration, parseDuration } from '../../quantities.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'

export default command({
  name: 'extend',
  summary: 'Let a sandbox live for some time from now on.',
  arguments: [
    sandboxArgument,
    { syntax: '[time]', description: 'Such as 90s, 10m or 2h; an hour unless given.' },
  ],
  examples: [{ command: 'sandglass sandbox extend ID 2h', explanation: 'It ends in two hours.' }],
  async run(context, { args: [text = '', time = '1h'] }) {
    const maxLifeSeconds = parseDuration(time)
    const sandboxId = await findSandboxId(context, text)
    const client = await context.client()
    await client.extendSandbox({ sandboxId, body: { maxLifeSeconds } }, { signal: context.signal })
    context.output.done(
      { id: sandboxId, maxLifeSeconds },
      sandboxId,
      `${sandboxId} ends in ${formatDuration(maxLifeSeconds * 1000)}.`,
    )
  },
})
