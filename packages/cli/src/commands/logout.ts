import { command } from '../command-definition.ts'
import { CliError } from '../failures.ts'
import { readProfiles, writeProfiles } from '../profiles.ts'

export default command<{ all?: boolean }>({
  name: 'logout',
  summary: 'Remove a profile with its key from this machine. The key stays valid.',
  options: [{ flags: '--all', description: 'Remove all profiles.' }],
  examples: [
    {
      command: 'sandglass logout --profile work',
      explanation: '`sandglass keys revoke` ends the key itself.',
    },
  ],
  async run(context, { options: { all } }) {
    const { current, profiles } = await readProfiles(context.env)
    const name = context.options.profile ?? context.env['SANDGLASS_PROFILE'] ?? current
    const removed = all ? Object.keys(profiles) : Object.keys(profiles).filter(one => one === name)
    if (removed.length === 0)
      throw new CliError(
        name ? `There is no profile "${name}".` : 'You are not logged in.',
        '`sandglass whoami` shows what is used.',
      )
    const kept = Object.fromEntries(Object.entries(profiles).filter(([one]) => !removed.includes(one)))
    const next = current !== undefined && current in kept ? current : Object.keys(kept)[0]
    await writeProfiles(context.env, { ...(next !== undefined && { current: next }), profiles: kept })
    for (const one of removed) context.output.done({ profile: one }, one, `Removed profile ${one}.`)
  },
})
