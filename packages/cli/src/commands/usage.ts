import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'

interface Options {
  readonly from?: string
  readonly to?: string
  readonly sandbox?: string
  readonly project?: string
}

export default command<Options>({
  name: 'usage',
  summary: 'Show for how long machines ran, by day, project and shape.',
  options: [
    { flags: '--from <day>', description: 'The first day, such as 2026-01-31; 30 days ago unless given.' },
    { flags: '--to <day>', description: 'The last day; today unless given.' },
    { flags: '--sandbox <sandbox>', description: 'Only this sandbox.', completes: 'sandboxes' },
    { flags: '--project <id>', description: 'Only this project.' },
  ],
  examples: [
    { command: 'sandglass usage', explanation: 'The last 30 days.' },
    {
      command: "sandglass usage -o json | jq 'map(.billedSeconds) | add'",
      explanation: 'The sum of billed seconds.',
    },
  ],
  async run(context, { options: { from, to, sandbox, project } }) {
    const sandboxId = sandbox && (await findSandboxId(context, sandbox))
    const query = { from, to, ...(sandboxId && { sandboxId }), ...(project && { projectId: project }) }
    const usage = await (await context.client()).getUsage(query, { signal: context.signal })
    context.output.list(usage, {
      columns: [
        { title: 'DAY', value: ({ day }) => day },
        { title: 'SHAPE', value: ({ shapeName }) => shapeName },
        { title: 'HOURS', value: ({ seconds }) => hours(seconds), isNumber: true },
        { title: 'BILLED HOURS', value: ({ billedSeconds }) => hours(billedSeconds), isNumber: true },
        { title: 'PROJECT', value: ({ projectId }) => projectId, isOptional: true },
      ],
      nameOf: ({ day, shapeName }) => `${day}/${shapeName}`,
      empty: 'No machine ran in this time.',
    })
  },
})

function hours(seconds: number): string {
  return (seconds / 3600).toFixed(2)
}
