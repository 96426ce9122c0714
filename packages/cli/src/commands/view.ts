import { command } from '../command-definition.ts'
import { CliError } from '../failures.ts'
import { findSandboxId } from '../find-by-name.ts'
import { parseDuration } from '../quantities.ts'

const all = ['view', 'input', 'clipboard:read', 'clipboard:write'] as const

export default command<{ open?: boolean; readOnly?: boolean; for?: number }>({
  name: 'view',
  summary: 'Print a link to the live view of a sandbox.',
  details:
    'The link is an invitation: whoever has it sees the sandbox, and can take control unless --read-only is given, until the ' +
    'link or the sandbox ends.',
  arguments: [{ syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' }],
  options: [
    { flags: '--open', description: 'Open it in the browser.' },
    { flags: '--read-only', description: 'Whoever has the link can only watch.' },
    {
      flags: '--for <time>',
      description: 'How long the link is valid, such as 10m or 2d (1h).',
      parse: parseDuration,
    },
  ],
  examples: [
    { command: 'sandglass view ID --read-only --for 10m', explanation: 'A link to watch for ten minutes.' },
  ],
  async run(context, { args: [sandbox = ''], options }) {
    const { client, output, signal } = context
    const sandboxId = await findSandboxId(context, sandbox)
    const body = {
      scope: options.readOnly ? (['view'] as const).slice() : all.slice(),
      ...(options.for !== undefined && { lifetimeSeconds: options.for }),
    }
    const invitation = await (await client()).createLiveInvitation({ sandboxId, body }, { signal })
    const { url } = invitation
    if (url === undefined) throw new CliError('The service returned no link.', 'Run the command again.')
    output.done(invitation, url, url)
    if (options.open) await (await import('../io/open-url.ts')).openUrl(url)
  },
})
