import { command } from '../../command-definition.ts'
import { UsageError } from '../../failures.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { type LifecycleOptions, lifecycleOf, lifecycleOptions } from '../../lifecycle-options.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'

export default command<LifecycleOptions>({
  name: 'lifecycle',
  summary: 'Change what happens to a sandbox when its time is up and when it is idle.',
  arguments: [sandboxArgument],
  options: [...lifecycleOptions, { flags: '--no-auto-resume', description: 'A call does not wake it.' }],
  examples: [
    {
      command: 'sandglass sandbox lifecycle ID --idle 30m --on-idle pause --auto-resume',
      explanation: 'It is paused while nobody uses it, and wakes up when it is used.',
    },
  ],
  async run(context, { args: [text = ''], options }) {
    const body = lifecycleOf(options)
    if (Object.keys(body).length === 0)
      throw new UsageError('There is nothing to change.', 'Add an option; see --help.')
    const sandboxId = await findSandboxId(context, text)
    const changed = await (await context.client()).changeSandboxLifecycle(
      { sandboxId, body },
      { signal: context.signal },
    )
    context.output.record(changed, {
      name: sandboxId,
      fields: [
        ['on timeout', changed.onTimeout],
        ['when idle', changed.idleSeconds ? `${changed.onIdle} after ${changed.idleSeconds} s` : 'nothing'],
        ['auto resume', changed.autoResume ? 'yes' : 'no'],
      ],
    })
  },
})
