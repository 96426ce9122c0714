import { command } from '../../command-definition.ts'
import { createSandbox } from '../../create-sandbox.ts'
import { type LifecycleOptions, lifecycleOptions } from '../../lifecycle-options.ts'
import { type NewSandboxOptions, newSandboxOptions } from '../../new-sandbox-options.ts'
import { formatTime } from '../../quantities.ts'

export default command<NewSandboxOptions & LifecycleOptions>({
  name: 'create',
  summary: 'Create a sandbox, and wait until it runs.',
  details:
    'It prints the id of the sandbox. While the service still builds the image for it, as after its first start, it waits and says so on stderr. Ctrl-C deletes what was begun.',
  options: [...newSandboxOptions, ...lifecycleOptions],
  examples: [
    { command: 'sandglass sandbox create --name demo', explanation: 'One of the first shape, for an hour.' },
    {
      command: 'sandglass sandbox create --shape SHAPE --label team=web --life 2h --idle 10m --on-idle pause',
      explanation: 'One that is paused while nobody uses it.',
    },
    {
      command:
        'sandglass sandbox create --image IMAGE --volume VOLUME:/data --env LANG=C.UTF-8 --egress none',
      explanation: 'From an image, with a volume, and without network.',
    },
  ],
  async run(context, { options }) {
    const sandbox = await createSandbox(context, options)
    context.output.done(sandbox, sandbox.id, sandbox.id)
    if (sandbox.status === 'RUNNING')
      context.note(
        `${sandbox.name} runs, and ends ${formatTime(sandbox.expiresAt)}. \`sandglass view ${sandbox.id}\` shows it.`,
      )
  },
})
