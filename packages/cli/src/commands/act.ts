import { type Action, act, report } from '../act.ts'
import { command } from '../command-definition.ts'
import { UsageError } from '../failures.ts'
import { findSandboxId } from '../find-by-name.ts'
import { readText } from '../read-text.ts'
import { sandboxArgument } from '../sandbox-argument.ts'

export default command<{ model?: string }>({
  name: 'act',
  summary: 'Perform actions in a sandbox.',
  details:
    'Actions are JSON as in docs/actions.md: one, or a list. With --model they are what a model wrote.',
  arguments: [
    sandboxArgument,
    { syntax: '[actions]', description: 'The actions; standard input unless given.' },
  ],
  options: [
    {
      flags: '--model <type>',
      description: 'The family of the model whose text this is.',
      completes: 'parsers',
    },
  ],
  examples: [
    {
      command: `sandglass act ID '[{"type":"keyboard:hotkey","keys":"ctrl+a"},{"type":"wait","duration":50}]'`,
      explanation: 'Several actions in one call.',
    },
    {
      command: `echo "Action: hotkey(key='ctrl a')" | sandglass act ID --model ui-tars`,
      explanation: 'What a model wrote.',
    },
  ],
  async run(context, { args: [sandbox = '', given], options: { model } }) {
    const text = await readText(context, given, 'action')
    if (!model) return act(context, sandbox, actionsOf(text))
    const sandboxId = await findSandboxId(context, sandbox)
    const client = await context.client()
    const body = { type: model, textContent: text, includeScreenShot: false }
    report(context, sandboxId, await client.runModelText({ sandboxId, body }, { signal: context.signal }))
  },
})

function actionsOf(text: string): Action[] {
  try {
    return [JSON.parse(text)].flat()
  } catch (error) {
    throw new UsageError(
      `The actions are not valid JSON: ${(error as Error).message}.`,
      `They look like '{"type":"keyboard:type","content":"Hello"}'.`,
    )
  }
}
